// Shows a diagnostic to a person:
//
//   error[unknown-key]: unknown key `sevrity`
//     --> rules/sglang/x.yaml:3:1
//      |
//    3 | sevrity: error
//      | ^^^^^^^
//      = help: did you mean `severity`?
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/text/diagnostic.h"
#include "engine/text/source.h"

namespace assay {

// Long lines are cut around the caret; control characters of the line are shown as escapes; tabs
// become spaces. Ends with a newline. `use_color`: ANSI colours.
std::string render_diagnostic(const Diagnostic& diagnostic, const SourceSet& sources,
                              bool use_color);

// The candidate closest to `word` (Damerau-Levenshtein, at most a third of its length), or empty
// when none is close.
std::string_view closest_name(std::string_view word,
                              const std::vector<std::string_view>& candidates);

}  // namespace assay
