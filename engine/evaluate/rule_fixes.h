// Which of a rule's fixes repair which of its examples.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/compile/compiled_pack.h"
#include "engine/text/diagnostic.h"

namespace assay {

// Warnings fix_does_not_repair for the rule at `position`: a violating example that no fix and no
// search over values repairs, a fix that repairs none of the violating examples.
void lint_fixes(const CompiledPack& pack, std::uint32_t position, Diagnostics& faults);

}  // namespace assay
