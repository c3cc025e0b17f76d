// Writes down what a rule found: its message, the facts it read and where each came from.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/evaluate/derivation.h"
#include "engine/evaluate/facts.h"

namespace assay {

// The finding of the rule at `position`, on the facts as they stand right after it was judged.
Finding make_finding(std::uint32_t position, const DerivationOutcome& outcome, FactTable& table);
// The message of a derivation that applied.
std::string derivation_message(std::uint32_t position, const DerivationOutcome& outcome,
                               FactTable& table);
// The names of unknown slots, as a person calls them.
std::vector<std::string> slot_names(const CompiledPack& pack,
                                    const std::vector<std::uint32_t>& slots);

}  // namespace assay
