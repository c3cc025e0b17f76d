// Lays a contract out as a FastPlan, from the rest of its plan.
#pragma once

#include "engine/compile/contract_plan.h"

namespace assay {

// Fills `plan.fast`, which needs all of the plan's expressions. False: a legal call cannot be
// recognised by it, since a scalar is of a type that is no number.
bool plan_fast(const TensorContract& source, ContractPlan& plan);

}  // namespace assay
