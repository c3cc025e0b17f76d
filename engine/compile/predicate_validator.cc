// One pass over the code from its first instruction to its last, with the depth of the stack at
// each. All jumps go forward, except those of loops, whose shape is fixed: loop_begin, loop_next,
// the body, loop_step, loop_end, each naming the others. So when an instruction is reached, every
// jump to it has been seen, and the depths must agree. What is inside of a loop neither leaves it
// nor takes values from below its variables, and nothing jumps into it; the three values of the
// loop itself can be read by nobody else.
//
// Values are copied, compared and printed by recursion, so what may nest them is counted: lists,
// maps, calls, loops. The compiler bounds the same more exactly, by 500 a path.
#include "engine/compile/predicate_validator.h"

#include <algorithm>
#include <array>
#include <vector>

#include "engine/compile/cel_functions.h"

namespace assay {
namespace {

constexpr std::size_t kMaxNesting = 4000;
constexpr std::size_t kMaxCode = 1u << 20;
constexpr std::uint32_t kMaxStack = 1u << 20;

// How many arguments each function takes.
class FunctionArities {
 public:
  FunctionArities() {
    for (const FunctionOverload& overload : function_overloads()) {
      Arity& arity = arities_[static_cast<std::size_t>(overload.id)];
      if (overload.is_variadic())
        arity.is_variadic = true;
      else if (overload.parameter_count() < 32)
        arity.counts |= 1u << overload.parameter_count();
    }
  }
  bool takes(std::uint32_t function, std::uint32_t arguments) const {
    if (function >= arities_.size()) return false;
    const Arity& arity = arities_[function];
    return (arity.is_variadic && arguments > 0) ||
           (arguments < 32 && (arity.counts >> arguments & 1) != 0);
  }

 private:
  struct Arity {
    std::uint32_t counts = 0;
    bool is_variadic = false;
  };
  std::array<Arity, static_cast<std::size_t>(FunctionId::count)> arities_{};
};

struct Loop {
  std::uint32_t base = 0;
  std::uint32_t next = 0;  // index of its loop_next
  std::uint32_t end = 0;   // ... and of its loop_end
  std::uint32_t variables = 0;
  std::uint32_t floor() const { return base + 3 + variables; }
};

class Walk {
 public:
  Walk(const std::vector<Instruction>& code, const std::vector<Value>& constants,
       std::size_t pattern_count, std::uint32_t slot_count)
      : code_(code),
        constants_(constants),
        pattern_count_(pattern_count),
        slot_count_(slot_count) {}

  std::optional<std::uint32_t> run() {
    if (code_.empty() || code_.size() > kMaxCode) return std::nullopt;
    depths_.assign(code_.size() + 1, kUnreached);
    depths_[0] = 0;
    for (at_ = 0; at_ < code_.size(); ++at_) {
      depth_ = depths_[at_];
      if (depth_ == kUnreached || !step(code_[at_])) return std::nullopt;
    }
    if (!loops_.empty() || depths_.back() != 1 || nesting_ > kMaxNesting) return std::nullopt;
    return highest_;
  }

 private:
  static constexpr std::uint32_t kUnreached = 0xffffffffu;

  // How low the stack may fall here, and where code that belongs together ends.
  std::uint32_t floor() const { return loops_.empty() ? 0 : loops_.back().floor(); }
  std::uint32_t limit() const {
    return loops_.empty() ? static_cast<std::uint32_t>(code_.size()) : loops_.back().end - 1;
  }

  bool reach(std::uint32_t target, std::uint32_t depth) {
    if (target >= depths_.size() || depth > kMaxStack) return false;
    if (depths_[target] != kUnreached && depths_[target] != depth) return false;
    depths_[target] = depth;
    highest_ = std::max(highest_, depth);
    return true;
  }
  // Takes values off the stack and puts others there, then goes on.
  bool exchange(std::uint64_t taken, std::uint32_t put) {
    return depth_ >= floor() + taken &&
           reach(at_ + 1, depth_ - static_cast<std::uint32_t>(taken) + put);
  }
  bool jump(std::uint32_t target, std::uint32_t depth) {
    return target > at_ && target <= limit() && depth >= floor() && reach(target, depth);
  }
  bool is_name(std::uint32_t constant) const {
    return constant < constants_.size() && constants_[constant].is(ValueKind::string);
  }

  bool step(const Instruction& one) {
    if (!loops_.empty() && at_ + 1 == loops_.back().end && one.opcode != Opcode::loop_step)
      return false;
    switch (one.opcode) {
      case Opcode::push_constant:
        return one.operand < constants_.size() && exchange(0, 1);
      case Opcode::push_slot:
        return one.operand < slot_count_ && exchange(0, 1);
      case Opcode::push_local:
        return may_read(one.operand) && exchange(0, 1);
      case Opcode::drop_below:
        return exchange(std::uint64_t{one.operand} + 1, 1);
      case Opcode::negate:
      case Opcode::logical_not:
        return exchange(1, 1);
      case Opcode::select:
      case Opcode::has:
        return is_name(one.operand) && exchange(1, 1);
      case Opcode::match_pattern:
        return one.operand < pattern_count_ && exchange(1, 1);
      case Opcode::make_list:
        ++nesting_;
        return exchange(one.operand, 1);
      case Opcode::make_map:
        ++nesting_;
        return exchange(2 * std::uint64_t{one.operand}, 1);
      case Opcode::call:
        ++nesting_;
        return arities().takes(one.operand, one.base) && exchange(one.base, 1);
      case Opcode::jump:
      case Opcode::jump_if_false:
      case Opcode::jump_if_true:
      case Opcode::choose:
        return branch(one);
      case Opcode::loop_begin:
      case Opcode::loop_next:
      case Opcode::loop_filter:
      case Opcode::loop_step:
      case Opcode::loop_end:
        return loop(one);
      default:
        return one.opcode < Opcode::loop_begin && exchange(2, 1);
    }
  }

  static const FunctionArities& arities() {
    static const FunctionArities arities;
    return arities;
  }

  bool may_read(std::uint32_t position) const {
    return position < depth_ && std::none_of(loops_.begin(), loops_.end(), [&](const Loop& loop) {
             return position >= loop.base && position < loop.base + 3;
           });
  }

  bool branch(const Instruction& one) {
    if (one.opcode == Opcode::jump) return jump(one.operand, depth_);
    if (depth_ < floor() + 1) return false;
    if (one.opcode == Opcode::choose)
      return at_ + 2 <= limit() && reach(at_ + 1, depth_) && jump(at_ + 2, depth_ - 1) &&
             jump(one.operand, depth_ - 1);
    return jump(one.operand, depth_) && reach(at_ + 1, depth_);
  }

  bool loop(const Instruction& one) {
    if (one.opcode == Opcode::loop_begin) return begin_loop(one);
    if (loops_.empty() || one.base != loops_.back().base) return false;
    const Loop inner = loops_.back();
    switch (one.opcode) {
      case Opcode::loop_next:
        return at_ == inner.next && reach(at_ + 1, inner.floor()) &&
               reach(inner.end, inner.base + 3);
      case Opcode::loop_filter:
        return one.operand == inner.next && depth_ == inner.floor() + 1 &&
               reach(at_ + 1, inner.floor());
      case Opcode::loop_step:
        return at_ + 1 == inner.end && depth_ == inner.floor() + 1 &&
               reach(at_ + 1, inner.base + 3);
      default:
        if (at_ != inner.end) return false;
        loops_.pop_back();
        return reach(at_ + 1, inner.base + 1);
    }
  }

  // Everything about a loop's shape is settled where it begins.
  bool begin_loop(const Instruction& begin) {
    ++nesting_;
    if (depth_ < floor() + 1 || begin.base != depth_ - 1) return false;
    if (begin.operand > limit() || begin.operand < at_ + 5) return false;
    const std::uint32_t end = begin.operand - 1;
    const Instruction& next = code_[at_ + 1];
    const Instruction& step = code_[end - 1];
    const Instruction& last = code_[end];
    const auto belongs = [&](const Instruction& one, Opcode opcode) {
      return one.opcode == opcode && one.base == begin.base;
    };
    const bool is_of_one_kind = begin.small <= static_cast<std::uint8_t>(LoopKind::merge_map) &&
                                step.small == begin.small && last.small == begin.small;
    if (!belongs(next, Opcode::loop_next) || !belongs(step, Opcode::loop_step) ||
        !belongs(last, Opcode::loop_end) || !is_of_one_kind)
      return false;
    if (next.operand != end || step.operand != at_ + 1 || next.small < 1 || next.small > 2)
      return false;
    for (std::uint32_t inside = at_ + 1; inside <= end; ++inside)
      if (depths_[inside] != kUnreached) return false;  // something jumps into it
    loops_.push_back({begin.base, at_ + 1, end, next.small});
    return reach(at_ + 1, begin.base + 3) && reach(begin.operand, begin.base + 1);
  }

  const std::vector<Instruction>& code_;
  const std::vector<Value>& constants_;
  const std::size_t pattern_count_;
  const std::uint32_t slot_count_;
  std::vector<std::uint32_t> depths_;
  std::vector<Loop> loops_;
  std::uint32_t at_ = 0;
  std::uint32_t depth_ = 0;
  std::uint32_t highest_ = 0;
  std::size_t nesting_ = 0;
};

}  // namespace

std::optional<std::uint32_t> find_stack_size(const std::vector<Instruction>& code,
                                             const std::vector<Value>& constants,
                                             std::size_t pattern_count, std::uint32_t slot_count) {
  return Walk(code, constants, pattern_count, slot_count).run();
}

}  // namespace assay
