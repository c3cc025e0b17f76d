// The parts of compiled knowledge whose consistency no type says: code, and the rule index.
#include "engine/compile/bundle_fields.h"

#include <algorithm>

#include "engine/compile/predicate_validator.h"

namespace assay {

void PredicateFields::write(BundleWriter& writer, const Predicate& predicate) {
  writer(predicate.type_, predicate.code_, predicate.constants_);
  writer.number(predicate.patterns_.size());
  for (const CelPattern& pattern : predicate.patterns_) writer(pattern.pattern());
}

void PredicateFields::read(BundleReader& reader, Predicate& predicate) {
  std::vector<std::string_view> patterns;
  reader(predicate.type_, predicate.code_, predicate.constants_, patterns);
  for (const std::string_view pattern : patterns) predicate.patterns_.emplace_back(pattern);
  for (const Value& constant : predicate.constants_)
    reader.expect(!constant.is(ValueKind::unknown));
  if (reader.has_failed()) return;
  const auto stack = find_stack_size(predicate.code_, predicate.constants_,
                                     predicate.patterns_.size(), reader.reading().all_slot_count);
  reader.expect(stack.has_value());
  predicate.stack_size_ = stack.value_or(0);
  for (const Instruction& instruction : predicate.code_)
    if (instruction.opcode == Opcode::push_slot) predicate.slots_.push_back(instruction.operand);
  std::sort(predicate.slots_.begin(), predicate.slots_.end());
  predicate.slots_.erase(std::unique(predicate.slots_.begin(), predicate.slots_.end()),
                         predicate.slots_.end());
}

bool RuleIndexFields::complete(RuleIndex& index, std::uint32_t rule_count,
                               std::uint32_t slot_count) {
  const std::size_t guards = index.guards_.items().size();
  const auto is_guard = [&](std::uint32_t guard) { return guard < guards; };
  const auto& slots = index.guarded_slots_;
  const bool is_whole = index.guards_.size() == rule_count && index.all_.size() == slots.size() &&
                        index.differing_.size() == slots.size() &&
                        index.literals_.size() == slots.size();
  if (!is_whole || !std::ranges::all_of(index.all_.items(), is_guard) ||
      !std::ranges::all_of(index.differing_.items(), is_guard) ||
      !std::ranges::all_of(index.literals_.items(),
                           [&](const auto& literal) { return is_guard(literal.guard); }))
    return false;
  index.number_guards();
  index.entry_of_slot_.assign(slot_count, kUnplaced);
  for (std::uint32_t at = 0; at < slots.size(); ++at) {
    if (slots[at] >= slot_count || (at > 0 && slots[at] <= slots[at - 1])) return false;
    index.entry_of_slot_[slots[at]] = at;
  }
  return true;
}

}  // namespace assay
