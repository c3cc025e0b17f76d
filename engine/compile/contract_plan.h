// A contract laid out for checking calls: the tensor table as numbers, and the clauses as the order
// of questions that the engine's wrapper asks. Flat, immutable, safe to share between threads.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "engine/compile/integer_expression.h"
#include "engine/model/tensor_contract.h"
#include "engine/model/tensor_view.h"
#include "engine/model/value.h"

namespace assay {

// Keeps the arrays of a check on the stack.
inline constexpr std::size_t kMaxContractTensors = 64;
inline constexpr std::size_t kMaxContractNames = 64;  // dimensions and scalars together
inline constexpr std::size_t kMaxContractSlots = kMaxContractTensors + kMaxContractNames;

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

// The table once more without indirections: what a legal call is recognised by. Every extent is the
// number of a slot, those of constants too, so that nothing asks of what kind it is.
inline constexpr std::size_t kMaxContractConstants = 64;  // their slots follow all others
inline constexpr std::size_t kFastSlots = kMaxContractSlots + kMaxContractConstants;
inline constexpr std::uint32_t kOpenExtent = 0xffffffffu;  // no slot: see FastPlan::computed

struct FastTensor {
  std::uint32_t first_extent = 0;
  std::uint32_t rank = 0;
  std::uint32_t first_dtype = 0;
  std::uint32_t dtypes = 0;
  std::int64_t elements = -1;       // in place of extents
  std::uint32_t element_bytes = 0;  // of its only dtype, a power of two; 0: ask the tensor
  std::uint32_t only_dtype = 0;     // where element_bytes is not 0
  std::uint32_t low_bits = 0;       // of the address that are 0, by the alignment asked for
  std::int32_t device_type = 0;
  bool is_optional = false;
  bool is_contiguous = true;
  bool is_written = false;
  bool has_open_extent = false;
  bool is_packed = false;  // contiguous, rank 1 to 4, all extents in slots
};

// Where a dimension is read from: a tensor that every call has.
struct FastBinding {
  std::uint32_t tensor = 0;
  std::uint32_t axis = 0;
};

struct FastScalar {
  ValueKind kind{};                           // boolean, integer or real
  std::optional<std::int64_t> default_value;  // 0 for a real one: nothing reads it
};

// An extent or a stride that may read dimensions of later tensors.
struct FastComputed {
  std::uint32_t tensor = 0;
  std::uint32_t axis = 0;
  bool is_stride = false;
  bool is_at_least = false;
  IntegerExpression expression;
};

// Operands of a clause's outermost `&&`s about one slot, as numbers: least <= slot <= most, and
// none of `bits` set in it, which is how a multiple of a power of two is told (a division takes
// some 40 clocks).
struct FastRange {
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  std::int64_t bits = 0;
  std::uint32_t slot = 0;
  std::uint32_t clause = 0;
  ContractProfile profile{};  // the clause's
};

// An operand that is no range.
struct FastTest {
  bool is_among = false;  // slot is one of `count` of FastPlan::numbers; else an expression is true
  ContractProfile profile{};
  std::uint32_t clause = 0;
  std::uint32_t slot = 0;
  std::uint32_t first = 0;  // in FastPlan::numbers or FastPlan::expressions
  std::uint32_t count = 0;
};

struct FastPair {
  std::uint8_t first = 0;
  std::uint8_t second = 0;
};
static_assert(kMaxContractTensors <= 256);

struct FastPlan {
  std::vector<FastTensor> tensors;
  std::vector<std::uint32_t> extents;   // slots, or kOpenExtent
  std::vector<std::int64_t> constants;  // in slots from kMaxContractSlots on
  std::vector<std::uint32_t> bounded;   // slots of extents: must be in [1, 2^31)
  std::vector<std::uint32_t> dtypes;    // ElementType::number
  std::vector<FastBinding> bindings;    // by dimension
  std::vector<FastScalar> scalars;
  std::vector<FastComputed> computed;
  std::vector<FastRange> ranges;
  std::vector<FastTest> tests;
  std::vector<std::int64_t> numbers;
  std::vector<IntegerExpression> expressions;
  std::vector<std::uint32_t> written;    // tensors that share no byte with any other
  std::vector<std::uint32_t> unwritten;  // the others
  std::vector<FastPair> distinct;        // not the same start; neither is written
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
