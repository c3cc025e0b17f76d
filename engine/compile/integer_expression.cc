// The flat Predicate is in postfix order already; its jumps only skip what cannot change a result,
// so they are left out and both operands of `&&` and `||` are computed. Three shapes that nearly
// every clause is made of become one instruction each. An instruction's failure travels in the
// state beside its value.
#include "engine/compile/integer_expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace assay {
namespace {

using State = IntegerResult::State;

std::optional<std::int64_t> integer_of(const Value& value) {
  if (value.is(ValueKind::integer)) return value.as_integer();
  if (value.is(ValueKind::boolean)) return value.as_boolean() ? 1 : 0;
  return std::nullopt;
}

std::optional<IntegerOp> operator_of(Opcode opcode) {
  static constexpr auto kOperators = std::to_array<std::pair<Opcode, IntegerOp>>({
      {Opcode::equal, IntegerOp::equal},
      {Opcode::not_equal, IntegerOp::not_equal},
      {Opcode::less, IntegerOp::less},
      {Opcode::less_equal, IntegerOp::less_equal},
      {Opcode::greater, IntegerOp::greater},
      {Opcode::greater_equal, IntegerOp::greater_equal},
      {Opcode::add, IntegerOp::add},
      {Opcode::subtract, IntegerOp::subtract},
      {Opcode::multiply, IntegerOp::multiply},
      {Opcode::divide, IntegerOp::divide},
      {Opcode::remainder, IntegerOp::remainder},
      {Opcode::negate, IntegerOp::negate},
      {Opcode::logical_not, IntegerOp::logical_not},
      {Opcode::merge_and, IntegerOp::logical_and},
      {Opcode::merge_or, IntegerOp::logical_or},
  });
  for (const auto& [from, to] : kOperators)
    if (from == opcode) return to;
  return std::nullopt;
}

bool is_unary(IntegerOp op) { return op == IntegerOp::negate || op == IntegerOp::logical_not; }
bool is_load(IntegerOp op) {
  return op == IntegerOp::constant || op == IntegerOp::slot || op >= IntegerOp::slot_is;
}

// The set of a literal list that only `in` reads.
std::optional<std::vector<std::int64_t>> set_of(const Value& list) {
  std::vector<std::int64_t> set;
  for (const Value& item : list.as_list()) {
    const auto number = integer_of(item);
    if (!number) return std::nullopt;
    set.push_back(*number);
  }
  return set;
}

// False: it cannot be computed.
bool apply(IntegerOp op, std::int64_t a, std::int64_t b, std::int64_t& result) {
  switch (op) {
    case IntegerOp::equal:
      result = a == b;
      return true;
    case IntegerOp::not_equal:
      result = a != b;
      return true;
    case IntegerOp::less:
      result = a < b;
      return true;
    case IntegerOp::less_equal:
      result = a <= b;
      return true;
    case IntegerOp::greater:
      result = a > b;
      return true;
    case IntegerOp::greater_equal:
      result = a >= b;
      return true;
    case IntegerOp::add:
      return !__builtin_add_overflow(a, b, &result);
    case IntegerOp::subtract:
      return !__builtin_sub_overflow(a, b, &result);
    case IntegerOp::multiply:
      return !__builtin_mul_overflow(a, b, &result);
    case IntegerOp::divide:
      if (b == 0 || (b == -1 && a == std::numeric_limits<std::int64_t>::min())) return false;
      result = a / b;
      return true;
    case IntegerOp::remainder:
      if (b == 0) return false;
      result = b == -1 ? 0 : a % b;  // the processor's division would trap on the smallest number
      return true;
    default:
      return false;
  }
}

IntegerResult merge(IntegerOp op, IntegerResult a, IntegerResult b) {
  const std::int64_t decides = op == IntegerOp::logical_or ? 1 : 0;
  for (const IntegerResult side : {a, b})
    if (side.state == State::value && side.value == decides) return side;
  if (a.state == State::value) return b;
  if (b.state == State::value || a.state == State::unknown) return a;
  return b;
}

IntegerResult combine(IntegerOp op, IntegerResult a, IntegerResult b) {
  if (op == IntegerOp::logical_and || op == IntegerOp::logical_or) return merge(op, a, b);
  if (a.state != State::value) return a;
  if (b.state != State::value) return b;
  IntegerResult result;
  if (!apply(op, a.value, b.value, result.value)) result.state = State::error;
  return result;
}

void apply_unary(IntegerOp op, IntegerResult& top) {
  if (top.state != State::value) return;
  if (op == IntegerOp::logical_not)
    top.value = top.value == 0;
  else if (__builtin_sub_overflow(std::int64_t{0}, top.value, &top.value))
    top.state = State::error;
}

}  // namespace

std::optional<IntegerExpression> IntegerExpression::from(const Predicate& predicate,
                                                         std::span<const std::uint32_t> slot_map) {
  IntegerExpression expression;
  const std::vector<Instruction>& code = predicate.code();
  for (std::size_t i = 0; i < code.size(); ++i) {
    const Instruction& one = code[i];
    if (one.opcode == Opcode::jump_if_false || one.opcode == Opcode::jump_if_true) continue;
    if (one.opcode == Opcode::push_slot) {
      if (one.operand >= slot_map.size() || slot_map[one.operand] == kNoSlot) return std::nullopt;
      expression.code_.push_back({IntegerOp::slot, slot_map[one.operand]});
    } else if (one.opcode == Opcode::push_constant) {
      const Value& value = predicate.constants()[one.operand];
      if (value.is(ValueKind::list)) {
        if (i + 1 >= code.size() || code[i + 1].opcode != Opcode::in) return std::nullopt;
        auto set = set_of(value);
        if (!set) return std::nullopt;
        expression.code_.push_back(
            {IntegerOp::in_set, static_cast<std::uint32_t>(expression.sets_.size())});
        expression.sets_.push_back(std::move(*set));
        ++i;
        continue;
      }
      const auto number = integer_of(value);
      if (!number) return std::nullopt;
      expression.code_.push_back({IntegerOp::constant, 0, *number});
    } else if (const auto op = operator_of(one.opcode)) {
      expression.code_.push_back({*op});
    } else {
      return std::nullopt;
    }
  }
  if (predicate.stack_size() > kMaxStack) return std::nullopt;
  expression.fuse();
  return expression;
}

// slot c ==, slot c >, slot c % 0 ==.
void IntegerExpression::fuse() {
  std::vector<IntegerInstruction> fused;
  const auto is = [&](std::size_t at, IntegerOp op) {
    return at < code_.size() && code_[at].op == op;
  };
  for (std::size_t i = 0; i < code_.size(); ++i) {
    const bool begins = is(i, IntegerOp::slot) && is(i + 1, IntegerOp::constant);
    const std::int64_t value = begins ? code_[i + 1].value : 0;
    if (begins && is(i + 2, IntegerOp::equal)) {
      fused.push_back({IntegerOp::slot_is, code_[i].operand, value});
      i += 2;
    } else if (begins && is(i + 2, IntegerOp::greater)) {
      fused.push_back({IntegerOp::slot_is_above, code_[i].operand, value});
      i += 2;
    } else if (begins && value > 0 && is(i + 2, IntegerOp::remainder) &&
               is(i + 3, IntegerOp::constant) && code_[i + 3].value == 0 &&
               is(i + 4, IntegerOp::equal)) {
      fused.push_back({IntegerOp::slot_is_multiple, code_[i].operand, value});
      i += 4;
    } else {
      fused.push_back(code_[i]);
    }
  }
  code_ = std::move(fused);
}

std::vector<IntegerExpression> IntegerExpression::conjuncts() const {
  if (code_.back().op != IntegerOp::logical_and) return {*this};
  // The right operand ends before the `&&`; it begins where as many values are made as taken.
  std::size_t begin = code_.size() - 1;
  for (int wanted = 1; wanted > 0;) {
    const IntegerOp op = code_[--begin].op;
    if (is_load(op))
      --wanted;
    else if (!is_unary(op) && op != IntegerOp::in_set)
      ++wanted;
  }
  const auto middle = code_.begin() + static_cast<std::ptrdiff_t>(begin);
  IntegerExpression left = *this;
  IntegerExpression right = *this;
  left.code_.assign(code_.begin(), middle);
  right.code_.assign(middle, code_.end() - 1);
  std::vector<IntegerExpression> all = left.conjuncts();
  for (IntegerExpression& one : right.conjuncts()) all.push_back(std::move(one));
  return all;
}

IntegerResult IntegerExpression::run(std::span<const IntegerResult> slots) const {
  std::array<IntegerResult, kMaxStack> stack;
  std::size_t depth = 0;
  for (const IntegerInstruction& one : code_) {
    if (one.op == IntegerOp::constant) {
      stack[depth++] = {one.value, State::value};
    } else if (is_load(one.op)) {
      IntegerResult loaded = slots[one.operand];
      if (one.op != IntegerOp::slot && loaded.state == State::value)
        loaded.value = run_fused(one, loaded.value);
      stack[depth++] = loaded;
    } else if (one.op == IntegerOp::in_set) {
      IntegerResult& top = stack[depth - 1];
      const std::vector<std::int64_t>& set = sets_[one.operand];
      if (top.state == State::value)
        top.value = std::find(set.begin(), set.end(), top.value) != set.end();
    } else if (is_unary(one.op)) {
      apply_unary(one.op, stack[depth - 1]);
    } else {
      --depth;
      stack[depth - 1] = combine(one.op, stack[depth - 1], stack[depth]);
    }
  }
  return stack[0];
}

std::optional<std::int64_t> IntegerExpression::run_code(const std::int64_t* slots) const {
  std::array<std::int64_t, kMaxStack> stack;
  std::size_t depth = 0;
  for (const IntegerInstruction& one : code_) {
    if (one.op >= IntegerOp::slot_is) {
      stack[depth++] = run_fused(one, slots[one.operand]);
    } else if (one.op == IntegerOp::constant) {
      stack[depth++] = one.value;
    } else if (one.op == IntegerOp::slot) {
      stack[depth++] = slots[one.operand];
    } else if (one.op == IntegerOp::in_set) {
      const std::vector<std::int64_t>& set = sets_[one.operand];
      stack[depth - 1] = std::find(set.begin(), set.end(), stack[depth - 1]) != set.end();
    } else if (one.op == IntegerOp::logical_and || one.op == IntegerOp::logical_or) {
      --depth;
      stack[depth - 1] = one.op == IntegerOp::logical_and ? stack[depth - 1] & stack[depth]
                                                          : stack[depth - 1] | stack[depth];
    } else if (one.op == IntegerOp::logical_not) {
      stack[depth - 1] = stack[depth - 1] == 0;
    } else {
      const std::int64_t left = one.op == IntegerOp::negate ? 0 : stack[depth - 2];
      const IntegerOp op = one.op == IntegerOp::negate ? IntegerOp::subtract : one.op;
      const std::int64_t right = stack[depth - 1];
      if (one.op != IntegerOp::negate) --depth;
      // An error that `&&` or `||` would absorb is left to `run`.
      if (!apply(op, left, right, stack[depth - 1])) return std::nullopt;
    }
  }
  return stack[0];
}

std::optional<std::string> IntegerExpression::to_cpp(
    std::span<const std::string> slot_names) const {
  static constexpr std::array<std::string_view, 17> kTokens = {
      "", "", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "", "", "&&", "||"};
  std::vector<std::string> stack;
  for (const IntegerInstruction& one : code_) {
    if (one.op == IntegerOp::constant) {
      stack.push_back(std::to_string(one.value));
    } else if (one.op == IntegerOp::slot) {
      stack.push_back(slot_names[one.operand]);
    } else if (one.op >= IntegerOp::slot_is) {
      const std::string_view form = one.op == IntegerOp::slot_is         ? "({} == {})"
                                    : one.op == IntegerOp::slot_is_above ? "({} > {})"
                                                                         : "({} % {} == 0)";
      stack.push_back(fmt::format(fmt::runtime(form), slot_names[one.operand], one.value));
    } else if (one.op == IntegerOp::in_set) {
      std::string any;
      for (const std::int64_t item : sets_[one.operand])
        any += fmt::format("{}{} == {}", any.empty() ? "" : " || ", stack.back(), item);
      stack.back() = any.empty() ? "false" : "(" + any + ")";
    } else if (one.op == IntegerOp::logical_not) {
      stack.back() = "!" + stack.back();
    } else if (one.op >= IntegerOp::add && one.op <= IntegerOp::negate) {
      return std::nullopt;
    } else {
      const std::string right = std::move(stack.back());
      stack.pop_back();
      stack.back() =
          fmt::format("({} {} {})", stack.back(), kTokens[static_cast<std::size_t>(one.op)], right);
    }
  }
  return stack.at(0);
}

}  // namespace assay
