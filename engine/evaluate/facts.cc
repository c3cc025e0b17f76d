// Values stand in one array that expressions read directly. Only what a launch changed is put back
// by `reset`, so a check costs what the launch says, not what the pack declares. A derived fact is
// computed when it is read and good until something behind it changes (CompiledPack::dependents); a
// `let` name is computed when it is read and good until the rule is judged anew. A
// fact with candidates is stored as unknown, naming what its derivation waited for, so that a
// reader that does not enumerate the candidates still draws no false conclusion.
#include "engine/evaluate/facts.h"

#include <algorithm>
#include <iterator>

#include "engine/compile/literal.h"
#include "engine/evaluate/predicate_evaluator.h"

namespace assay {
namespace {

// Reading goes into what is pending by recursion; longer chains are computed from their beginning.
constexpr std::size_t kMaxChain = 32;
// More than a chain of `let` names that ends in one of derived facts. Only a forged bundle, whose
// lists of needs are untrue, gets there.
constexpr std::size_t kMaxDepth = 3 * kMaxChain;

}  // namespace

FactTable::FactTable(const CompiledPack& pack)
    : pack_(pack),
      values_(pack.initial_values().begin(), pack.initial_values().end()),
      states_(pack.slots().fact_count),
      is_pending_(pack.slot_count(), 0),
      is_computed_(pack.slots().fact_count, 0),
      is_touched_(pack.slot_count(), 0) {
  values_.resize(pack.slot_count());
  for (FactId fact = 0; fact < is_computed_.size(); ++fact)
    is_pending_[fact] = is_computed_[fact] = pack.is_derived(fact) ? 1 : 0;
}

void FactTable::reset() {
  const auto initial = pack_.initial_values();
  for (const FactId fact : touched_states_) {
    states_[fact] = {};
    is_computed_[fact] = pack_.is_derived(fact) ? 1 : 0;
  }
  for (const std::uint32_t slot : touched_slots_) {
    values_[slot] = initial[slot];
    is_touched_[slot] = 0;
    if (slot < is_computed_.size()) is_pending_[slot] = is_computed_[slot];
  }
  touched_slots_.clear();
  touched_states_.clear();
  used_sets_ = 0;
  memory_.reset();
}

void FactTable::assign(std::uint32_t slot, const Value& value) {
  values_[slot] = value;
  touch(slot);
  invalidate_dependents(slot);
}

void FactTable::invalidate_dependents(std::uint32_t slot) {
  for (const FactId fact : pack_.dependents(slot)) is_pending_[fact] = is_computed_[fact];
}

void FactTable::set_slot(std::uint32_t slot, const Value& value) { assign(slot, value); }

void FactTable::give(FactId fact, const Value& value, Origin origin, Span span) {
  State& state = states_[fact];
  state = {};
  state.origin = origin;
  state.span = span;
  state.is_given = true;
  is_computed_[fact] = is_pending_[fact] = 0;
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

Value FactTable::evaluate(const Predicate& predicate) {
  const auto compute_slot = [](void* table, std::uint32_t slot) {
    static_cast<FactTable*>(table)->compute(slot);
  };
  return assay::evaluate(predicate, LazySlots{values_, is_pending_.data(), this, compute_slot},
                         memory_);
}

void FactTable::begin_lets(const CompiledRule& rule) {
  lets_of_ = &rule;
  const auto begin = is_pending_.begin() + pack_.slots().size;
  const auto count = static_cast<std::ptrdiff_t>(rule.lets.size());
  if (pending_lets_ > count) std::fill(begin + count, begin + pending_lets_, 0);
  std::fill(begin, begin + count, 1);
  pending_lets_ = count;
}

// What reads something that is pending may have changed with it.
void FactTable::renew_lets() {
  for (std::ptrdiff_t at = 0; at < pending_lets_; ++at) {
    const CompiledLet& let = lets_of_->lets[static_cast<std::size_t>(at)];
    const auto& slots = let.predicate.slots();
    if (std::any_of(slots.begin(), slots.end(),
                    [this](std::uint32_t slot) { return is_pending_[slot] != 0; }))
      is_pending_[pack_.slots().size + static_cast<std::uint32_t>(at)] = 1;
  }
}

void FactTable::compute(std::uint32_t slot) {
  if (slot >= is_computed_.size()) {
    const std::uint32_t at = slot - pack_.slots().size;
    for (std::uint32_t before = at < kMaxChain ? at : 0; before < at; ++before) compute_let(before);
    return compute_let(at);
  }
  if (states_[slot].candidates != kNone) {  // select_watched
    is_pending_[slot] = 0;
    return;
  }
  const auto& needs = pack_.derived(slot)->needs;
  if (needs.size() <= kMaxChain) return compute_derived(slot);
  for (const FactId fact : needs) compute_derived(fact);
}

void FactTable::compute_derived(FactId fact) {
  if (is_pending_[fact] == 0) return;
  touch(fact);
  compute(fact, pack_.derived(fact)->expression);
}

void FactTable::compute_let(std::uint32_t at) {
  const std::uint32_t slot = pack_.slots().size + at;
  if (is_pending_[slot] != 0) compute(slot, lets_of_->lets[at].predicate);
}

void FactTable::compute(std::uint32_t slot, const Predicate& predicate) {
  is_pending_[slot] = 0;
  ++depth_;
  values_[slot] =
      depth_ > kMaxDepth ? Value::error("names need each other too deep") : evaluate(predicate);
  --depth_;
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

void FactTable::select_watched(FactId fact, const Value& value) {
  select(fact, value);
  is_pending_[fact] = 1;
}

void FactTable::select_none(FactId fact) {
  is_pending_[fact] = 0;
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

bool has_candidates(const FactTable& table, std::span<const FactId> facts) {
  return std::any_of(facts.begin(), facts.end(),
                     [&](FactId fact) { return table.has_candidates(fact); });
}

void add_slots(std::vector<std::uint32_t>& list, std::span<const std::uint32_t> slots) {
  for (const std::uint32_t slot : slots) {
    const auto at = std::lower_bound(list.begin(), list.end(), slot);
    if (at == list.end() || *at != slot) list.insert(at, slot);
  }
}

}  // namespace assay
