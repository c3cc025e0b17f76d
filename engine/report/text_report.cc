// A launch's findings in the engine's order, each as: what is wrong, where, which values made it so
// and where they came from, why, what to do. Then the repairs, what could not be decided, and one
// line that sums up.
#include "engine/report/text_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/report/finding_view.h"
#include "engine/report/source_excerpt.h"
#include "engine/report/utf8_text.h"

namespace assay {
namespace {

constexpr std::size_t kDetailIndent = 5;
constexpr std::size_t kShortReason = 400;  // characters, unless verbose

class LaunchSection {
 public:
  LaunchSection(const ReportInput& input, const CheckedLaunch& checked, const TextOptions& options)
      : input_(input), report_(checked.report), launch_(checked.launch), options_(options) {}

  std::string write() {
    if (launch_ && !launch_->label.empty())
      out_ += paint(printable(launch_->label), Ink::bold) + "\n\n";
    for (const Finding& finding : report_.findings) write_finding(finding);
    for (const Finding& finding : report_.undecided) {
      const bool is_about_what_is_seen = finding.is_violated_as_seen && finding.span.is_known();
      if (options_.is_verbose || is_about_what_is_seen) write_undecided(finding);
    }
    if (options_.is_verbose) write_adjustments();
    write_repairs();
    if (!options_.is_verbose) write_missing_facts();
    write_summary();
    return std::move(out_);
  }

 private:
  std::string paint(std::string_view text, Ink ink) const {
    return options_.style.paint(text, ink);
  }

  // "   = why: ..." with the text wrapped behind the word.
  void write_detail(std::string_view word, std::string_view text, Ink ink = Ink::plain) {
    std::string head = fmt::format("   {} ", paint("=", Ink::blue));
    if (!word.empty()) head += paint(word, ink == Ink::plain ? Ink::bold : ink) + ": ";
    out_ +=
        wrapped(head, kDetailIndent + (word.empty() ? 0 : word.size() + 2), text, options_.style);
  }

  void write_headline(std::string_view word, Ink ink, const Finding& finding) {
    const std::string rule = printable(finding_rule_id(finding));
    const std::string head =
        fmt::format("{}{} ", paint(word, ink), paint(fmt::format("[{}]:", rule), Ink::dim));
    out_ += head + paint(printable(finding_message(finding)), Ink::bold) + "\n";
  }

  void write_excerpt(const Finding& finding) {
    std::vector<Span> places;
    if (finding.span.is_known()) places.push_back(finding.span);
    for (const FactUse& fact : finding.facts)
      if (fact.span.is_known() && !(fact.span == finding.span)) places.push_back(fact.span);
    out_ += source_excerpt(*input_.sources, places, options_.style);
  }

  void write_finding(const Finding& finding) {
    const ErrorRecord* record = finding_record(finding, input_.dataset);
    write_headline(to_string(finding.severity), ink_of(finding.severity), finding);
    write_excerpt(finding);
    for (const FactUse& fact : finding.facts) write_detail("", fact_sentence(fact, finding));
    std::string reason = finding_reason(finding, record);
    if (!options_.is_verbose) reason = shortened(reason, kShortReason);
    if (!reason.empty()) write_detail("why", reason);
    for (const std::string& solution : finding_solutions(finding, record))
      write_detail("fix", solution, Ink::green);
    if (options_.is_verbose && finding.rule && !finding.rule->ignore_when.empty())
      write_detail("ignore when", finding.rule->ignore_when);
    if (record) write_detail("more", fmt::format("assay explain {}", record->id));
    const std::string stop = stop_sentence(finding);
    if (!stop.empty()) write_detail("", stop);
    out_ += '\n';
  }

  void write_undecided(const Finding& finding) {
    write_headline("undecided", Ink::dim, finding);
    write_excerpt(finding);
    for (const FactUse& fact : finding.facts) write_detail("", fact_sentence(fact, finding));
    if (finding.is_violated_as_seen)
      write_detail("violated unless an argument that is not seen here mends it",
                   fmt::format("{}", fmt::join(finding.waits_for, ", ")));
    else if (!finding.waits_for.empty())
      write_detail("waits for", fmt::format("{}", fmt::join(finding.waits_for, ", ")));
    if (!finding.evaluation_error.empty())
      write_detail("could not be evaluated", finding.evaluation_error);
    out_ += '\n';
  }

  void write_adjustments() {
    if (report_.adjustments.empty()) return;
    out_ += paint("What the engine changes by itself", Ink::bold) + "\n";
    for (const Adjustment& adjustment : report_.adjustments) {
      const std::string by = adjustment.rule ? adjustment.rule->id : std::string();
      out_ += wrapped("  - ", 4,
                      fmt::format("`{}`: {} becomes {} ({})", adjustment.fact, adjustment.before,
                                  adjustment.after, by),
                      options_.style);
      if (!adjustment.message.empty())
        out_ += wrapped("    ", 4, adjustment.message, options_.style);
    }
    out_ += '\n';
  }

  void write_repair(const std::string& head, const Repair& repair) {
    std::vector<std::string> changes;
    for (const RepairChange& change : repair.changes) {
      std::string text = change.flag;
      if (!change.before.empty()) text += fmt::format(" (was {})", change.before);
      changes.push_back(std::move(text));
    }
    out_ += wrapped(paint(head, Ink::green) + ": ", head.size() + 2,
                    fmt::format("{}", fmt::join(changes, ", ")), options_.style);
    if (!repair.why.empty()) out_ += wrapped("  ", 2, repair.why, options_.style);
    if (!repair.leaves.empty())
      out_ +=
          wrapped("  ", 2, fmt::format("Still violated then: {}.", fmt::join(repair.leaves, ", ")),
                  options_.style);
    const std::string& shown = repair.lines.empty() ? repair.command : repair.lines;
    if (!shown.empty()) out_ += '\n' + indented(4, shown);
    out_ += '\n';
  }

  void write_repairs() {
    const std::vector<Repair>& repairs = report_.repairs;
    for (std::size_t i = 0; i < repairs.size(); ++i)
      write_repair(repairs.size() == 1 ? "repair" : fmt::format("repair {}", i + 1), repairs[i]);
    if (repairs.empty() && !report_.no_repair_reason.empty())
      out_ += wrapped(paint("no repair", Ink::yellow) + ": ", 11, report_.no_repair_reason,
                      options_.style) +
              '\n';
    if (report_.partial_repair) write_repair("partial repair", *report_.partial_repair);
  }

  // "12 rules: --gpu NAMExCOUNT and --model-config FILE would decide more"
  void write_missing_facts() {
    if (report_.undecided.empty()) return;
    const auto failed = static_cast<std::size_t>(
        std::count_if(report_.undecided.begin(), report_.undecided.end(),
                      [](const Finding& f) { return f.waits_for.empty(); }));
    const std::size_t waiting = report_.undecided.size() - failed;
    const auto rules = [](std::size_t count) {
      return count == 1 ? std::string("1 rule") : fmt::format("{} rules", count);
    };
    std::vector<std::string> parts;
    if (waiting > 0) {
      const std::string ways = how_to_decide(missing_facts(report_));
      parts.push_back(ways.empty()
                          ? fmt::format("{} on what only the running engine knows", rules(waiting))
                          : fmt::format("{}: {} would decide more", rules(waiting), ways));
    }
    if (failed > 0)
      parts.push_back(fmt::format("{} could not be evaluated (--verbose says why)", rules(failed)));
    out_ += wrapped(paint("undecided", Ink::cyan) + ": ", 11,
                    fmt::format("{}", fmt::join(parts, "; ")), options_.style) +
            '\n';
  }

  // What of the input says that this release runs.
  std::string release_source() const {
    if (launch_ == nullptr) return {};
    for (const GivenFact& fact : launch_->facts)
      if (fact.name == "version.engine" && fact.value.text == report_.engine_version)
        return ", " + printable(fact.source);
    return {};
  }

  void write_summary() {
    const FindingCounts counts = count_findings(report_);
    std::vector<std::string> parts;
    const auto add = [&](std::size_t count, std::string_view one, std::string_view many) {
      if (count > 0) parts.push_back(fmt::format("{} {}", count, count == 1 ? one : many));
    };
    add(counts.errors, "error", "errors");
    add(counts.warnings, "warning", "warnings");
    add(counts.notes, "note", "notes");
    const bool is_clean = counts.errors + counts.warnings == 0;
    if (is_clean) parts.insert(parts.begin(), "no rule is broken");
    add(report_.undecided.size(), "undecided", "undecided");
    add(report_.rules_satisfied, "satisfied", "satisfied");
    add(report_.rules_not_applicable, "not applicable", "not applicable");
    const Ink ink = counts.errors > 0 ? Ink::red : counts.warnings > 0 ? Ink::yellow : Ink::green;
    const std::string sum = fmt::format("{}", fmt::join(parts, ", "));
    out_ += paint(sum, ink) +
            paint(fmt::format(" (checked against {} {}{})", printable(report_.pack),
                              printable(report_.engine_version), release_source()),
                  Ink::dim) +
            "\n";
  }

  const ReportInput& input_;
  const CheckReport& report_;
  const Launch* launch_;
  const TextOptions& options_;
  std::string out_;
};

}  // namespace

std::string write_text_report(const ReportInput& input, const TextOptions& options) {
  std::string out;
  for (const CheckedLaunch& checked : input.launches) {
    if (!out.empty()) out += '\n';
    out += LaunchSection(input, checked, options).write();
  }
  return out;
}

}  // namespace assay
