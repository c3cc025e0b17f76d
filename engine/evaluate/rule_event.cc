// A check that is violated is a finding, and so is a derivation of severity warning or error that
// changed a value. What is undecided is told unless it is a derivation of severity note.
#include "engine/evaluate/rule_event.h"

#include <algorithm>

namespace assay {

bool is_any_change(const DerivationOutcome& outcome) {
  return std::any_of(outcome.changes.begin(), outcome.changes.end(),
                     [](const FactChange& change) { return change.is_change; });
}

bool is_quiet(const CompiledRule& rule) {
  return rule.is_derivation() && rule.source->severity == Severity::note;
}

RuleEvent event_of(const CompiledRule& rule, const DerivationOutcome& outcome) {
  RuleEvent event;
  event.rule = rule.source;
  event.position = rule.position;
  event.verdict = outcome.judgement.verdict;
  event.severity = rule.source->severity;
  event.is_placed = rule.is_placed();
  event.is_finding = event.verdict == Verdict::violated ||
                     (event.verdict == Verdict::satisfied && rule.is_derivation() &&
                      event.severity != Severity::note && is_any_change(outcome));
  event.is_undecided = event.verdict == Verdict::undecided && !is_quiet(rule);
  return event;
}

}  // namespace assay
