// Whether code that was read from a bundle is code that the predicate compiler could have written:
// running it then reads and writes nothing outside of its stack, its constants and its loops.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/compile/predicate.h"

namespace assay {

// The stack that `code` needs; none: it is not to be run. `slot_count`: slots it may read.
std::optional<std::uint32_t> find_stack_size(const std::vector<Instruction>& code,
                                             const std::vector<Value>& constants,
                                             std::size_t pattern_count, std::uint32_t slot_count);

}  // namespace assay
