// Why it is exact: while no slot that a rule reads differs from the first walk, the rule finds and
// does what it did there. A slot counts as different once the launch gives it another value, or
// once a derivation does something else than in that walk (Pipeline wakes the readers of its
// targets then). The first walk takes no step's `stop_when` as true: where one is true, Pipeline
// wakes what the skipped derivations would have written; where it cannot be told, every rule runs.
//
// Rules with guards are woken by a slot's value instead: while all guards fail they do not apply. A
// guarded rule whose guard held in the first walk is treated as one without guards.
#include "engine/evaluate/wake_set.h"

#include <algorithm>

#include "engine/compile/literal.h"
#include "engine/evaluate/pipeline.h"
#include "engine/evaluate/rule_checker.h"

namespace assay {
namespace {

template <class T>
std::span<const T> copy_array(std::span<const T> items, Arena& memory) {
  T* copy = memory.allocate_array<T>(items.size());
  std::uninitialized_copy(items.begin(), items.end(), copy);
  return {copy, items.size()};
}

FactChange copy_change(const FactChange& change, Arena& memory) {
  FactChange copy = change;
  copy.before = copy_value(change.before, memory);
  auto* before_values = memory.allocate_array<Value>(change.before_values.size());
  for (std::size_t at = 0; at < change.before_values.size(); ++at)
    before_values[at] = copy_value(change.before_values[at], memory);
  copy.before_values = {before_values, change.before_values.size()};
  auto* written = memory.allocate_array<Candidate>(change.written.size());
  for (std::size_t at = 0; at < change.written.size(); ++at)
    written[at] = {copy_value(change.written[at].value, memory), change.written[at].writer,
                   copy_value(change.written[at].before, memory)};
  copy.written = {written, change.written.size()};
  copy.waits_for = copy_array(change.waits_for, memory);
  return copy;
}

}  // namespace

// Notes for each rule the verdict, what it did, and whether a guard holds when the walk comes to
// it.
struct WakeSet::FirstWalk {
  FactTable& table;
  WakeSet& set;
  std::vector<bool>& is_open;

  void enter(std::uint32_t position) {
    is_open[position] = may_apply(table.pack().rules()[position], table);
  }
  void leave(std::uint32_t position, const DerivationOutcome& outcome) {
    const Verdict verdict = outcome.judgement.verdict;
    set.verdicts_[position] = verdict;
    const bool does_something = table.pack().rules()[position].is_derivation()
                                    ? verdict != Verdict::not_applicable
                                    : verdict == Verdict::violated || verdict == Verdict::undecided;
    if (does_something) {
      set.add_memo(position, outcome);
      is_open[position] = true;
    }
  }
  void skip(std::uint32_t /*begin*/, std::uint32_t /*end*/) {}
};

WakeSet::WakeSet(FactTable& table) {
  const CompiledPack& pack = table.pack();
  witnesses_.assign(pack.rules().size(), kNoWitness);
  if (read_stored(pack)) return;
  const std::size_t count = pack.rules().size();
  for (Bits* bits : {&awake_, &visited_, &reworded_, &always_, &enabled_})
    bits->assign((count + 63) / 64, 0);
  verdicts_.assign(count, Verdict::not_applicable);
  memo_of_rule_.assign(count, kUnplaced);
  memos_.clear();
  std::vector<bool> is_open(count, false);
  walk(table, is_open);
  subscribe(pack, is_open);
}

void WakeSet::walk(FactTable& table, std::vector<bool>& is_open) {
  const CompiledPack& pack = table.pack();
  std::vector<bool> is_enabled(pack.rules().size());
  for (std::uint32_t at = 0; at < is_enabled.size(); ++at) {
    is_enabled[at] = pack.is_of_default_version(at);
    if (is_enabled[at]) set(enabled_, at);
  }
  table.reset();
  DerivationOutcome outcome;
  Pipeline(table, is_enabled, nullptr, outcome, {StopRule::never, Detail::reasons})
      .run(FirstWalk{table, *this, is_open});
  table.reset();
  for (std::uint32_t at = 0; at < is_enabled.size(); ++at) {
    if (!is_enabled[at]) continue;
    ++enabled_count_;
    if (memo_of_rule_[at] != kUnplaced)
      set(always_, at);
    else if (verdicts_[at] == Verdict::satisfied)
      ++sleeping_satisfied_;
    else
      ++sleeping_not_applicable_;
  }
}

void WakeSet::add_memo(std::uint32_t position, const DerivationOutcome& outcome) {
  memo_of_rule_[position] = static_cast<std::uint32_t>(memos_.size());
  RuleMemo& memo = memos_.emplace_back();
  memo.outcome.judgement = outcome.judgement;
  memo.outcome.judgement.error = memory_.copy(outcome.judgement.error);
  for (const FactChange& change : outcome.changes)
    memo.outcome.changes.push_back(copy_change(change, memory_));
}

void WakeSet::subscribe(const CompiledPack& pack, const std::vector<bool>& is_open) {
  const std::uint32_t slot_count = pack.slots().size;
  std::vector<std::vector<std::uint32_t>> readers(slot_count);
  std::vector<std::vector<FactId>> guarded_dependents(slot_count);
  is_disturbed_.assign(pack.slots().fact_count, 0);
  for (std::uint32_t at = 0; at < pack.rules().size(); ++at) {
    if (!is_enabled(at) || !is_open[at]) continue;  // not open: only its guards count
    const CompiledRule& rule = pack.rules()[at];
    std::vector<std::uint32_t> slots = rule.inputs;
    if (memo_of_rule_[at] != kUnplaced) {
      // Also what its message and the report's list of facts show, and what it writes.
      for (const auto* more : {&rule.reads, &rule.derived, &rule.base_facts})
        slots.insert(slots.end(), more->begin(), more->end());
      for (const FactId fact : rule.derived) {
        const auto& inputs = pack.derived(fact)->inputs;
        slots.insert(slots.end(), inputs.begin(), inputs.end());
      }
      for (const CompiledAssignment& assignment : rule.effect) slots.push_back(assignment.fact);
    }
    std::sort(slots.begin(), slots.end());
    slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
    for (const std::uint32_t slot : slots)
      if (slot < slot_count) readers[slot].push_back(at);
  }
  const auto& guarded = pack.index().guarded_slots();
  for (std::uint32_t slot = 0; slot < slot_count; ++slot)
    for (const FactId fact : pack.dependents(slot))
      if (std::binary_search(guarded.begin(), guarded.end(), fact))
        guarded_dependents[slot].push_back(fact);
  readers_ = GroupedList<std::uint32_t>(readers);
  guarded_dependents_ = GroupedList<FactId>(guarded_dependents);
}

void WakeSet::begin(FactTable& table, Repeats repeats) {
  repeats_ = repeats;
  here_ = 0;
  if (repeats == Repeats::when_read && writes_.is_empty()) list_writes(table.pack());
  writes_.begin();
  for (const FactId fact : disturbed_) is_disturbed_[fact] = 0;
  disturbed_.clear();
  std::fill(awake_.begin(), awake_.end(), 0);
  std::fill(reworded_.begin(), reworded_.end(), 0);
  if (repeats == Repeats::all)
    visited_ = always_;
  else
    std::fill(visited_.begin(), visited_.end(), 0);
}

void WakeSet::list_writes(const CompiledPack& pack) {
  std::vector<std::vector<LateWrites::Write>> writes(pack.slots().fact_count);
  for (std::uint32_t at = 0; at < pack.rules().size(); ++at) {
    const RuleMemo* memo = this->memo(at);
    if (memo == nullptr) continue;
    for (const FactChange& change : memo->outcome.changes)
      writes[change.fact].push_back({at, &change});
    const RuleEvent event = event_of(pack.rules()[at], memo->outcome);
    const bool is_of_note = event.verdict != Verdict::undecided || event.is_undecided ||
                            event.severity == Severity::error;
    if (is_of_note) events_.push_back(event);
  }
  writes_.assign(writes);
}

void WakeSet::forget_repeats() {
  for (std::size_t word = here_ / 64; word < awake_.size(); ++word) {
    const std::uint64_t mask =
        word == here_ / 64 ? ~std::uint64_t{0} << (here_ % 64) : ~std::uint64_t{0};
    visited_[word] |= always_[word] & mask;
    awake_[word] |= visited_[word] & mask;
  }
}

void WakeSet::leave_out(FactTable& table, std::uint32_t position) {
  if (repeats_ == Repeats::all) return;
  for (const FactChange& change : memo(position)->outcome.changes)
    catch_up(table, {&change.fact, 1});
  set(awake_, position);  // what it wrote does not count
}

void WakeSet::repeat(FactTable& table, const DerivationOutcome& outcome) {
  if (repeats_ == Repeats::all) return repeat_changes(outcome.changes, table);
  for (const FactChange& change : outcome.changes)
    writes_.catch_up(table, change.fact, here_ + 1,
                     [this](std::uint32_t position) { return is_awake(position); });
}

void WakeSet::catch_up(FactTable& table, const CompiledRule& rule) {
  if (repeats_ == Repeats::all) return;
  catch_up(table, rule.base_facts);
  for (const CompiledAssignment& assignment : rule.effect) catch_up(table, {&assignment.fact, 1});
}

void WakeSet::catch_up(FactTable& table, std::span<const FactId> facts) {
  if (repeats_ == Repeats::all) return;
  for (const FactId fact : facts)
    writes_.catch_up(table, fact, here_,
                     [this](std::uint32_t position) { return is_awake(position); });
}

void WakeSet::wake_given(FactTable& table, std::uint32_t slot) {
  const CompiledPack& pack = table.pack();
  if (slot >= pack.slots().size) return;
  const bool is_derived = slot < pack.slots().fact_count && pack.derived(slot) != nullptr;
  if (is_derived && !table.is_given(slot)) return;  // what is behind it wakes
  if (is_derived || !is_same_value(table.value(slot), pack.initial_values()[slot]))
    return wake(table, slot);
  for (const std::uint32_t position : readers_[slot]) set(reworded_, position);
}

void WakeSet::wake(FactTable& table, std::uint32_t slot) {
  const CompiledPack& pack = table.pack();
  if (slot >= pack.slots().size) return;
  const auto wake_one = [this](std::uint32_t position) { wake_rule(position); };
  for (const std::uint32_t position : readers_[slot]) wake_rule(position);
  if (slot < pack.slots().fact_count && table.has_candidates(slot)) {
    for (const Candidate& candidate : table.candidates(slot))
      pack.index().wake(slot, candidate.value, wake_one);
  } else {
    pack.index().wake(slot, table.value(slot), wake_one);
  }
  for (const FactId fact : guarded_dependents_[slot]) {
    if (is_disturbed_[fact] == 0) disturb(pack, fact);
    wake_guarded_by(table, fact);
  }
}

void WakeSet::wake_dependents(FactTable& table, std::uint32_t slot) {
  for (const FactId fact : guarded_dependents_[slot])
    if (is_disturbed_[fact] != 0) wake_guarded_by(table, fact);
}

// What still writes to a fact behind `derived` is visited then, since its guards may come to hold.
void WakeSet::disturb(const CompiledPack& pack, FactId derived) {
  disturbed_.push_back(derived);
  is_disturbed_[derived] = 1;
  if (repeats_ == Repeats::all) return;
  for (const std::uint32_t slot : pack.derived(derived)->inputs) {
    if (slot >= pack.slots().fact_count) continue;
    for (const LateWrites::Write& write : writes_.open(slot))
      if (write.position >= here_) set(visited_, write.position);
  }
}

void WakeSet::wake_guarded_by(FactTable& table, FactId derived) {
  const CompiledPack& pack = table.pack();
  if (repeats_ == Repeats::when_read)
    for (const std::uint32_t slot : pack.derived(derived)->inputs)
      if (slot < pack.slots().fact_count) catch_up(table, {&slot, 1});
  pack.index().wake(derived, table.read(derived),
                    [this](std::uint32_t position) { wake_rule(position); });
}

}  // namespace assay
