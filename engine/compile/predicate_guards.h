// What an expression needs in order not to be false, slot by slot: the rule index skips a rule when
// none of its guards holds.
#pragma once

#include <vector>

#include "engine/compile/predicate.h"

namespace assay {

// The guards of `predicate`: unless at least one of them holds, or the slot of one of them is
// unknown or an error, the expression evaluates to false (not to an error, not to unknown). Empty:
// nothing is known. `equals_one_of` holds when the slot's value is one of the literals,
// `differs_from` when it is none of them; literals have the kind of the slot's declared type (or
// are null), and null compares equal to null only.
inline const std::vector<SlotGuard>& guards(const Predicate& predicate) {
  return predicate.guards();
}

// Whether `value` (of the guard's slot) makes the guard hold; unknown and error always do.
bool holds(const SlotGuard& guard, const Value& value);

}  // namespace assay
