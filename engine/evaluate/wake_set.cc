// Why it is exact: while no slot that a rule reads differs from the walk on the initial values, the
// rule's verdict is the one it had there. A slot counts as different once the launch says something
// about it, once a derivation does something, or leaves out what it did in that walk (Pipeline
// wakes the readers in all of these). Rules with guards are woken by a slot's value instead: while
// all guards fail they do not apply. A guarded rule whose guard held in the walk is treated as one
// without guards. Rules that are violated, undecided or do something in the walk, or that the walk
// left out, never sleep.
#include "engine/evaluate/wake_set.h"

#include <algorithm>

#include "engine/evaluate/pipeline.h"
#include "engine/evaluate/rule_checker.h"

namespace assay {
namespace {

// Notes for each rule the verdict of the walk and whether a guard holds when the walk comes to it.
struct FirstWalk {
  FactTable& table;
  std::vector<bool>& is_open;
  std::vector<bool>& was_run;
  std::vector<Verdict>& verdicts;

  void enter(std::uint32_t position) {
    was_run[position] = true;
    is_open[position] = may_apply(table.pack().rules()[position], table);
  }
  void leave(std::uint32_t position, const DerivationOutcome& outcome) {
    verdicts[position] = outcome.judgement.verdict;
    if (table.pack().rules()[position].is_derivation() &&
        outcome.judgement.verdict == Verdict::satisfied)
      verdicts[position] = Verdict::violated;  // it does something: it never sleeps
  }
  void skip(std::uint32_t /*begin*/, std::uint32_t /*end*/) {}
};

}  // namespace

WakeSet::WakeSet(FactTable& table) {
  const CompiledPack& pack = table.pack();
  const std::size_t count = pack.rules().size();
  for (Bits* bits : {&awake_, &always_, &enabled_}) bits->assign((count + 63) / 64, 0);
  verdicts_.assign(count, Verdict::not_applicable);
  std::vector<bool> is_open(count, false);
  walk(table, is_open);
  subscribe(pack, is_open);
}

void WakeSet::walk(FactTable& table, std::vector<bool>& is_open) {
  const CompiledPack& pack = table.pack();
  std::vector<bool> is_enabled(pack.rules().size());
  std::vector<bool> was_run(pack.rules().size(), false);
  for (std::uint32_t at = 0; at < is_enabled.size(); ++at)
    is_enabled[at] = pack.is_of_default_version(at);
  table.reset();
  Pipeline(table, is_enabled, nullptr).run(FirstWalk{table, is_open, was_run, verdicts_});
  table.reset();
  for (std::uint32_t at = 0; at < is_enabled.size(); ++at) {
    if (!is_enabled[at]) continue;
    ++enabled_count_;
    set(enabled_, at);
    if (!was_run[at] || verdicts_[at] == Verdict::violated || verdicts_[at] == Verdict::undecided)
      set(always_, at);
    else if (verdicts_[at] == Verdict::satisfied)
      ++sleeping_satisfied_;
    else
      ++sleeping_not_applicable_;
  }
}

void WakeSet::subscribe(const CompiledPack& pack, const std::vector<bool>& is_open) {
  readers_.resize(pack.slots().size);
  guarded_dependents_.resize(pack.slots().size);
  for (std::uint32_t at = 0; at < pack.rules().size(); ++at) {
    if (!is_enabled(at) || is_always_awake(at)) continue;
    if (!is_open[at]) continue;  // only with guards
    for (const std::uint32_t slot : pack.rules()[at].inputs) readers_[slot].push_back(at);
  }
  const auto& guarded = pack.index().guarded_slots();
  for (std::uint32_t slot = 0; slot < pack.slots().size; ++slot)
    for (const FactId fact : pack.dependents(slot))
      if (std::binary_search(guarded.begin(), guarded.end(), fact))
        guarded_dependents_[slot].push_back(fact);
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
    table.compute(pack.derived(fact)->needs);
    pack.index().wake(fact, table.value(fact), wake_one);
  }
}

}  // namespace assay
