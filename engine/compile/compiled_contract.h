// A kernel contract with its expressions compiled. Immutable, safe to share between threads.
#pragma once

#include <vector>

#include "engine/compile/contract_plan.h"
#include "engine/compile/expression_compiler.h"
#include "engine/compile/message_template.h"
#include "engine/model/tensor_contract.h"
#include "engine/text/result.h"

namespace assay {

struct CompiledTensor {
  std::vector<Predicate> extents;  // int; as ContractTensor::shape
  std::vector<Predicate> strides;  // int; as ContractTensor::strides, without those left open
};

struct CompiledClause {
  std::optional<Predicate> require;  // bool
  MessageTemplate message;
};

struct CompiledContract {
  TensorContract source;
  // Dimensions and scalars by name; of each tensor t: `t` itself, which only has(t) reads,
  // `t.shape` (list<int>), `t.dtype` and `t.device` (string). In clauses over tensors also `name`,
  // `tensor.*` and `expected.shape`, `expected.dtype` (string: as the message prints them), and
  // `value`, one value of `values_of`.
  Environment names;
  std::vector<CompiledTensor> tensors;  // as source.tensors
  std::vector<CompiledClause> clauses;  // as source.clauses
  ContractPlan plan;
};

// Errors: those of compile_expression and compile_message at their places; invalid_value for a
// dimension that no tensor's shape binds, a device that is none, and more names than a check holds.
// All are reported together.
Result<CompiledContract> compile_contract(TensorContract contract);

}  // namespace assay
