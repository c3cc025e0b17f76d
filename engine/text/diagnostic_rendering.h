// Shows a diagnostic to a person:
//
//   error[unknown-key]: unknown key `sevrity`
//     --> rules/sglang/x.yaml:3:1
//      |
//    3 | sevrity: error
//      | ^^^^^^^
//      = help: did you mean `severity`?
//
// A related place follows in the same form, underlined with "-" and its message behind.
#pragma once

#include <string>
#include <string_view>

#include "engine/text/closest_name.h"
#include "engine/text/diagnostic.h"
#include "engine/text/source.h"

namespace assay {

// Long lines are cut around the caret; control characters (of the line, the message and the name)
// are shown as escapes; tabs become spaces; of a span over several lines the first is shown. Ends
// with a newline. `use_color`: ANSI colours.
std::string render_diagnostic(const Diagnostic& diagnostic, const SourceSet& sources,
                              bool use_color);

// `text` with control characters, bytes that are not UTF-8 and characters that reorder text shown
// as escapes (`\x1b`, `\u{202e}`), a tab as four spaces: safe to print on a terminal.
std::string printable(std::string_view text);

}  // namespace assay
