// A call of a kernel, as its contract sees it: metadata of the tensors and values of the scalars.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "engine/compile/compiled_contract.h"
#include "engine/model/tensor_view.h"
#include "engine/model/value.h"

namespace assay {

struct KernelCall {
  std::span<const TensorView* const> tensors;  // as TensorContract::tensors; null: not given
  std::span<const Value> scalars;  // as TensorContract::scalars; null: not given, so the default
  std::string_view back_end;       // clauses limited to others are left out; empty: none are
};

// The scalar's value or its default; null where there is neither, or it has another type.
Value scalar_value(const ContractScalar& scalar, const Value& given);

inline bool applies_to(const ContractClause& clause, std::string_view back_end) {
  if (clause.back_ends.empty() || back_end.empty()) return true;
  for (const std::string& name : clause.back_ends)
    if (name == back_end) return true;
  return false;
}

inline bool includes(ContractProfile all, ContractProfile part) {
  return (static_cast<unsigned>(all) & static_cast<unsigned>(part)) != 0;
}

// Whether the call breaks nothing of the profile. False may also mean that the question needs
// `check_contract` (contract_checker.h): true is always final. Allocates nothing, takes no lock,
// reads no tensor's data. Any metadata is allowed; spans must be as long as they say. `call` has as
// many tensors and scalars as the contract.
bool is_plainly_legal(const CompiledContract& contract, const KernelCall& call,
                      ContractProfile profile) noexcept;

}  // namespace assay
