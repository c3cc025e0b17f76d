// Collects each rule's guards: those of its `when`, else (a check that consists of cases) those of
// all its cases together. A guard on a rule's own `let` name tells nothing before the name is
// computed, so it leaves the rule unguarded. Literals are hashed by kind and content; numbers that
// are equal across kinds hash alike, because the guard, not the hash, decides.
#include "engine/compile/rule_index.h"

#include <bit>

#include "engine/base/checksum.h"
#include "engine/base/lazy_list.h"

namespace assay {
namespace {

// False when nothing is known of `predicate`, or a guard is on a `let` name.
bool add_guards(const Predicate& predicate, std::uint32_t slot_count, std::vector<SlotGuard>& out) {
  const auto& guards_of = guards(predicate);
  for (const SlotGuard& guard : guards_of) {
    if (guard.slot >= slot_count) return false;
    out.push_back(guard);
  }
  return !guards_of.empty();
}

std::vector<SlotGuard> guards_of_rule(const CompiledRule& rule, std::uint32_t slot_count) {
  std::vector<SlotGuard> found;
  if (rule.when && add_guards(*rule.when, slot_count, found)) return found;
  found.clear();
  if (rule.is_derivation()) return found;
  for (const CompiledCase& row : rule.cases)
    if (!add_guards(row.when, slot_count, found)) return {};
  return found;
}

std::uint64_t hash_number(double number) {
  return std::bit_cast<std::uint64_t>(number == 0 ? 0.0 : number) * 0x9e3779b185ebca87u;
}

}  // namespace

RuleIndex::RuleIndex(const LazyList<CompiledRule>& rules, std::uint32_t slot_count) {
  std::vector<std::vector<SlotGuard>> guards;
  for (const CompiledRule& rule : rules) guards.push_back(guards_of_rule(rule, slot_count));
  guards_ = GroupedList<SlotGuard>(guards);
  number_guards();
  entry_of_slot_.assign(slot_count, kUnplaced);
  std::vector<std::vector<std::uint32_t>> by_slot(slot_count);
  for (std::uint32_t guard = 0; guard < guards_.items().size(); ++guard)
    by_slot[guards_.items()[guard].slot].push_back(guard);
  std::vector<std::vector<std::uint32_t>> all;
  std::vector<std::vector<std::uint32_t>> differing;
  std::vector<std::vector<HashedLiteral>> literals;
  for (std::uint32_t slot = 0; slot < slot_count; ++slot) {
    if (by_slot[slot].empty()) continue;
    entry_of_slot_[slot] = static_cast<std::uint32_t>(guarded_slots_.size());
    guarded_slots_.push_back(slot);
    differing.emplace_back();
    literals.emplace_back();
    for (const std::uint32_t guard : by_slot[slot]) {
      const SlotGuard& one = guards_.items()[guard];
      if (one.kind == SlotGuard::Kind::differs_from) differing.back().push_back(guard);
      if (one.kind == SlotGuard::Kind::equals_one_of)
        for (const Value& literal : one.literals) literals.back().push_back({hash(literal), guard});
    }
    std::sort(literals.back().begin(), literals.back().end());
    all.push_back(std::move(by_slot[slot]));
  }
  all_ = GroupedList<std::uint32_t>(all);
  differing_ = GroupedList<std::uint32_t>(differing);
  literals_ = GroupedList<HashedLiteral>(literals);
}

void RuleIndex::number_guards() {
  rule_of_guard_.clear();
  for (std::uint32_t rule = 0; rule < guards_.size(); ++rule)
    rule_of_guard_.insert(rule_of_guard_.end(), guards_[rule].size(), rule);
}

std::uint64_t RuleIndex::hash(const Value& value) {
  switch (value.kind()) {
    case ValueKind::boolean:
      return value.as_boolean() ? 2 : 1;
    case ValueKind::integer:
      return hash_number(static_cast<double>(value.as_integer()));
    case ValueKind::unsigned_integer:
      return hash_number(static_cast<double>(value.as_unsigned()));
    case ValueKind::real:
      return hash_number(value.as_real());
    case ValueKind::string:
    case ValueKind::bytes:
      return checksum(value.as_text());
    default:
      return 0;  // null, lists, maps, types: rare as literals
  }
}

}  // namespace assay
