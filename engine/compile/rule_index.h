// Which rules a slot's value can make apply. A rule whose guards (predicate_guards.h) all fail does
// not apply, whatever else it reads; so a launch that sets `attention_backend` to "fa3" wakes only
// the rules that ask for that value, and those whose condition is not tied to one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/grouped_list.h"
#include "engine/compile/compiled_rule.h"
#include "engine/compile/predicate_guards.h"

namespace assay {

template <class T>
class LazyList;

class RuleIndex {
 public:
  RuleIndex() = default;
  // `slot_count`: slots that are not `let` names. The literals of guards stay where the rules'
  // predicates keep them.
  RuleIndex(const LazyList<CompiledRule>& rules, std::uint32_t slot_count);

  // Whether the rule has guards: it need only be judged when one of them holds.
  bool is_guarded(std::uint32_t rule) const { return !guards_[rule].empty(); }
  // The guards of a guarded rule.
  std::span<const SlotGuard> guards(std::uint32_t rule) const { return guards_[rule]; }
  // Calls `wake(rule)` for every guarded rule that has a guard on `slot` which holds for `value`.
  // A rule may be named more than once.
  template <class Wake>
  void wake(std::uint32_t slot, const Value& value, Wake&& wake) const {
    const std::uint32_t entry = slot < entry_of_slot_.size() ? entry_of_slot_[slot] : kUnplaced;
    if (entry == kUnplaced) return;
    if (value.is(ValueKind::unknown) || value.is(ValueKind::error)) {
      for (const std::uint32_t guard : all_[entry]) wake(rule_of_guard_[guard]);
      return;
    }
    const auto literals = literals_[entry];
    const std::uint64_t wanted = hash(value);
    auto at = std::lower_bound(
        literals.begin(), literals.end(), wanted,
        [](const HashedLiteral& literal, std::uint64_t other) { return literal.hash < other; });
    for (; at != literals.end() && at->hash == wanted; ++at)
      if (holds(guards_.items()[at->guard], value)) wake(rule_of_guard_[at->guard]);
    for (const std::uint32_t guard : differing_[entry])
      if (holds(guards_.items()[guard], value)) wake(rule_of_guard_[guard]);
  }
  // The slots that some guard looks at, sorted.
  const std::vector<std::uint32_t>& guarded_slots() const { return guarded_slots_; }

 private:
  friend struct RuleIndexFields;  // compile/bundle_fields.h
  struct HashedLiteral {
    std::uint64_t hash = 0;
    std::uint32_t guard = 0;
    auto operator<=>(const HashedLiteral&) const = default;
  };
  template <class Archive>
  friend void fields(Archive& archive, HashedLiteral& literal) {
    archive(literal.hash, literal.guard);
  }

  // The same on every machine, since bundles hold it.
  static std::uint64_t hash(const Value& value);
  void number_guards();

  GroupedList<SlotGuard> guards_;  // by rule
  std::vector<std::uint32_t> rule_of_guard_;
  std::vector<std::uint32_t> guarded_slots_;
  std::vector<std::uint32_t> entry_of_slot_;  // index into guarded_slots_ and the following
  GroupedList<std::uint32_t> all_;            // guards
  GroupedList<std::uint32_t> differing_;      // guards that hold for many values
  GroupedList<HashedLiteral> literals_;       // of the others, sorted
};

}  // namespace assay
