// Records whose patterns find each other's messages.
#pragma once

#include "engine/model/dataset.h"
#include "engine/text/diagnostic.h"

namespace assay {

// Warnings, each with a line that shows it: shadowed_pattern (another record is told where the
// record's own message stands), overlapping_patterns (another record's pattern finds the message as
// well, and is told after it). Records of which one names the other in `seeAlso` or `replacedBy`
// are meant to. Errors: those of MessageMatcher::compile.
Diagnostics lint_overlaps(const Dataset& dataset);

}  // namespace assay
