// Absent values are left out, empty lists are written: a reader needs no case for null.
#include "engine/report/json_report.h"

#include "engine/report/finding_view.h"
#include "engine/report/json_writer.h"

namespace assay {
namespace {

void optional_text(JsonWriter& json, std::string_view name, std::string_view value) {
  if (!value.empty()) json.member(name, value);
}

std::string_view stage_name(LaunchStage stage) {
  switch (stage) {
    case LaunchStage::raw:
      return "raw";
    case LaunchStage::resolved:
      return "resolved";
    case LaunchStage::help:
      break;
  }
  return "help";
}

// Part of the format: not to follow a change of what is shown to people.
std::string_view origin_name(Origin origin) {
  switch (origin) {
    case Origin::default_value:
      return "default";
    case Origin::argument:
      return "argument";
    case Origin::environment:
      return "environment";
    case Origin::command_line_fact:
      return "given";
    case Origin::model_config:
      return "model-config";
    case Origin::machine:
      return "machine";
    case Origin::pack_default:
      return "pack-default";
    case Origin::rule:
      return "rule";
    case Origin::computed:
      return "computed";
    case Origin::unknown:
      break;
  }
  return "unknown";
}

void write_place(JsonWriter& json, std::string_view name, const SourceSet& sources, Span span) {
  if (!span.is_known()) return;
  const Source& source = sources.get(span.source);
  const Position begin = source.position(span.begin);
  const Position end = source.position(span.end);
  json.key(name)
      .begin_object()
      .member("file", source.name())
      .key("line")
      .integer(begin.line)
      .key("column")
      .integer(begin.column)
      .key("endLine")
      .integer(end.line)
      .key("endColumn")
      .integer(end.column)
      .end_object();
}

class CheckJson {
 public:
  explicit CheckJson(const ReportInput& input)
      : input_(input), json_(JsonWriter::Layout::indented) {}

  std::string write() {
    json_.begin_object()
        .key("formatVersion")
        .integer(kReportFormatVersion)
        .member("kind", "check")
        .key("launches")
        .begin_array();
    for (const CheckedLaunch& checked : input_.launches) write_launch(checked);
    json_.end_array().end_object();
    return json_.take() + "\n";
  }

 private:
  void write_launch(const CheckedLaunch& checked) {
    const CheckReport& report = checked.report;
    json_.begin_object().member("pack", report.pack).member("engineVersion", report.engine_version);
    if (checked.launch) {
      optional_text(json_, "label", checked.launch->label);
      json_.member("stage", stage_name(checked.launch->stage));
      write_place(json_, "place", *input_.sources, checked.launch->span);
    }
    json_.key("ok").boolean(!report.has_violations());
    json_.key("findings").begin_array();
    for (const Finding& finding : report.findings) write_finding(finding);
    json_.end_array().key("undecided").begin_array();
    for (const Finding& finding : report.undecided) write_finding(finding);
    json_.end_array().key("missingFacts").begin_array();
    for (const MissingFact& fact : missing_facts(report))
      json_.begin_object().member("name", fact.name).key("rules").count(fact.rules).end_object();
    json_.end_array().key("adjustments").begin_array();
    for (const Adjustment& adjustment : report.adjustments) write_adjustment(adjustment);
    json_.end_array().key("repairs").begin_array();
    for (const Repair& repair : report.repairs) write_repair(repair);
    json_.end_array();
    optional_text(json_, "noRepairReason", report.no_repair_reason);
    if (report.partial_repair) {
      json_.key("partialRepair");
      write_repair(*report.partial_repair);
    }
    json_.key("rules")
        .begin_object()
        .key("checked")
        .integer(report.rules_checked)
        .key("satisfied")
        .integer(report.rules_satisfied)
        .key("notApplicable")
        .integer(report.rules_not_applicable)
        .end_object()
        .end_object();
  }

  void write_finding(const Finding& finding) {
    const ErrorRecord* record = finding_record(finding, input_.dataset);
    json_.begin_object()
        .member("rule", finding_rule_id(finding))
        .member("verdict", finding.verdict == Verdict::undecided ? "undecided" : "violated")
        .member("severity", to_string(finding.severity))
        .member("message", finding_message(finding))
        .member("summary", finding_summary(finding));
    optional_text(json_, "case", finding.label);
    write_place(json_, "place", *input_.sources, finding.span);
    json_.key("facts").begin_array();
    for (const FactUse& fact : finding.facts) write_fact(fact);
    json_.end_array();
    if (finding.verdict == Verdict::undecided) json_.member("waitsFor", finding.waits_for);
    if (finding.is_violated_as_seen) json_.key("violatedAsSeen").boolean(true);
    optional_text(json_, "evaluationError", finding.evaluation_error);
    if (finding.stops_here || finding.stops_here_at_the_latest)
      json_.member("stops", finding.stops_here_at_the_latest ? "here-at-the-latest" : "here");
    optional_text(json_, "reason", finding_reason(finding, record));
    json_.member("solutions", finding_solutions(finding, record));
    if (record) json_.member("record", record->id);
    write_source(finding);
    json_.end_object();
  }

  void write_source(const Finding& finding) {
    if (!finding.rule || finding.rule->source.file.empty()) return;
    const RuleSource& source = finding.rule->source;
    json_.key("source").begin_object().member("file", source.file);
    if (source.line != 0) json_.key("line").integer(source.line);
    optional_text(json_, "commit", source.sha);
    optional_text(json_, "raises", source.raises);
    json_.end_object();
  }

  void write_fact(const FactUse& fact) {
    json_.begin_object()
        .member("name", fact.name)
        .member("value", fact.value)
        .member("origin", origin_name(fact.origin));
    if (fact.rule) json_.member("setBy", fact.rule->id);
    optional_text(json_, "before", fact.before);
    if (fact.candidates.size() > 1) json_.member("candidates", fact.candidates);
    write_place(json_, "place", *input_.sources, fact.span);
    json_.end_object();
  }

  void write_adjustment(const Adjustment& adjustment) {
    json_.begin_object();
    if (adjustment.rule) json_.member("rule", adjustment.rule->id);
    json_.member("fact", adjustment.fact)
        .member("before", adjustment.before)
        .member("after", adjustment.after);
    optional_text(json_, "message", adjustment.message);
    json_.end_object();
  }

  void write_repair(const Repair& repair) {
    json_.begin_object().key("changes").begin_array();
    for (const RepairChange& change : repair.changes) {
      json_.begin_object()
          .member("fact", change.name)
          .member("flag", change.flag)
          .member("before", change.before);
      if (change.is_unset) {
        json_.key("unset").boolean(true);
      } else {
        json_.key("value").node(change.value);
      }
      json_.end_object();
    }
    json_.end_array();
    optional_text(json_, "why", repair.why);
    if (!repair.leaves.empty()) json_.member("leaves", repair.leaves);
    json_.member("command", repair.command).end_object();
  }

  const ReportInput& input_;
  JsonWriter json_;
};

}  // namespace

std::string write_json_report(const ReportInput& input) { return CheckJson(input).write(); }

}  // namespace assay
