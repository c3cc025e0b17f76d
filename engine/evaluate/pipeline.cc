// The order of the steps is data (CompiledPack::stages). When it cannot be told whether `stop_when`
// ended the stage, the walk goes on in doubt: what would be violated is undecided, what would be
// assigned is one of two values, and what holds anyway still holds. Where the pack says so for the
// step, an unknown `stop_when` is taken as false: nobody writes "$MODEL" for a dummy model.
#include "engine/evaluate/pipeline.h"

#include "engine/evaluate/combinations.h"

namespace assay {

void Pipeline::judge(std::uint32_t position) {
  const CompiledRule& rule = table_.pack().rules()[position];
  if (wake_ != nullptr) wake_->catch_up(table_, rule);
  if (rule.is_derivation()) {
    apply_derivation(position, table_, is_doubtful_ ? &doubt_ : nullptr, outcome_);
    if (wake_ == nullptr) return;
    const RuleMemo* memo = wake_->memo(position);
    const bool is_as_in_first_walk = memo == nullptr
                                         ? outcome_.judgement.verdict == Verdict::not_applicable
                                         : is_same_outcome(outcome_, memo->outcome);
    if (is_as_in_first_walk)
      wake_dependents(outcome_);
    else
      wake_targets(rule);
    return;
  }
  Judgement& judgement = outcome_.judgement;
  outcome_.changes.clear();
  const bool has_witness = wake_ != nullptr && options_.detail == Detail::verdict;
  judge_check(rule, table_, judgement, options_.detail,
              has_witness ? &wake_->witness(position) : nullptr);
  if (!is_doubtful_ || judgement.verdict != Verdict::violated) return;
  judgement.clear();
  judgement.verdict = Verdict::undecided;
  judgement.waits_for = doubt_.waits_for;
  judgement.error = doubt_.error;
}

bool Pipeline::ends_stage(const CompiledStretch& stretch) {
  std::size_t yes = 0;
  std::size_t no = 0;
  std::size_t all = 0;
  Judgement reasons;
  if (wake_ != nullptr) {
    wake_->come_to(stretch.end_rule);
    wake_->catch_up(table_, stretch.base_facts);
  }
  const bool is_complete = for_each_combination(table_, stretch.base_facts, [&] {
    const Truth truth = evaluate_truth(*stretch.stop_when, table_);
    ++all;
    yes += truth.is_yes() ? 1 : 0;
    no += truth.is_no() ? 1 : 0;
    if (!truth.is_yes() && !truth.is_no()) add_reason(truth.reason, reasons);
    return true;
  });
  if (is_complete && yes == all) return true;
  if (is_complete && no == all) return false;
  const bool is_only_unknown = is_complete && yes == 0 && !reasons.waits_for.empty();
  if (stretch.assume_not_when_unresolved && is_only_unknown) return false;
  is_doubtful_ = true;
  if (wake_ != nullptr) wake_->forget_repeats();
  add_slots(doubt_.waits_for, reasons.waits_for);
  if (doubt_.error.empty()) doubt_.error = reasons.error;
  for (const FactId fact : stretch.base_facts)
    if (table_.has_candidates(fact)) add_slots(doubt_.waits_for, table_.waits_for(fact));
  if (!doubt_.waits_for.empty()) doubt_.error = {};
  return false;
}

// What these did in the first walk they have not done this time.
void Pipeline::skip(std::uint32_t begin, std::uint32_t end) {
  if (wake_ == nullptr) return;
  for (std::uint32_t at = begin; at < end; ++at) {
    if (!wake_->is_always_visited(at)) continue;
    wake_->leave_out(table_, at);
    wake_targets(table_.pack().rules()[at]);
  }
}

void Pipeline::wake_targets(const CompiledRule& rule) {
  for (const CompiledAssignment& assignment : rule.effect) wake_->wake(table_, assignment.fact);
}

}  // namespace assay
