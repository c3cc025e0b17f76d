// What one evaluation has left, and where its values live.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "engine/evaluate/predicate_evaluator.h"
#include "engine/model/value.h"

namespace assay {

// Once the cost or the memory is used up, `is_exhausted` holds for good: whoever could not allocate
// returns any value, and the evaluator answers with `budget_error` in the end.
class EvaluationContext {
 public:
  EvaluationContext(Arena& memory, const EvaluationLimits& limits)
      : memory_(memory),
        memory_begin_(memory.used_bytes()),
        max_memory_bytes_(limits.max_memory_bytes),
        cost_left_(std::max<std::uint64_t>(limits.max_cost, 1)) {}

  bool is_exhausted() const { return cost_left_ == 0; }
  void charge(std::uint64_t cost) { cost_left_ -= std::min(cost_left_, cost); }
  // Calls `work`; what it takes of the memory is not charged to this evaluation.
  template <class Work>
  void leave_out(Work&& work) {
    const std::size_t before = memory_.used_bytes();
    work();
    memory_begin_ += memory_.used_bytes() - before;
  }
  std::uint64_t& cost_left() { return cost_left_; }  // for the functions of value_comparison.h

  // Uninitialised room for `count` T, or null when the budget does not allow it.
  template <class T>
  T* allocate(std::size_t count) {
    const std::size_t used = memory_.used_bytes() - memory_begin_;
    if (count > (max_memory_bytes_ - std::min(used, max_memory_bytes_)) / sizeof(T) ||
        !memory_.has_room(count * sizeof(T))) {
      cost_left_ = 0;
      return nullptr;
    }
    charge(1 + count * sizeof(T) / 64);
    return memory_.allocate_array<T>(count);
  }
  std::string_view copy(std::string_view text) {
    char* memory = allocate<char>(text.size());
    if (memory == nullptr) return {};
    std::copy(text.begin(), text.end(), memory);
    return {memory, text.size()};
  }
  // An error with a message made for it; Value::error does for a literal.
  Value error(std::string_view message) { return Value::error(copy(message)); }
  Value string(std::string_view text) { return Value::string(copy(text)); }

  // The union of what two unknown values wait for.
  Value merge_unknown(const Value& a, const Value& b);
  // The error or unknown that makes a strict function of `arguments` fail: the first error, else
  // all unknowns together, else null.
  Value strict_failure(std::span<const Value> arguments);
  // "no such overload: int + string"
  Value no_overload(std::string_view name, std::span<const Value> arguments);

 private:
  Arena& memory_;
  std::size_t memory_begin_;
  std::size_t max_memory_bytes_;
  std::uint64_t cost_left_;
};

inline bool is_failure(const Value& value) { return value.kind() >= ValueKind::error; }

}  // namespace assay
