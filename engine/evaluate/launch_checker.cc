// Loads the launch into the table of facts, walks the pipeline, and writes the report on the way,
// while the facts stand as the rule saw them. With a workspace, for a raw launch of the version the
// pack takes by default, only the rules that the launch can change are run (wake_set.h); otherwise
// all of them.
#include "engine/evaluate/launch_checker.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "engine/evaluate/check_workspace.h"
#include "engine/evaluate/finding_builder.h"
#include "engine/evaluate/launch_facts.h"
#include "engine/evaluate/pipeline.h"
#include "engine/evaluate/walk_tally.h"

namespace assay {
namespace {

bool is_any_change(const DerivationOutcome& outcome) {
  return std::any_of(outcome.changes.begin(), outcome.changes.end(),
                     [](const FactChange& change) { return change.is_change; });
}

// An undecided derivation that would only fill in a value is not worth a word.
bool is_quiet(const CompiledRule& rule) {
  return rule.is_derivation() && rule.source->severity == Severity::note;
}

// Collects verdicts.
class VerdictWriter {
 public:
  VerdictWriter(FactTable& table, const std::vector<bool>& is_enabled, WakeSet* wake,
                LaunchVerdicts& verdicts)
      : pack_(table.pack()), tally_(pack_, is_enabled, wake), verdicts_(verdicts) {}

  void enter(std::uint32_t position) { tally_.enter(position); }
  void skip(std::uint32_t begin, std::uint32_t end) { tally_.skip(begin, end); }

  void leave(std::uint32_t position, const DerivationOutcome& outcome) {
    const CompiledRule& rule = pack_.rules()[position];
    const Verdict verdict = outcome.judgement.verdict;
    tally_.leave(position, verdict);
    const bool fires = verdict == Verdict::violated ||
                       (verdict == Verdict::satisfied && rule.is_derivation() &&
                        rule.source->severity != Severity::note && is_any_change(outcome));
    if (fires) add({rule.source, nullptr, tally_.stops_at(rule)}, rule.source->severity);
    if (verdict == Verdict::undecided && !is_quiet(rule))
      verdicts_.undecided.push_back(rule.source);
  }

  void add_faults(const Launch& launch) {
    for (const LaunchFault& fault : launch.faults) {
      const Severity severity = fault.diagnostic.severity;
      add({nullptr, &fault, tally_.stops_at(severity)}, severity);
    }
  }

  void finish() { verdicts_.counts = tally_.counts(); }

 private:
  void add(const RuleVerdict& verdict, Severity severity) {
    verdicts_.violated.push_back(verdict);
    if (severity == Severity::error) verdicts_.is_refused = true;
  }

  const CompiledPack& pack_;
  WalkTally tally_;
  LaunchVerdicts& verdicts_;
};

// Writes down what the walk finds, while the facts stand as the rule saw them.
class ReportWriter {
 public:
  ReportWriter(FactTable& table, const std::vector<bool>& is_enabled, WakeSet* wake,
               CheckReport& report)
      : table_(table), wake_(wake), tally_(table.pack(), is_enabled, wake), report_(report) {}

  void enter(std::uint32_t position) { tally_.enter(position); }
  void skip(std::uint32_t begin, std::uint32_t end) { tally_.skip(begin, end); }

  void leave(std::uint32_t position, const DerivationOutcome& outcome) {
    const CompiledRule& rule = table_.pack().rules()[position];
    const Verdict verdict = outcome.judgement.verdict;
    tally_.leave(position, verdict);
    if (verdict == Verdict::violated) add_violation(position, outcome);
    if (verdict == Verdict::satisfied && rule.is_derivation()) add_changes(position, outcome);
    if (verdict == Verdict::undecided && !is_quiet(rule))
      report_.undecided.push_back(shared_finding(position, outcome));
  }

  // The launch's own faults come before every rule.
  void add_faults(const Launch& launch) {
    for (const LaunchFault& fault : launch.faults) {
      Finding finding;
      finding.fault = &fault;
      finding.message = fault.message.empty() ? fault.diagnostic.message : fault.message;
      finding.severity = fault.diagnostic.severity;
      finding.span = fault.diagnostic.span;
      mark(finding, tally_.stops_at(finding.severity));
      report_.findings.push_back(std::move(finding));
    }
  }

  void finish() {
    report_.rules_checked = tally_.counts().checked;
    report_.rules_satisfied = tally_.counts().satisfied;
    report_.rules_not_applicable = tally_.counts().not_applicable;
  }

 private:
  static void mark(Finding& finding, StopsHere stops) {
    finding.stops_here = stops == StopsHere::yes;
    finding.stops_here_at_the_latest = stops == StopsHere::at_the_latest;
  }

  // The memo of a rule that is repeated, not run.
  RuleMemo* repeated(std::uint32_t position) {
    return wake_ == nullptr || wake_->is_awake(position) ? nullptr : wake_->memo(position);
  }

  std::shared_ptr<const Finding> shared_finding(std::uint32_t position,
                                                const DerivationOutcome& outcome) {
    RuleMemo* memo = repeated(position);
    if (memo == nullptr || !wake_->is_told_as_in_memo(position))
      return std::make_shared<const Finding>(make_finding(position, outcome, table_));
    if (memo->finding == nullptr)
      memo->finding = std::make_shared<const Finding>(make_finding(position, outcome, table_));
    return memo->finding;
  }

  void add_violation(std::uint32_t position, const DerivationOutcome& outcome) {
    Finding finding = *shared_finding(position, outcome);
    mark(finding, tally_.stops_at(table_.pack().rules()[position]));
    report_.findings.push_back(std::move(finding));
  }

  void add_changes(std::uint32_t position, const DerivationOutcome& outcome) {
    if (!is_any_change(outcome)) return;
    if (table_.pack().rules()[position].source->severity != Severity::note) {
      report_.findings.push_back(*shared_finding(position, outcome));
      return;
    }
    RuleMemo* memo = repeated(position);
    if (memo == nullptr) {
      write_adjustments(position, outcome, report_.adjustments);
      return;
    }
    if (!memo->adjustments) write_adjustments(position, outcome, memo->adjustments.emplace());
    report_.adjustments.append(*memo->adjustments);
  }

  void write_adjustments(std::uint32_t position, const DerivationOutcome& outcome,
                         SharedList<Adjustment>& adjustments) {
    bool is_first = true;
    for (const FactChange& change : outcome.changes) {
      if (!change.is_change) continue;
      Adjustment adjustment;
      adjustment.rule = table_.pack().rules()[position].source;
      adjustment.fact = table_.pack().schema().facts[change.fact].name;
      adjustment.before = text_before(change);
      adjustment.after = fact_text(table_, change.fact);
      if (is_first) adjustment.message = derivation_message(position, outcome, table_);
      is_first = false;
      adjustments.push_back(std::move(adjustment));
    }
  }

  FactTable& table_;
  WakeSet* wake_;
  WalkTally tally_;
  CheckReport& report_;
};

// Walks the facts of `state` with a writer.
template <class Writer, class Results>
void walk(CheckWorkspace::State& state, const Launch& launch, bool use_index, Results& results) {
  std::vector<bool> is_enabled;
  WakeSet* wake = prepare_walk(state, launch.stage, use_index, is_enabled);
  Writer writer(state.table, is_enabled, wake, results);
  writer.add_faults(launch);
  Pipeline(state.table, is_enabled, wake).run(writer);
  writer.finish();
}

}  // namespace

void judge_launch(const CompiledPack& pack, const Launch& launch, std::span<const GivenFact> facts,
                  CheckWorkspace& workspace, LaunchVerdicts& verdicts) {
  CheckWorkspace::State& state = workspace.state();
  ASSAY_CHECK(&state.table.pack() == &pack, "a workspace is used with the pack it was made for");
  load_launch(launch, facts, state.table);
  verdicts.clear();
  walk<VerdictWriter>(state, launch, true, verdicts);
}

CheckReport check_launch(const CompiledPack& pack, const Launch& launch,
                         std::span<const GivenFact> facts, const CheckOptions& options,
                         CheckWorkspace* workspace) {
  std::optional<CheckWorkspace::State> own;
  if (workspace == nullptr) {
    own.emplace(pack);
    if (options.use_index && pack.has_stored_walk()) own->wake.emplace(own->table);
  }
  CheckWorkspace::State& state = workspace == nullptr ? *own : workspace->state();
  ASSAY_CHECK(&state.table.pack() == &pack, "a workspace is used with the pack it was made for");
  load_launch(launch, facts, state.table);

  CheckReport report;
  report.pack = pack.source().name;
  report.engine_version = engine_version(state.table);
  walk<ReportWriter>(state, launch, options.use_index, report);
  return report;
}

}  // namespace assay
