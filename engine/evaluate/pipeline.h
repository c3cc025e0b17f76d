// Walks an engine's pipeline once: stage by stage, step by step, applying derivations and judging
// checks in their order; `stop_when` ends a stage early. Unplaced rules come last.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/evaluate/derivation.h"
#include "engine/evaluate/rule_checker.h"
#include "engine/evaluate/wake_set.h"

namespace assay {

enum class StopRule : std::uint8_t { as_written, never };
struct PipelineOptions {
  StopRule stops = StopRule::as_written;  // whether a step's `stop_when` is asked
  Detail detail = Detail::reasons;        // of what is undecided
};

class Pipeline {
 public:
  // `is_enabled`: by position, the rules to run. `wake`: if not null, only what is awake in it is
  // run and what it remembers is repeated (it then says itself which rules are enabled).
  // `outcome`: working memory.
  Pipeline(FactTable& table, const std::vector<bool>& is_enabled, WakeSet* wake,
           DerivationOutcome& outcome, PipelineOptions options = {})
      : table_(table), is_enabled_(is_enabled), wake_(wake), options_(options), outcome_(outcome) {}

  // Calls, in order, `visit.enter(position)` before and `visit.leave(position, outcome)` after each
  // rule that is run or repeated (not passed over, Repeats::when_read), and `visit.skip(begin,
  // end)` for rules that an ended stage leaves out. A check changes nothing.
  template <class Visit>
  void run(Visit&& visit) {
    for (const CompiledStage& stage : table_.pack().stages()) {
      doubt_.clear();
      is_doubtful_ = false;
      for (const CompiledStretch& stretch : stage.stretches) {
        run_rules(stretch.first_rule, stretch.end_rule, visit);
        if (!stretch.stop_when || options_.stops == StopRule::never || !ends_stage(stretch))
          continue;
        skip(stretch.end_rule, stage.end_rule);
        visit.skip(stretch.end_rule, stage.end_rule);
        break;
      }
    }
    is_doubtful_ = false;
    run_rules(table_.pack().first_unplaced(),
              static_cast<std::uint32_t>(table_.pack().rules().size()), visit);
  }

 private:
  template <class Visit>
  void run_rules(std::uint32_t begin, std::uint32_t end, Visit& visit) {
    for (auto at = next(begin); at < end; at = next(at + 1)) {
      visit.enter(at);
      visit.leave(at, outcome_of(at));
    }
  }

  std::uint32_t next(std::uint32_t position) const {
    if (wake_ != nullptr) return wake_->next(position);
    while (position < is_enabled_.size() && !is_enabled_[position]) ++position;
    return position;
  }
  // Runs the rule, or repeats what it did in the first walk.
  const DerivationOutcome& outcome_of(std::uint32_t position) {
    if (wake_ != nullptr) wake_->come_to(position);
    if (wake_ != nullptr && !wake_->is_awake(position)) {
      const DerivationOutcome& outcome = wake_->memo(position)->outcome;
      wake_->repeat(table_, outcome);
      wake_dependents(outcome);
      return outcome;
    }
    judge(position);
    return outcome_;
  }
  void judge(std::uint32_t position);
  bool ends_stage(const CompiledStretch& stretch);
  void skip(std::uint32_t begin, std::uint32_t end);
  void wake_targets(const CompiledRule& rule);
  void wake_dependents(const DerivationOutcome& outcome) {
    for (const FactChange& change : outcome.changes) wake_->wake_dependents(table_, change.fact);
  }

  FactTable& table_;
  const std::vector<bool>& is_enabled_;
  WakeSet* wake_;
  PipelineOptions options_;
  DerivationOutcome& outcome_;
  // Set while the stage may have ended already.
  bool is_doubtful_ = false;
  Judgement doubt_;
};

}  // namespace assay
