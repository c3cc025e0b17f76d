// Puts an example's facts into a table of facts.
#pragma once

#include "engine/evaluate/facts.h"
#include "engine/model/rule.h"

namespace assay {

// `table` is reset first. Arguments get their values as if they had been typed, everything else as
// if it had been given. Faults (unknown_fact, invalid_value) are appended.
void load_example(const RuleExample& example, FactTable& table, Diagnostics& faults);

}  // namespace assay
