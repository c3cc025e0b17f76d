// Collects each rule's guards: those of its `when`, else (a check that consists of cases) those of
// all its cases together. A guard on a rule's own `let` name tells nothing before the name is
// computed, so it leaves the rule unguarded. Literals are hashed by kind and content; numbers that
// are equal across kinds hash alike, because the guard, not the hash, decides.
#include "engine/compile/rule_index.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>

namespace assay {
namespace {

// False when nothing is known of `predicate`, or a guard is on a `let` name.
bool add_guards(const Predicate& predicate, std::uint32_t slot_count,
                std::vector<const SlotGuard*>& out) {
  const auto& guards_of = guards(predicate);
  for (const SlotGuard& guard : guards_of) {
    if (guard.slot >= slot_count) return false;
    out.push_back(&guard);
  }
  return !guards_of.empty();
}

std::vector<const SlotGuard*> guards_of_rule(const CompiledRule& rule, std::uint32_t slot_count) {
  std::vector<const SlotGuard*> found;
  if (rule.when && add_guards(*rule.when, slot_count, found)) return found;
  found.clear();
  if (rule.is_derivation()) return found;
  for (const CompiledCase& row : rule.cases)
    if (!add_guards(row.when, slot_count, found)) return {};
  return found;
}

}  // namespace

RuleIndex::RuleIndex(std::span<const CompiledRule> rules, std::uint32_t slot_count)
    : is_guarded_(rules.size()), guards_(rules.size()), entry_of_slot_(slot_count, kUnplaced) {
  for (std::uint32_t position = 0; position < rules.size(); ++position) {
    guards_[position] = guards_of_rule(rules[position], slot_count);
    is_guarded_[position] = !guards_[position].empty();
    for (const SlotGuard* guard : guards_[position]) {
      std::uint32_t& at = entry_of_slot_[guard->slot];
      if (at == kUnplaced) {
        at = static_cast<std::uint32_t>(entries_.size());
        entries_.emplace_back();
        guarded_slots_.push_back(guard->slot);
      }
      SlotEntry& entry = entries_[at];
      entry.all.emplace_back(guard, position);
      if (guard->kind == SlotGuard::Kind::differs_from) {
        entry.differing.emplace_back(guard, position);
        continue;
      }
      for (const Value& literal : guard->literals)
        entry.by_literal.emplace(hash(literal), Guarded{guard, position});
    }
  }
  std::sort(guarded_slots_.begin(), guarded_slots_.end());
}

std::uint64_t RuleIndex::hash(const Value& value) {
  switch (value.kind()) {
    case ValueKind::boolean:
      return value.as_boolean() ? 2 : 1;
    case ValueKind::integer:
      return std::hash<double>()(static_cast<double>(value.as_integer()));
    case ValueKind::unsigned_integer:
      return std::hash<double>()(static_cast<double>(value.as_unsigned()));
    case ValueKind::real:
      return std::hash<double>()(value.as_real());
    case ValueKind::string:
    case ValueKind::bytes:
      return std::hash<std::string_view>()(value.as_text());
    default:
      return 0;  // null, lists, maps, types: rare as literals
  }
}

}  // namespace assay
