// Values stand in one array that expressions read directly. Only what a launch changed is put back
// by `reset`, so a check costs what the launch says, not what the pack declares. A derived fact is
// computed when asked for and good until something behind it changes (CompiledPack::dependents). A
// fact with candidates is stored as unknown, naming what its derivation waited for, so that a
// reader that does not enumerate the candidates still draws no false conclusion.
#include "engine/evaluate/facts.h"

#include <algorithm>
#include <iterator>

#include "engine/compile/literal.h"
#include "engine/evaluate/predicate_evaluator.h"

namespace assay {

FactTable::FactTable(const CompiledPack& pack)
    : pack_(pack),
      values_(pack.initial_values().begin(), pack.initial_values().end()),
      states_(pack.slots().fact_count),
      is_current_(pack.slots().fact_count, 0) {
  values_.resize(pack.slot_count());
}

void FactTable::reset() {
  const auto initial = pack_.initial_values();
  for (const std::uint32_t slot : touched_slots_)
    values_[slot] = slot < initial.size() ? initial[slot] : Value();
  for (const FactId fact : touched_states_) states_[fact] = {};
  for (const FactId fact : computed_) is_current_[fact] = 0;
  touched_slots_.clear();
  touched_states_.clear();
  computed_.clear();
  used_sets_ = 0;
  memory_.reset();
}

void FactTable::assign(std::uint32_t slot, const Value& value) {
  values_[slot] = value;
  touched_slots_.push_back(slot);
  if (slot < pack_.slots().size) invalidate_dependents(slot);
}

void FactTable::invalidate_dependents(std::uint32_t slot) {
  for (const FactId fact : pack_.dependents(slot)) is_current_[fact] = 0;
}

void FactTable::set_slot(std::uint32_t slot, const Value& value) { assign(slot, value); }

void FactTable::give(FactId fact, const Value& value, Origin origin, Span span) {
  State& state = states_[fact];
  state = {};
  state.origin = origin;
  state.span = span;
  state.is_given = true;
  touched_states_.push_back(fact);
  assign(fact, value);
}

void FactTable::write(FactId fact, std::span<const Candidate> candidates,
                      std::span<const std::uint32_t> waits_for) {
  State& state = states_[fact];
  touched_states_.push_back(fact);
  state.candidates = kNone;
  if (candidates.size() == 1) {
    state.writer = candidates[0].writer;
    state.before = candidates[0].before;
    assign(fact, candidates[0].value);
    return;
  }
  const auto waits = keep(waits_for);
  const Value unknown = waits.empty() ? pack_.unknown_slot(fact) : Value::unknown(waits);
  state.writer = kUnplaced;
  if (candidates.size() <= kMaxCandidates) {
    if (used_sets_ == sets_.size()) sets_.emplace_back();
    state.candidates = static_cast<std::uint32_t>(used_sets_++);
    CandidateSet& set = sets_[state.candidates];
    set.candidates.assign(candidates.begin(), candidates.end());
    set.waits_for = unknown.as_unknown();
  }
  assign(fact, unknown);
}

std::span<const std::uint32_t> FactTable::keep(std::span<const std::uint32_t> slots) {
  auto* memory = memory_.allocate_array<std::uint32_t>(slots.size());
  std::copy(slots.begin(), slots.end(), memory);
  return {memory, slots.size()};
}

void FactTable::compute(std::span<const FactId> facts) {
  for (const FactId fact : facts) {
    if (is_current_[fact] != 0 || states_[fact].is_given) continue;
    const Value value = evaluate(pack_.derived(fact)->expression, values_, memory_);
    values_[fact] = value;
    is_current_[fact] = 1;
    touched_slots_.push_back(fact);
    computed_.push_back(fact);
  }
}

std::span<const Candidate> FactTable::candidates(FactId fact) const {
  return sets_[states_[fact].candidates].candidates;
}

std::span<const std::uint32_t> FactTable::waits_for(FactId fact) const {
  const State& state = states_[fact];
  if (state.candidates != kNone) return sets_[state.candidates].waits_for;
  if (values_[fact].is(ValueKind::unknown)) return values_[fact].as_unknown();
  return {};
}

void FactTable::select(FactId fact, const Value& value) {
  values_[fact] = value;
  invalidate_dependents(fact);
}

void FactTable::select_none(FactId fact) {
  values_[fact] = Value::unknown(sets_[states_[fact].candidates].waits_for);
  invalidate_dependents(fact);
}

Origin FactTable::origin(FactId fact) const {
  if (writer(fact) != kUnplaced) return Origin::rule;
  return first_origin(fact);
}

Origin FactTable::first_origin(FactId fact) const {
  const State& state = states_[fact];
  if (state.is_given) return state.origin;
  if (pack_.derived(fact) != nullptr) return Origin::computed;
  if (fact == pack_.version_fact()) return Origin::pack_default;
  if (values_[fact].is(ValueKind::unknown) && writer(fact) == kUnplaced && !has_candidates(fact))
    return Origin::unknown;
  return Origin::default_value;
}

namespace {

bool is_same_map(std::span<const MapEntry> a, std::span<const MapEntry> b) {
  return a.size() == b.size() && std::all_of(a.begin(), a.end(), [&](const MapEntry& entry) {
           return std::any_of(b.begin(), b.end(), [&](const MapEntry& other) {
             return is_same_value(entry.key, other.key) && is_same_value(entry.value, other.value);
           });
         });
}

}  // namespace

bool is_same_value(const Value& a, const Value& b) {
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case ValueKind::null:
      return true;
    case ValueKind::boolean:
      return a.as_boolean() == b.as_boolean();
    case ValueKind::integer:
      return a.as_integer() == b.as_integer();
    case ValueKind::unsigned_integer:
      return a.as_unsigned() == b.as_unsigned();
    case ValueKind::real:
      return a.as_real() == b.as_real();
    case ValueKind::list:
      return std::equal(a.as_list().begin(), a.as_list().end(), b.as_list().begin(),
                        b.as_list().end(), is_same_value);
    case ValueKind::map:
      return is_same_map(a.as_map(), b.as_map());
    case ValueKind::unknown:
      return std::equal(a.as_unknown().begin(), a.as_unknown().end(), b.as_unknown().begin(),
                        b.as_unknown().end());
    default:
      return a.as_text() == b.as_text();
  }
}

void add_slots(std::vector<std::uint32_t>& list, std::span<const std::uint32_t> slots) {
  for (const std::uint32_t slot : slots) {
    const auto at = std::lower_bound(list.begin(), list.end(), slot);
    if (at == list.end() || *at != slot) list.insert(at, slot);
  }
}

}  // namespace assay
