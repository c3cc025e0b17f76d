// Which rules a slot's value can make apply. A rule whose guards (predicate_guards.h) all fail does
// not apply, whatever else it reads; so a launch that sets `attention_backend` to "fa3" wakes only
// the rules that ask for that value, and those whose condition is not tied to one.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/compile/compiled_rule.h"
#include "engine/compile/predicate_guards.h"

namespace assay {

class RuleIndex {
 public:
  RuleIndex() = default;
  // `slot_count`: slots that are not `let` names. Looks into `rules`.
  RuleIndex(std::span<const CompiledRule> rules, std::uint32_t slot_count);

  // Whether the rule has guards: it need only be judged when one of them holds.
  bool is_guarded(std::uint32_t rule) const { return is_guarded_[rule]; }
  // The guards of a guarded rule.
  std::span<const SlotGuard* const> guards(std::uint32_t rule) const { return guards_[rule]; }
  // Calls `wake(rule)` for every guarded rule that has a guard on `slot` which holds for `value`.
  // A rule may be named more than once.
  template <class Wake>
  void wake(std::uint32_t slot, const Value& value, Wake&& wake) const {
    const SlotEntry* entry = find(slot);
    if (entry == nullptr) return;
    if (value.is(ValueKind::unknown) || value.is(ValueKind::error)) {
      for (const auto& [guard, rule] : entry->all) wake(rule);
      return;
    }
    const auto [begin, end] = entry->by_literal.equal_range(hash(value));
    for (auto found = begin; found != end; ++found)
      if (holds(*found->second.first, value)) wake(found->second.second);
    for (const auto& [guard, rule] : entry->differing)
      if (holds(*guard, value)) wake(rule);
  }
  // The slots that some guard looks at, sorted.
  const std::vector<std::uint32_t>& guarded_slots() const { return guarded_slots_; }

 private:
  using Guarded = std::pair<const SlotGuard*, std::uint32_t>;
  struct SlotEntry {
    std::unordered_multimap<std::uint64_t, Guarded> by_literal;
    std::vector<Guarded> differing;
    std::vector<Guarded> all;
  };

  static std::uint64_t hash(const Value& value);
  const SlotEntry* find(std::uint32_t slot) const {
    const std::uint32_t at = slot < entry_of_slot_.size() ? entry_of_slot_[slot] : kUnplaced;
    return at == kUnplaced ? nullptr : &entries_[at];
  }

  std::vector<bool> is_guarded_;
  std::vector<std::vector<const SlotGuard*>> guards_;
  std::vector<std::uint32_t> entry_of_slot_;
  std::vector<SlotEntry> entries_;
  std::vector<std::uint32_t> guarded_slots_;
};

}  // namespace assay
