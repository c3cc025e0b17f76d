// A compiled expression: flat data, printable, immutable after compilation, safe to share between
// threads. A stack machine runs it (evaluate/predicate_evaluator.h): an instruction takes its
// operands from the top of the value stack and leaves one result there. `&&`, `||` and `?:` are
// jumps. The stack's depth at each instruction is known when compiling, so a comprehension's
// variables are stack positions.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/compile/pattern_cel.h"
#include "engine/model/type.h"
#include "engine/model/value.h"

namespace assay {

inline constexpr std::uint32_t kNoSlot = 0xffffffffu;

enum class Opcode : std::uint8_t {
  push_constant,  // operand: constant
  push_slot,      // operand: slot
  push_local,     // operand: stack position
  drop_below,     // operand: how many values under the top to remove
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  in,
  add,
  subtract,
  multiply,
  divide,
  remainder,
  negate,
  logical_not,
  index,
  select,         // operand: constant, the field's name
  has,            // operand: constant, the field's name
  make_list,      // operand: number of elements
  make_map,       // operand: number of entries (key, value, key, value, ...)
  jump,           // operand: target, as for all jumps: index of an instruction
  jump_if_false,  // the left operand of && is on top and stays there
  jump_if_true,   // the same of ||
  merge_and,      // combines both operands of && that did not decide alone
  merge_or,
  choose,  // condition of ?: on top. true: removes it, skips the next instruction; false: removes
           // it, jumps; anything else becomes the result, the next instruction jumps to the end
  call,    // base: number of arguments; operand: FunctionId
  match_pattern,  // operand: pattern
  // Comprehensions. `base` is a stack position: range, counter and result so far stand there, then
  // the variables. All but loop_begin leave the stack at base + 3 when they go on.
  loop_begin,  // base; small: LoopKind; operand: after loop_end, for a range that is no list or map
  loop_next,   // base; small: number of variables; operand: loop_end
  loop_filter,  // base; operand: loop_next: taken unless the condition on top is true
  loop_step,    // base; small: LoopKind; operand: loop_next; falls through when decided
  loop_end,     // base; small: LoopKind
};

enum class LoopKind : std::uint8_t {
  all,
  exists,
  exists_one,
  build_list,
  keep_elements,
  build_map,  // the key stays, the body is the new value
  merge_map,  // the body is a map whose entries are added
};

struct Instruction {
  Opcode opcode;
  std::uint8_t small = 0;
  std::uint16_t base = 0;
  std::uint32_t operand = 0;
};
static_assert(sizeof(Instruction) == 8);

// A necessary condition on one slot, see compile/predicate_guards.h.
struct SlotGuard {
  enum class Kind : std::uint8_t { equals_one_of, differs_from };
  Kind kind = Kind::equals_one_of;
  std::uint32_t slot = 0;
  std::vector<Value> literals;  // of the slot's declared type, or null; they live in the Predicate
};

class Predicate {
 public:
  const Type& type() const { return type_; }
  // Slots the expression reads, sorted, unique; presence and given slots included.
  const std::vector<std::uint32_t>& slots() const { return slots_; }

  // What the evaluator and the rule index need.
  const std::vector<Instruction>& code() const { return code_; }
  const std::vector<Value>& constants() const { return constants_; }
  const std::vector<CelPattern>& patterns() const { return patterns_; }
  // Not of a predicate that was read from a bundle: there the rule index has them.
  const std::vector<SlotGuard>& guards() const { return guards_; }
  std::uint32_t stack_size() const { return stack_size_; }

 private:
  friend class PredicateBuilder;  // compile/predicate_compiler.h
  friend struct PredicateFields;  // compile/bundle_fields.h

  Type type_;
  std::vector<std::uint32_t> slots_;
  std::vector<Instruction> code_;
  std::vector<Value> constants_;
  std::unique_ptr<Arena> memory_;  // what the constants look at
  std::vector<CelPattern> patterns_;
  std::vector<SlotGuard> guards_;
  std::uint32_t stack_size_ = 0;
};

std::string_view to_string(Opcode opcode);
// One instruction a line, for tests and for people: "0003 push_constant \"fa3\"".
std::string print_predicate(const Predicate& predicate);

}  // namespace assay
