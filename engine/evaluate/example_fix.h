// The example fix of a record: a launch that breaks a rule, and the same launch mended.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace assay {

struct ExampleFix {
  std::string before;
  std::string after;
};

// Of "# before…", a line or more, "# after…", a line or more; what stands behind the two words is
// for readers. Nothing for a text of another form.
std::optional<ExampleFix> split_example_fix(std::string_view text);

// The whole command of one side. One that begins, behind assignments of variables, with a flag or
// with "…" is a fragment: `least_command` comes in front of its flags ("…" stands for it). Any
// other is whole, and returned as it is.
std::string completed_command(std::string_view side, std::string_view least_command);

}  // namespace assay
