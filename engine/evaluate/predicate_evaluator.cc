// The stack machine. One switch over the opcodes; the pairs of kinds that nearly every rule has
// (strings and integers compared) are decided inline, everything else goes to value_operators.cc
// and function_table.cc. Cost is charged where work repeats or depends on sizes: per turn of a loop
// by the number of instructions in it, per element and byte in functions; straight-line code is
// bounded by the expression's size. Values stand in an array on the C++ stack unless the predicate
// needs more.
#include "engine/evaluate/predicate_evaluator.h"

#include "engine/compile/value_comparison.h"
#include "engine/evaluate/comprehension.h"
#include "engine/evaluate/evaluation_context.h"
#include "engine/evaluate/function_table.h"
#include "engine/evaluate/value_operators.h"

namespace assay {
namespace {

constexpr std::string_view kBudgetMessage = "the evaluation took more than it may (time or memory)";

struct SlotArray {
  std::span<const Value> values;
  const Value& get(std::uint32_t slot, EvaluationContext& /*context*/) const {
    ASSAY_CHECK(slot < values.size(), "every slot of a predicate has a value");
    return values[slot];
  }
};
struct SlotReader {
  const SlotSource& source;
  const Value& get(std::uint32_t slot, EvaluationContext& /*context*/) const {
    return source.get(source.self, slot);
  }
};
struct LazySlotReader {
  const LazySlots& source;
  const Value& get(std::uint32_t slot, EvaluationContext& context) const {
    ASSAY_CHECK(slot < source.values.size(), "every slot of a predicate has a value");
    if (source.is_pending[slot] != 0) context.leave_out([&] { source.compute(source.self, slot); });
    return source.values[slot];
  }
};

// Equality of the kinds that need no budget and cannot fail; false: use the general way.
bool equal_quickly(const Value& a, const Value& b, bool& result) {
  if (a.kind() != b.kind()) return false;
  if (a.is(ValueKind::string)) {
    result = a.as_text() == b.as_text();
    return true;
  }
  if (a.is(ValueKind::integer)) {
    result = a.as_integer() == b.as_integer();
    return true;
  }
  if (a.is(ValueKind::boolean)) {
    result = a.as_boolean() == b.as_boolean();
    return true;
  }
  return false;
}

// A result may share parts of itself ([a, a] where a is [b, b] where ...), and whoever copies or
// prints it sees it spread out: its size, spread out, is charged, so that it cannot be endless.
void charge_size(const Value& value, EvaluationContext& context) {
  if (value.is(ValueKind::list)) {
    for (const Value& item : value.as_list()) {
      context.charge(8);
      if (context.is_exhausted()) return;
      charge_size(item, context);
    }
  } else if (value.is(ValueKind::map)) {
    for (const MapEntry& entry : value.as_map()) {
      context.charge(8);
      if (context.is_exhausted()) return;
      charge_size(entry.key, context);
      charge_size(entry.value, context);
    }
  } else if (value.is(ValueKind::string) || value.is(ValueKind::bytes)) {
    context.charge(value.as_text().size() / 16);
  }
}

template <class Slots>
class Machine {
 public:
  Machine(const Predicate& predicate, const Slots& slots, EvaluationContext& context, Value* stack)
      : predicate_(predicate), slots_(slots), context_(context), stack_(stack), top_(stack) {}

  Value run() {
    const Instruction* const code = predicate_.code().data();
    const std::size_t size = predicate_.code().size();
    if (size == 0) return Value::error("there is no expression");
    std::size_t at = 0;
    while (at < size) {
      const Instruction& instruction = code[at];
      at = step(instruction, at);
    }
    if (stack_[0].kind() > ValueKind::real) charge_size(stack_[0], context_);
    if (context_.is_exhausted()) return Value::error(kBudgetMessage);
    return stack_[0];
  }

 private:
  Value& top(std::size_t below = 0) { return *(top_ - 1 - below); }
  void push(const Value& value) { *top_++ = value; }
  void replace_two(const Value& value) {
    --top_;
    top() = value;
  }
  std::span<const Value> top_values(std::size_t count) const { return {top_ - count, count}; }
  void replace(std::size_t count, const Value& value) {
    top_ -= count;
    push(value);
  }

  // Runs one instruction; the next one's index.
  std::size_t step(const Instruction& instruction, std::size_t at) {
    switch (instruction.opcode) {
      case Opcode::push_constant:
        push(predicate_.constants()[instruction.operand]);
        return at + 1;
      case Opcode::push_slot:
        push(slots_.get(instruction.operand, context_));
        return at + 1;
      case Opcode::push_local:
        push(stack_[instruction.operand]);
        return at + 1;
      case Opcode::equal:
      case Opcode::not_equal:
        equality(instruction.opcode);
        return at + 1;
      case Opcode::jump:
        return instruction.operand;
      case Opcode::jump_if_false:
        return top().is_false() ? instruction.operand : at + 1;
      case Opcode::jump_if_true:
        return top().is_true() ? instruction.operand : at + 1;
      case Opcode::merge_and:
        if (top(1).is_true() && top().is(ValueKind::boolean))
          replace_two(top());
        else
          replace_two(merge_and(top(1), top(), context_));
        return at + 1;
      case Opcode::merge_or:
        if (top(1).is_false() && top().is(ValueKind::boolean))
          replace_two(top());
        else
          replace_two(merge_or(top(1), top(), context_));
        return at + 1;
      case Opcode::choose:
        return choose(instruction, at);
      case Opcode::loop_begin:
      case Opcode::loop_next:
      case Opcode::loop_filter:
      case Opcode::loop_step:
      case Opcode::loop_end:
        return loop(instruction, at);
      default:
        apply(instruction);
        return at + 1;
    }
  }

  void equality(Opcode opcode) {
    bool result = false;
    if (equal_quickly(top(1), top(), result))
      replace_two(Value::boolean(result == (opcode == Opcode::equal)));
    else
      replace_two(apply_binary(opcode, top(1), top(), context_));
  }

  std::size_t choose(const Instruction& instruction, std::size_t at) {
    if (top().is(ValueKind::boolean)) {
      const bool condition = top().as_boolean();
      --top_;
      return condition ? at + 2 : instruction.operand;
    }
    if (!is_failure(top())) top() = context_.no_overload("_?_:_", {&top(), 1});
    return at + 1;
  }

  // Instructions that take values and leave one, without jumping.
  void apply(const Instruction& instruction) {
    switch (instruction.opcode) {
      case Opcode::logical_not:
        if (top().is(ValueKind::boolean))
          top() = Value::boolean(!top().as_boolean());
        else if (!is_failure(top()))
          top() = context_.no_overload("!_", {&top(), 1});
        return;
      case Opcode::negate:
        top() = negate(top(), context_);
        return;
      case Opcode::select:
        top() = select_field(top(), predicate_.constants()[instruction.operand], context_);
        return;
      case Opcode::has:
        top() = has_field(top(), predicate_.constants()[instruction.operand], context_);
        return;
      case Opcode::drop_below:
        top(instruction.operand) = top();
        top_ -= instruction.operand;
        return;
      case Opcode::make_list:
        return replace(instruction.operand, make_list(top_values(instruction.operand)));
      case Opcode::make_map:
        return replace(2 * std::size_t{instruction.operand},
                       make_map(top_values(2 * std::size_t{instruction.operand}), context_));
      case Opcode::call:
        return replace(instruction.base, call(instruction));
      case Opcode::match_pattern:
        top() = match(top(), predicate_.patterns()[instruction.operand]);
        return;
      default:
        return replace_two(apply_binary(instruction.opcode, top(1), top(), context_));
    }
  }

  Value make_list(std::span<const Value> items) {
    const Value failure = context_.strict_failure(items);
    if (is_failure(failure)) return failure;
    auto* memory = context_.allocate<Value>(items.size());
    if (memory == nullptr) return {};
    std::copy(items.begin(), items.end(), memory);
    return Value::list({memory, items.size()});
  }

  Value call(const Instruction& instruction) {
    const std::span<const Value> arguments = top_values(instruction.base);
    const Value failure = context_.strict_failure(arguments);
    if (is_failure(failure)) return failure;
    return call_function(static_cast<FunctionId>(instruction.operand), arguments, context_);
  }

  Value match(const Value& text, const CelPattern& pattern) {
    if (is_failure(text)) return text;
    if (!text.is(ValueKind::string)) return context_.no_overload("matches", {&text, 1});
    if (!pattern.error().empty()) return context_.error("invalid pattern: " + pattern.error());
    context_.charge(4 * text.as_text().size());
    return Value::boolean(pattern.matches(text.as_text()));
  }

  std::size_t loop(const Instruction& instruction, std::size_t at) {
    Value* const frame = stack_ + instruction.base;
    const auto kind = static_cast<LoopKind>(instruction.small);
    switch (instruction.opcode) {
      case Opcode::loop_begin:
        if (!begin_loop(kind, frame, context_)) return instruction.operand;
        top_ = frame + 3;
        return at + 1;
      case Opcode::loop_next:
        context_.charge(instruction.operand - at);
        if (context_.is_exhausted() || !next_turn(frame, instruction.small))
          return instruction.operand;
        top_ = frame + 3 + instruction.small;
        return at + 1;
      case Opcode::loop_filter:
        if (top().is_true()) {
          --top_;
          return at + 1;
        }
        if (!top().is_false()) fail_turn(frame, top(), context_);
        top_ = frame + 3;
        return instruction.operand;
      case Opcode::loop_step: {
        const bool goes_on = take_turn(kind, frame, top(), context_);
        top_ = frame + 3;
        return goes_on ? instruction.operand : at + 1;
      }
      default:
        end_loop(kind, frame);
        top_ = frame + 1;
        return at + 1;
    }
  }

  const Predicate& predicate_;
  const Slots& slots_;
  EvaluationContext& context_;
  Value* const stack_;
  Value* top_;
};

template <class Slots>
Value run(const Predicate& predicate, const Slots& slots, Arena& working_memory,
          const EvaluationLimits& limits) {
  EvaluationContext context(working_memory, limits);
  constexpr std::size_t kInlineStack = 48;
  if (predicate.stack_size() <= kInlineStack) {
    // Not initialised (768 bytes of stores cost more than a small predicate): every value is
    // written before it is read, since the compiler knows the depth at each instruction.
    alignas(Value) std::byte memory[kInlineStack * sizeof(Value)];
    auto* stack = reinterpret_cast<Value*>(memory);
    return Machine<Slots>(predicate, slots, context, stack).run();
  }
  auto* stack = context.allocate<Value>(predicate.stack_size());
  if (stack == nullptr) return Value::error(kBudgetMessage);
  return Machine<Slots>(predicate, slots, context, stack).run();
}

}  // namespace

Value evaluate(const Predicate& predicate, std::span<const Value> slots, Arena& working_memory,
               const EvaluationLimits& limits) {
  return run(predicate, SlotArray{slots}, working_memory, limits);
}

Value evaluate(const Predicate& predicate, const SlotSource& slots, Arena& working_memory,
               const EvaluationLimits& limits) {
  return run(predicate, SlotReader{slots}, working_memory, limits);
}

Value evaluate(const Predicate& predicate, const LazySlots& slots, Arena& working_memory,
               const EvaluationLimits& limits) {
  return run(predicate, LazySlotReader{slots}, working_memory, limits);
}

bool is_budget_error(const Value& value) {
  return value.is(ValueKind::error) && value.as_text().data() == kBudgetMessage.data();
}

}  // namespace assay
