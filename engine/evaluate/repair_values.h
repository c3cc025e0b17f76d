// Which values of an argument are worth trying when a rule that reads it is violated.
#pragma once

#include <vector>

#include "engine/evaluate/facts.h"
#include "engine/text/document.h"

namespace assay {

// Values other than the one in force, the most promising first: those the rule names itself, other
// choices, the default, and for numbers those on the other side of the comparisons the rule can
// make: its constants and the values of the other numbers it reads, their neighbours, multiples
// and divisors. At most `kMaxValues`.
inline constexpr std::size_t kMaxValues = 24;
std::vector<Node> values_to_try(const CompiledRule& rule, FactId fact, const FactTable& table);

}  // namespace assay
