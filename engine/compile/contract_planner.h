// Lays a compiled contract out for checking calls.
#pragma once

#include "engine/compile/compiled_contract.h"

namespace assay {

// `contract` is complete but for its plan, and within the limits of contract_plan.h.
ContractPlan plan_contract(const CompiledContract& contract);

}  // namespace assay
