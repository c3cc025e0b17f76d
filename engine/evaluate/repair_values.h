// Which values of an argument are worth trying when a rule that reads it is violated.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/evaluate/facts.h"
#include "engine/text/document.h"

namespace assay {

// Values other than the one in force, the most promising first: those the rule names itself, other
// choices, the default, and for numbers those on the other side of the comparisons the rule can
// make: its constants and the values of the other numbers it reads, their neighbours, multiples
// and divisors. At most `kMaxValues`.
inline constexpr std::size_t kMaxValues = 24;
struct ValueToTry {
  Node value;
  std::uint32_t order = 0;  // how far it is from the value in force: tenths of it for a number
};
std::vector<ValueToTry> values_to_try(const CompiledRule& rule, FactId fact, FactTable& table);

}  // namespace assay
