// The text of a log's line as a person should see it.
#pragma once

#include <string>
#include <string_view>

namespace assay {

// `text` without terminal escapes, and with what else log_text.h puts right.
std::string without_terminal_escapes(std::string_view text);
// The same of a `part` of `text`: what stands behind it may say that its end is none, such as the
// bracket in `[prefill[5m]]`. A part that lies elsewhere is taken by itself.
std::string part_without_escapes(std::string_view part, std::string_view text);

}  // namespace assay
