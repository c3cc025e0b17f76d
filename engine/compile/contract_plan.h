// A contract laid out for checking calls: the tensor table as numbers, and the clauses as the order
// of questions that the engine's wrapper asks. Flat, immutable, safe to share between threads.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/compile/fast_plan.h"
#include "engine/compile/integer_expression.h"
#include "engine/model/tensor_contract.h"
#include "engine/model/tensor_view.h"

namespace assay {

struct PlannedExtent {
  enum class Kind : std::uint8_t {
    constant,
    dimension,  // slot: bound by the first tensor given that has it, compared by the others
    computed,
  };
  Kind kind = Kind::constant;
  bool is_at_least = false;
  std::uint32_t slot = 0;
  std::int64_t value = 0;
  std::optional<IntegerExpression> expression;  // computed; none: it needs more of CEL
};

struct PlannedStride {
  bool is_any = true;
  std::optional<IntegerExpression> expression;
  std::size_t predicate = 0;  // in CompiledTensor::strides
};

struct PlannedTensor {
  std::vector<ElementType> dtypes;
  std::int32_t device_type = 0;  // 0: any
  std::vector<PlannedExtent> extents;
  std::vector<PlannedStride> strides;
  // Bit p: some clause checks TensorProperty p of this tensor, and so words its violation.
  std::uint32_t worded = 0;

  bool is_worded(TensorProperty property) const {
    return (worded >> static_cast<unsigned>(property) & 1) != 0;
  }
};

// One question: a clause, for one tensor where it is judged tensor by tensor.
struct ContractStep {
  static constexpr std::uint32_t kNoTensor = 0xffffffffu;
  std::uint32_t clause = 0;
  std::uint32_t tensor = kNoTensor;
};

struct ContractPlan {
  // Slots of IntegerExpression: dimensions, scalars, then for each tensor whether it is given.
  std::uint32_t first_scalar = 0;
  std::uint32_t first_presence = 0;
  std::vector<PlannedTensor> tensors;  // as TensorContract::tensors
  std::vector<ContractStep> steps;     // in the engine's order; without the value clauses
  std::vector<std::optional<IntegerExpression>> requires_;  // as clauses; none: evaluate the CEL
  // Nothing in it needs more of CEL than IntegerExpression: a legal call is recognised without it.
  bool is_integral = true;
  FastPlan fast;  // when is_integral
};

}  // namespace assay
