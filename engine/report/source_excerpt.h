// Lines of the input with carets under the places that matter.
#pragma once

#include <span>
#include <string>

#include "engine/report/terminal_text.h"
#include "engine/text/source.h"

namespace assay {

// One block per source, in the order of the first places; the first place of all is the arrow's:
//
//   --> run.sh:3:34
//    |
//  3 | python -m sglang.launch_server … --kv-cache-dtype bf16
//    |                                                   ^^^^
//
// Unmarked stretches of a long line are cut out; control characters show as escapes. Empty without
// a known place.
std::string source_excerpt(const SourceSet& sources, std::span<const Span> places,
                           const TerminalStyle& style);

}  // namespace assay
