// What a message looks like with its variable parts left open. A rule's template, a record's
// message and its pattern all have one, so that they can be compared without an example.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

struct ShapePart {
  bool is_open = false;  // stands for any text
  std::string text;      // not is_open
};
using MessageShape = std::vector<ShapePart>;  // no two literal parts and no two open parts in a row

// Of a rule's template; none when it has faults (compile_message reports them).
std::optional<MessageShape> shape_of_template(const std::string& text);
// Of a record's errorMessage: `{}` and `{name}` are open.
MessageShape shape_of_record_message(std::string_view text);
// Of an RE2 pattern that consists of literal text, groups, classes and dots; none for others
// (alternatives outside a group, repeated literal characters, flags).
std::optional<MessageShape> shape_of_pattern(std::string_view pattern);

// Whether each text of the shape `inner` is also one of `outer`: literal text stands in the same
// places, and what is open in `inner` is open in `outer`.
bool covers(const MessageShape& outer, const MessageShape& inner);
// The same of a part of each text: a pattern is searched for, not matched as a whole.
bool covers_part(const MessageShape& outer, const MessageShape& inner);

// "got {}." with {} for the open parts.
std::string to_string(const MessageShape& shape);

}  // namespace assay
