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

namespace assay {
namespace {

// Collects what the walk finds.
class ReportWriter {
 public:
  ReportWriter(FactTable& table, const std::vector<bool>& is_enabled, WakeSet* wake,
               CheckReport& report)
      : table_(table), is_enabled_(is_enabled), wake_(wake), report_(report) {
    if (wake == nullptr) {
      for (const bool enabled : is_enabled) report.rules_checked += enabled ? 1u : 0u;
      return;
    }
    report.rules_checked = wake->enabled_count();
    report.rules_satisfied = wake->sleeping_satisfied();
    report.rules_not_applicable = wake->sleeping_not_applicable();
  }

  void enter(std::uint32_t position) { count_sleeping(position, -1); }

  void leave(std::uint32_t position, const DerivationOutcome& outcome) {
    const CompiledRule& rule = table_.pack().rules()[position];
    switch (outcome.judgement.verdict) {
      case Verdict::not_applicable:
        ++report_.rules_not_applicable;
        return;
      case Verdict::satisfied:
        ++report_.rules_satisfied;
        if (rule.is_derivation()) add_changes(position, outcome);
        return;
      case Verdict::violated:
        add_violation(position, outcome);
        return;
      case Verdict::undecided:
        break;
    }
    const bool is_quiet = rule.is_derivation() && rule.source->severity == Severity::note;
    if (!is_quiet) report_.undecided.push_back(shared_finding(position, outcome));
    if (rule.source->severity == Severity::error && rule.is_placed()) was_undecided_ = true;
  }

  void skip(std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t at = begin; at < end; ++at) {
      const bool is_enabled = wake_ != nullptr ? wake_->is_enabled(at) : is_enabled_[at];
      if (!is_enabled) continue;
      count_sleeping(at, -1);
      ++report_.rules_not_applicable;
    }
  }

  // The launch's own faults come before every rule.
  void add_faults(const Launch& launch) {
    for (const LaunchFault& fault : launch.faults) {
      Finding finding;
      finding.fault = &fault;
      finding.message = fault.message.empty() ? fault.diagnostic.message : fault.message;
      finding.severity = fault.diagnostic.severity;
      finding.span = fault.diagnostic.span;
      if (finding.severity == Severity::error && !is_stopped_) {
        is_stopped_ = true;
        finding.stops_here = true;
      }
      report_.findings.push_back(std::move(finding));
    }
  }

 private:
  // Takes a sleeping rule's verdict out of the counts.
  void count_sleeping(std::uint32_t position, std::int32_t change) {
    if (wake_ == nullptr || wake_->is_always_visited(position)) return;
    std::uint32_t& count = wake_->sleeping_verdict(position) == Verdict::satisfied
                               ? report_.rules_satisfied
                               : report_.rules_not_applicable;
    count += static_cast<std::uint32_t>(change);
  }

  // The memo of a rule that is repeated, not run.
  RuleMemo* repeated(std::uint32_t position) {
    return wake_ == nullptr || wake_->is_awake(position) ? nullptr : wake_->memo(position);
  }

  std::shared_ptr<const Finding> shared_finding(std::uint32_t position,
                                                const DerivationOutcome& outcome) {
    RuleMemo* memo = repeated(position);
    if (memo == nullptr)
      return std::make_shared<const Finding>(make_finding(position, outcome, table_));
    if (memo->finding == nullptr)
      memo->finding = std::make_shared<const Finding>(make_finding(position, outcome, table_));
    return memo->finding;
  }

  void add_violation(std::uint32_t position, const DerivationOutcome& outcome) {
    Finding finding = repeated(position) != nullptr ? *shared_finding(position, outcome)
                                                    : make_finding(position, outcome, table_);
    const bool stops = finding.severity == Severity::error &&
                       table_.pack().rules()[position].is_placed() && !is_stopped_;
    if (stops) {
      is_stopped_ = true;
      finding.stops_here = !was_undecided_;
      finding.stops_here_at_the_latest = was_undecided_;
    }
    report_.findings.push_back(std::move(finding));
  }

  void add_changes(std::uint32_t position, const DerivationOutcome& outcome) {
    const bool is_change = std::any_of(outcome.changes.begin(), outcome.changes.end(),
                                       [](const FactChange& change) { return change.is_change; });
    if (!is_change) return;
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
  const std::vector<bool>& is_enabled_;
  WakeSet* wake_;
  CheckReport& report_;
  bool is_stopped_ = false;
  bool was_undecided_ = false;
};

}  // namespace

CheckReport check_launch(const CompiledPack& pack, const Launch& launch,
                         std::span<const GivenFact> facts, const CheckOptions& options,
                         CheckWorkspace* workspace) {
  std::optional<CheckWorkspace::State> own;
  if (workspace == nullptr) own.emplace(pack);
  CheckWorkspace::State& state = workspace == nullptr ? *own : workspace->state();
  ASSAY_CHECK(&state.table.pack() == &pack, "a workspace is used with the pack it was made for");
  FactTable& table = state.table;
  load_launch(launch, facts, table);

  CheckReport report;
  report.pack = pack.source().name;
  report.engine_version = engine_version(table);
  std::vector<bool> is_enabled;
  WakeSet* wake = prepare_walk(state, launch.stage, options.use_index, is_enabled);
  ReportWriter writer(table, is_enabled, wake, report);
  writer.add_faults(launch);
  Pipeline(table, is_enabled, wake).run(writer);
  return report;
}

}  // namespace assay
