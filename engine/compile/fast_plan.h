// The tensor table of a contract once more, without indirections: what a legal call is recognised
// by (engine/evaluate/legal_call_check.h). The numbers of a call stand in one array of slots:
// dimensions, scalars and whether each tensor is given, as IntegerExpression has them; then
// constants. Every extent is the number of a slot, so that nothing asks of what kind it is.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "engine/compile/integer_expression.h"
#include "engine/model/tensor_contract.h"
#include "engine/model/value.h"

namespace assay {

// Keeps the arrays of a check on the stack.
inline constexpr std::size_t kMaxContractTensors = 64;
inline constexpr std::size_t kMaxContractNames = 64;  // dimensions and scalars together
inline constexpr std::size_t kMaxContractSlots = kMaxContractTensors + kMaxContractNames;
inline constexpr std::size_t kMaxContractConstants = 64;

inline constexpr std::size_t kFirstConstantSlot = kMaxContractSlots;
inline constexpr std::size_t kFastSlots = kFirstConstantSlot + kMaxContractConstants;
inline constexpr std::uint32_t kOpenExtent = 0xffffffffu;  // no slot: see FastPlan::computed

using FastSlot = std::uint16_t;
static_assert(kFastSlots <= std::numeric_limits<FastSlot>::max());

// Where a dimension is read from: a tensor that every call has.
struct FastBinding {
  std::uint32_t tensor = 0;
  std::uint32_t axis = 0;
};

// An extent that is no dimension: in [1, 2^31) too where the tensor is given.
struct FastBound {
  std::uint32_t tensor = 0;
  std::uint32_t slot = 0;
};

struct FastScalar {
  ValueKind kind{};                           // boolean, integer or real
  std::optional<std::int64_t> default_value;  // 0 for a real one: nothing reads it
};

// Most tensors: without gaps, of rank 1 to 4, with all extents in slots and one element type, whose
// size is a power of two.
inline constexpr std::size_t kMaxPackedRank = 4;
struct PackedTensor {
  std::array<FastSlot, kMaxPackedRank> extents{};
  std::uint32_t dtype = 0;  // ElementType::number
  std::uint8_t tensor = 0;
  bool is_optional = false;
  std::int64_t element_bytes = 0;
  std::uint64_t low_bits = 0;  // of the address that are 0, by the alignment asked for
};

// One element, of whatever rank, with one element type as above.
struct SingleTensor {
  std::uint32_t dtype = 0;
  std::uint8_t tensor = 0;
  bool is_optional = false;
  std::int64_t element_bytes = 0;
  std::uint64_t low_bits = 0;
};

// Every other one.
struct FastTensor {
  std::uint32_t tensor = 0;
  std::uint32_t first_extent = 0;  // in FastPlan::extents
  std::uint32_t rank = 0;
  std::uint32_t first_dtype = 0;  // in FastPlan::dtypes
  std::uint32_t dtypes = 0;
  std::int64_t elements = -1;  // in place of extents
  std::uint64_t low_bits = 0;
  bool is_optional = false;
  bool is_contiguous = true;
};

// An extent or a stride that may read dimensions of later tensors.
struct FastComputed {
  std::uint32_t tensor = 0;
  std::uint32_t axis = 0;
  bool is_stride = false;
  bool is_at_least = false;
  IntegerExpression expression;
};

// Operands of clauses' outermost `&&`s about one slot, as numbers: least <= slot <= most, and none
// of `bits` set in it, which is how a multiple of a power of two is told (a division takes some 40
// clocks). Clauses of one profile that hold for all back ends share one.
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

// Two tensors, neither of them written, that a clause wants to start at different addresses.
struct FastPair {
  std::uint32_t first = 0;
  std::uint32_t second = 0;
  std::uint32_t clause = 0;
  ContractProfile profile{};  // the clause's
};

// A tensor that a clause wants on one kind of device. The table by itself does not ask for it.
struct FastDevice {
  std::uint32_t tensor = 0;
  std::int32_t type = 0;
  std::uint32_t clause = 0;
  ContractProfile profile{};  // the clause's
};
static_assert(kMaxContractTensors <= 256);  // PackedTensor::tensor

struct FastPlan {
  std::vector<FastBinding> bindings;  // by dimension
  std::vector<FastScalar> scalars;
  std::vector<std::uint32_t> presence;  // tensors of which an expression asks: are they given?
  std::vector<std::int64_t> constants;
  std::vector<FastBound> bounded;
  std::array<std::vector<PackedTensor>, kMaxPackedRank> packed;  // by rank - 1
  std::vector<SingleTensor> singles;
  std::vector<FastTensor> others;
  std::vector<std::uint32_t> extents;  // of `others`: slots, or kOpenExtent
  std::vector<std::uint32_t> dtypes;   // of `others`: ElementType::number
  std::vector<FastComputed> computed;
  std::vector<FastDevice> devices;
  ContractProfile device_profiles{};  // all that occur in them
  std::vector<FastRange> ranges;
  std::vector<FastTest> tests;
  std::vector<std::int64_t> numbers;
  std::vector<IntegerExpression> expressions;
  std::vector<std::uint32_t> written;    // tensors that share no byte with any other
  std::vector<std::uint32_t> unwritten;  // the others
  std::vector<FastPair> distinct;
};

}  // namespace assay
