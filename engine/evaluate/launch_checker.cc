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
#include "engine/evaluate/rule_event.h"
#include "engine/evaluate/unseen_arguments.h"
#include "engine/evaluate/walk_tally.h"

namespace assay {
namespace {

// Collects verdicts. Rules that repeat what they did in the first walk need not be walked over:
// what they found is told when the walk has passed them.
class VerdictWriter {
 public:
  VerdictWriter(FactTable& table, const Launch& launch, const std::vector<bool>& is_enabled,
                WakeSet* wake, LaunchVerdicts& verdicts)
      : table_(table),
        pack_(table.pack()),
        wake_(wake),
        unseen_(launch),
        tally_(pack_, is_enabled, wake),
        verdicts_(verdicts) {
    if (wake != nullptr) passed_over_ = wake->passed_over();
  }

  void enter(std::uint32_t position) {
    tell_passed_over(position);
    tally_.enter(position);
  }
  void skip(std::uint32_t begin, std::uint32_t end) { tally_.skip(begin, end); }

  void leave(std::uint32_t position, const DerivationOutcome& outcome) {
    const CompiledRule& rule = pack_.rules()[position];
    RuleEvent event = event_of(rule, outcome);
    std::vector<std::uint32_t> waits_for;
    if (event.verdict == Verdict::violated && unseen_.may_mend(rule, table_, waits_for)) {
      event.verdict = Verdict::undecided;
      event.is_finding = false;
      event.is_undecided = true;
    }
    tell(event);
    if (!passed_over_.empty() && passed_over_.front().position == position)
      passed_over_ = passed_over_.subspan(1);
  }

  void add_faults(const Launch& launch) {
    for (const LaunchFault& fault : launch.faults) {
      const Severity severity = fault.diagnostic.severity;
      add({nullptr, &fault, tally_.stops_at(severity)}, severity);
    }
  }

  void finish() {
    tell_passed_over(kUnplaced);
    verdicts_.counts = tally_.counts();
  }

 private:
  void tell_passed_over(std::uint32_t position) {
    std::size_t count = 0;
    for (; count < passed_over_.size() && passed_over_[count].position < position; ++count)
      if (!wake_->is_awake(passed_over_[count].position)) tell(passed_over_[count]);
    passed_over_ = passed_over_.subspan(count);
  }

  void tell(const RuleEvent& event) {
    tally_.count(event.verdict, event.severity, event.is_placed);
    if (event.is_finding)
      add({event.rule, nullptr, tally_.stops_at(event.severity, event.is_placed)}, event.severity);
    if (event.is_undecided) verdicts_.undecided.push_back(event.rule);
  }

  void add(const RuleVerdict& verdict, Severity severity) {
    verdicts_.violated.push_back(verdict);
    if (severity == Severity::error) verdicts_.is_refused = true;
  }

  FactTable& table_;
  const CompiledPack& pack_;
  const WakeSet* wake_;
  std::span<const RuleEvent> passed_over_;
  const UnseenArguments unseen_;
  WalkTally tally_;
  LaunchVerdicts& verdicts_;
};

// Writes down what the walk finds, while the facts stand as the rule saw them.
class ReportWriter {
 public:
  ReportWriter(FactTable& table, const Launch& launch, const std::vector<bool>& is_enabled,
               WakeSet* wake, CheckReport& report)
      : table_(table),
        unseen_(launch),
        wake_(wake),
        tally_(table.pack(), is_enabled, wake),
        report_(report) {}

  void enter(std::uint32_t position) { tally_.enter(position); }
  void skip(std::uint32_t begin, std::uint32_t end) { tally_.skip(begin, end); }

  void leave(std::uint32_t position, const DerivationOutcome& outcome) {
    const CompiledRule& rule = table_.pack().rules()[position];
    const Verdict verdict = outcome.judgement.verdict;
    std::vector<std::uint32_t> waits_for;
    if (verdict == Verdict::violated && unseen_.may_mend(rule, table_, waits_for)) {
      tally_.leave(position, Verdict::undecided);
      return add_mendable(position, outcome, waits_for);
    }
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

  // Violated unless an argument that is not shown mends it.
  void add_mendable(std::uint32_t position, const DerivationOutcome& outcome,
                    const std::vector<std::uint32_t>& waits_for) {
    Finding finding = make_finding(position, outcome, table_);
    finding.verdict = Verdict::undecided;
    finding.is_violated_as_seen = true;
    finding.waits_for = slot_names(table_.pack(), waits_for);
    report_.undecided.push_back(std::make_shared<const Finding>(std::move(finding)));
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
  const UnseenArguments unseen_;
  WakeSet* wake_;
  WalkTally tally_;
  CheckReport& report_;
};

// Walks the facts of `state` with a writer.
template <class Writer, class Results>
void walk(CheckWorkspace::State& state, const Launch& launch, const WalkPlan& plan,
          Results& results) {
  std::vector<bool> is_enabled;
  WakeSet* wake = prepare_walk(state, launch.stage, plan, is_enabled);
  Writer writer(state.table, launch, is_enabled, wake, results);
  writer.add_faults(launch);
  Pipeline(state.table, is_enabled, wake, state.outcome, {StopRule::as_written, plan.detail})
      .run(writer);
  writer.finish();
}

}  // namespace

void judge_launch(const CompiledPack& pack, const Launch& launch, std::span<const GivenFact> facts,
                  CheckWorkspace& workspace, LaunchVerdicts& verdicts) {
  CheckWorkspace::State& state = workspace.state();
  ASSAY_CHECK(&state.table.pack() == &pack, "a workspace is used with the pack it was made for");
  load_launch(launch, facts, state.table);
  verdicts.clear();
  // Whether an argument that is not shown would mend a violation is asked on the facts as they
  // stand.
  const bool needs_all_facts = launch.has_unseen_arguments;
  walk<VerdictWriter>(state, launch,
                      {true, needs_all_facts ? Repeats::all : Repeats::when_read, Detail::verdict},
                      verdicts);
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
  walk<ReportWriter>(state, launch, {options.use_index, Repeats::all, Detail::reasons}, report);
  return report;
}

}  // namespace assay
