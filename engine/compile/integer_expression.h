// The part of CEL that extents and most clauses of a contract are written in, over 64-bit integers
// and booleans: comparisons, arithmetic, `in` a list of literals, `&&`, `||`, `!`. It runs without
// values that own memory, in a few nanoseconds, and prints as C++. Results agree with `evaluate`.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/compile/predicate.h"

namespace assay {

enum class IntegerOp : std::uint8_t {
  constant,  // value
  slot,      // operand
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  add,
  subtract,
  multiply,
  divide,
  remainder,
  negate,
  logical_not,
  logical_and,
  logical_or,
  in_set,            // operand: which set
  slot_is,           // slot == value
  slot_is_above,     // slot > value
  slot_is_multiple,  // slot % value == 0, value positive
};

struct IntegerInstruction {
  IntegerOp op;
  std::uint32_t operand = 0;
  std::int64_t value = 0;
};

// A number that may be missing: not known, or not computable (overflow, division by zero).
struct IntegerResult {
  enum class State : std::uint8_t { value, error, unknown };
  std::int64_t value = 0;
  State state = State::value;
  bool is_true() const { return state == State::value && value != 0; }
};

class IntegerExpression {
 public:
  static constexpr std::size_t kMaxStack = 16;

  // `slot_map[slot]` is where a predicate's slot stands in the array given to `run`, kNoSlot: it is
  // no integer or boolean. Nothing for an expression that needs more of CEL, or a deeper stack.
  static std::optional<IntegerExpression> from(const Predicate& predicate,
                                               std::span<const std::uint32_t> slot_map);

  // `&&` and `||` absorb errors and unknowns as CEL's do.
  IntegerResult run(std::span<const IntegerResult> slots) const;
  // As `run`, where every slot is known. Nothing: it cannot be computed.
  std::optional<std::int64_t> run_known(const std::int64_t* slots) const {
    if (code_.size() == 1 && code_[0].op >= IntegerOp::slot_is)
      return run_fused(code_[0], slots[code_[0].operand]);
    return run_code(slots);
  }
  static bool run_fused(const IntegerInstruction& one, std::int64_t slot) {
    if (one.op == IntegerOp::slot_is) return slot == one.value;
    if (one.op == IntegerOp::slot_is_above) return slot > one.value;
    return slot % one.value == 0;
  }

  // What its outermost `&&`s join: all true when, and only when, it is true.
  std::vector<IntegerExpression> conjuncts() const;

  // As a C++ expression over `slot_names`; nothing where C++ would not give the same for every
  // input: arithmetic on slots that could overflow, a division by what is no literal.
  std::optional<std::string> to_cpp(std::span<const std::string> slot_names) const;

  const std::vector<IntegerInstruction>& code() const { return code_; }
  std::span<const std::int64_t> set(const IntegerInstruction& in_set) const {
    return sets_[in_set.operand];
  }

 private:
  void fuse();
  std::optional<std::int64_t> run_code(const std::int64_t* slots) const;

  std::vector<IntegerInstruction> code_;
  std::vector<std::vector<std::int64_t>> sets_;
};

}  // namespace assay
