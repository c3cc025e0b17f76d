// SARIF 2.1.0 (OASIS standard): one run; the rules that were broken with their help; a result per
// finding with its region, a fingerprint that survives moved lines, and the repairs as replacements
// of the launch's text. Rules that could not be decided are no results: they are one notification
// of the run, because nobody can mend them in the code.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/report/ci_reports.h"
#include "engine/report/finding_view.h"
#include "engine/report/json_writer.h"

namespace assay {
namespace {

// A source's name as a URI reference: unreserved characters and slashes stay. "<command line>" and
// its like, which are no files, lose their brackets.
std::string uri_of(std::string_view name) {
  if (name.size() > 2 && name.front() == '<' && name.back() == '>')
    name = name.substr(1, name.size() - 2);
  std::string uri;
  for (const char c : name) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') ||
                          std::string_view("-._~/").find(c) != std::string_view::npos;
    if (is_plain) {
      uri += c;
    } else {
      uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return uri;
}

std::string hash_of(std::string_view text) {  // FNV-1a, 64 bits
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return fmt::format("{:016x}", hash);
}

std::string fingerprint(const Finding& finding) {
  std::string key = finding_rule_id(finding) + '\n' + finding.label;
  for (const FactUse& fact : finding.facts) key += '\n' + fact.name + '=' + fact.value;
  if (finding.fault) key += '\n' + finding.fault->flag + '\n' + finding_message(finding);
  return hash_of(key);
}

class SarifText {
 public:
  explicit SarifText(const ReportInput& input)
      : input_(input), json_(JsonWriter::Layout::indented) {
    for (const CheckedLaunch& checked : input.launches)
      for (const Finding& finding : checked.report.findings)
        rules_.emplace(finding_rule_id(finding), &finding);
    std::size_t index = 0;
    for (const auto& [id, finding] : rules_) rule_index_[id] = index++;
  }

  std::string write() {
    json_.begin_object()
        .member("$schema", "https://json.schemastore.org/sarif-2.1.0.json")
        .member("version", "2.1.0")
        .key("runs")
        .begin_array()
        .begin_object();
    write_tool();
    write_invocation();
    write_artifacts();
    json_.member("columnKind", "unicodeCodePoints").key("results").begin_array();
    for (const CheckedLaunch& checked : input_.launches) write_results(checked);
    json_.end_array().end_object().end_array().end_object();
    return json_.take() + "\n";
  }

 private:
  void message(std::string_view name, std::string_view text) {
    json_.key(name).begin_object().member("text", text).end_object();
  }

  void write_tool() {
    json_.key("tool").begin_object().key("driver").begin_object().member("name", "assay");
    json_.key("rules").begin_array();
    for (const auto& [id, finding] : rules_) write_rule(id, *finding);
    json_.end_array().end_object().end_object();
  }

  void write_rule(const std::string& id, const Finding& finding) {
    const ErrorRecord* record = finding_record(finding, input_.dataset);
    json_.begin_object().member("id", id);
    message("shortDescription", finding.rule ? finding_summary(finding)
                                             : "An argument that the engine's parser refuses.");
    const std::string reason = finding.rule ? finding_reason(finding, record) : std::string();
    if (!reason.empty()) message("fullDescription", reason);
    std::string help = reason;
    for (const std::string& solution : finding_solutions(finding, record))
      help += (help.empty() ? "- " : "\n- ") + solution;
    if (!help.empty() && finding.rule) message("help", help);
    if (record && record->github_url && record->github_url->starts_with("https://"))
      json_.member("helpUri", uri_with_scheme(*record->github_url));
    json_.key("defaultConfiguration")
        .begin_object()
        .member("level", to_string(finding.severity))
        .end_object();
    if (record && !record->tags.empty()) {
      std::vector<std::string> tags = record->tags;  // SARIF wants them unique
      std::sort(tags.begin(), tags.end());
      tags.erase(std::unique(tags.begin(), tags.end()), tags.end());
      json_.key("properties").begin_object().member("tags", tags).end_object();
    }
    json_.end_object();
  }

  static std::string uri_with_scheme(std::string_view uri) {
    std::string out;
    for (const char c : uri) {
      const auto byte = static_cast<unsigned char>(c);
      const bool is_allowed = byte > 0x20 && byte < 0x7f &&
                              std::string_view("<>\"{}|\\^`").find(c) == std::string_view::npos;
      if (is_allowed) {
        out += c;
      } else {
        out += fmt::format("%{:02X}", byte);
      }
    }
    return out;
  }

  void write_invocation() {
    json_.key("invocations").begin_array().begin_object();
    json_.key("executionSuccessful").boolean(true);
    json_.key("toolExecutionNotifications").begin_array();
    for (const CheckedLaunch& checked : input_.launches) {
      const auto& undecided = checked.report.undecided;
      if (undecided.empty()) continue;
      std::vector<std::string> names;
      for (const MissingFact& fact : missing_facts(checked.report)) names.push_back(fact.name);
      json_.begin_object().member("level", "note");
      message("message", fmt::format("{} rules could not be decided; they wait for: {}",
                                     undecided.size(), fmt::join(names, ", ")));
      json_.end_object();
    }
    json_.end_array().end_object().end_array();
  }

  // Every source that a result points into, in the order of their ids.
  void write_artifacts() {
    std::map<SourceId, std::size_t> used;
    for (const CheckedLaunch& checked : input_.launches) {
      if (checked.launch && checked.launch->span.is_known()) used[checked.launch->span.source] = 0;
      for (const Finding& finding : checked.report.findings)
        if (finding.span.is_known()) used[finding.span.source] = 0;
    }
    json_.key("artifacts").begin_array();
    for (const auto& [id, unused] : used) {
      const Source& source = input_.sources->get(id);
      artifact_index_[id] = artifact_index_.size();
      json_.begin_object()
          .key("location")
          .begin_object()
          .member("uri", uri_of(source.name()))
          .end_object();
      if (source.name().starts_with('<')) {
        json_.key("contents").begin_object().member("text", source.text()).end_object();
      }
      json_.end_object();
    }
    json_.end_array();
  }

  void write_artifact_location(SourceId id) {
    json_.key("artifactLocation")
        .begin_object()
        .member("uri", uri_of(input_.sources->get(id).name()))
        .key("index")
        .count(artifact_index_[id])
        .end_object();
  }

  void write_region(std::string_view name, Span span) {
    const Source& source = input_.sources->get(span.source);
    const Position begin = source.position(span.begin);
    const Position end = source.position(span.end);
    json_.key(name)
        .begin_object()
        .key("startLine")
        .integer(begin.line)
        .key("startColumn")
        .integer(begin.column)
        .key("endLine")
        .integer(end.line)
        .key("endColumn")
        .integer(end.column)
        .end_object();
  }

  void write_results(const CheckedLaunch& checked) {
    const auto& findings = checked.report.findings;
    // A repair mends all findings of its launch, so it hangs on one of them: where it stops.
    auto carrier = std::find_if(findings.begin(), findings.end(), [](const Finding& f) {
      return f.stops_here || f.stops_here_at_the_latest;
    });
    if (carrier == findings.end())
      carrier = std::find_if(findings.begin(), findings.end(),
                             [](const Finding& f) { return f.severity == Severity::error; });
    for (auto finding = findings.begin(); finding != findings.end(); ++finding)
      write_result(checked, *finding, finding == carrier);
  }

  void write_result(const CheckedLaunch& checked, const Finding& finding, bool carries_repairs) {
    const std::string id = finding_rule_id(finding);
    json_.begin_object()
        .member("ruleId", id)
        .key("ruleIndex")
        .count(rule_index_[id])
        .member("level", to_string(finding.severity));
    std::string text = finding_message(finding);
    for (const FactUse& fact : finding.facts) text += "\n" + fact_sentence(fact, finding);
    const std::string stop = stop_sentence(finding);
    if (!stop.empty()) text += "\n" + stop;
    message("message", text);
    const Span place =
        finding.span.is_known() || !checked.launch ? finding.span : checked.launch->span;
    json_.key("locations").begin_array();
    if (place.is_known()) {
      json_.begin_object().key("physicalLocation").begin_object();
      write_artifact_location(place.source);
      write_region("region", place);
      json_.end_object().end_object();
    }
    json_.end_array();
    json_.key("partialFingerprints")
        .begin_object()
        .member("assayFinding/v1", fingerprint(finding))
        .end_object();
    if (carries_repairs) write_fixes(checked);
    json_.end_object();
  }

  void write_fixes(const CheckedLaunch& checked) {
    const Launch* launch = checked.launch;
    if (!launch || !launch->span.is_known() || launch->form == LaunchForm::dump) return;
    const auto& repairs = checked.report.repairs;
    const auto is_edit = [](const Repair& repair) { return repair.is_in_place; };
    if (std::none_of(repairs.begin(), repairs.end(), is_edit)) return;
    json_.key("fixes").begin_array();
    for (const Repair& repair : repairs) {
      if (!is_edit(repair)) continue;  // a new command, which lacks what stood around the old one
      std::vector<std::string> flags;
      for (const RepairChange& change : repair.changes) flags.push_back(change.flag);
      json_.begin_object();
      message("description", fmt::format("{}", fmt::join(flags, ", ")));
      json_.key("artifactChanges").begin_array().begin_object();
      write_artifact_location(launch->span.source);
      json_.key("replacements").begin_array().begin_object();
      write_region("deletedRegion", launch->span);
      json_.key("insertedContent").begin_object().member("text", repair.command).end_object();
      json_.end_object().end_array().end_object().end_array().end_object();
    }
    json_.end_array();
  }

  const ReportInput& input_;
  JsonWriter json_;
  std::map<std::string, const Finding*> rules_;
  std::map<std::string, std::size_t> rule_index_;
  std::map<SourceId, std::size_t> artifact_index_;
};

}  // namespace

std::string write_sarif_report(const ReportInput& input) { return SarifText(input).write(); }

}  // namespace assay
