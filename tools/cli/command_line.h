// From the words of the command line to the options of a verb.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/text/diagnostic.h"
#include "tools/cli/command.h"
#include "tools/cli/option.h"

namespace assay::cli {

struct Invocation {
  const Verb* verb = nullptr;          // null: only help or the version is asked for
  std::vector<std::string> arguments;  // the words without the verb, up to `--`
  std::optional<std::vector<std::string>> after_dashes;
  bool wants_version = false;
};

// Errors (all bad_usage): no verb, or one that does not exist.
Diagnostics find_verb(const std::vector<std::string>& words, const std::vector<Verb>& verbs,
                      Invocation& invocation);

// Fills the targets of `syntax`, and `command` where the verb takes one; other verbs take the words
// after `--` as operands. Errors (all bad_usage): an option that does not exist, has no value, or
// is given twice; a value outside its choices; operands that the verb does not take.
Diagnostics parse_arguments(const Invocation& invocation, const Syntax& syntax,
                            std::optional<std::vector<std::string>>& command);

// Puts `text` into the option. Returns what is wrong with it, or nothing.
std::optional<std::string> set_option(const Option& option, const std::string& text);

}  // namespace assay::cli
