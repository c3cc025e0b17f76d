// Workflow commands of GitHub Actions, one line a finding. Everything that could end the line or
// start another command is escaped as the runner's toolkit does.
#include <fmt/format.h>

#include "engine/report/ci_reports.h"
#include "engine/report/finding_view.h"
#include "engine/report/utf8_text.h"

namespace assay {
namespace {

std::string escaped(std::string_view text, bool is_property) {
  std::string out;
  for (const char c : printable(text, /*keep_newlines=*/true)) {
    if (c == '%') {
      out += "%25";
    } else if (c == '\n') {
      out += "%0A";
    } else if (c == '\r') {
      out += "%0D";
    } else if (is_property && c == ':') {
      out += "%3A";
    } else if (is_property && c == ',') {
      out += "%2C";
    } else {
      out += c;
    }
  }
  return out;
}

std::string_view command_of(Severity severity) {
  switch (severity) {
    case Severity::error:
      return "error";
    case Severity::warning:
      return "warning";
    case Severity::note:
      break;
  }
  return "notice";
}

std::string location_of(const SourceSet& sources, Span span) {
  if (!span.is_known()) return {};
  const Source& source = sources.get(span.source);
  if (source.name().starts_with('<')) return {};  // no file of the repository
  const Position begin = source.position(span.begin);
  const Position end = source.position(span.end);
  std::string place =
      fmt::format("file={},line={},col={}", escaped(source.name(), true), begin.line, begin.column);
  // Columns are only taken together with a single line.
  if (end.line == begin.line && end.column > begin.column)
    place += fmt::format(",endLine={},endColumn={}", end.line, end.column);
  return place + ",";
}

}  // namespace

std::string write_github_report(const ReportInput& input) {
  std::string out;
  for (const CheckedLaunch& checked : input.launches) {
    for (const Finding& finding : checked.report.findings) {
      const ErrorRecord* record = finding_record(finding, input.dataset);
      const Span place =
          finding.span.is_known() || !checked.launch ? finding.span : checked.launch->span;
      std::string text = finding_message(finding);
      for (const FactUse& fact : finding.facts) text += "\n" + fact_sentence(fact, finding);
      for (const std::string& solution : finding_solutions(finding, record))
        text += "\nfix: " + solution;
      out += fmt::format("::{} {}title={}::{}\n", command_of(finding.severity),
                         location_of(*input.sources, place),
                         escaped(finding_rule_id(finding), true), escaped(text, false));
    }
  }
  return out;
}

}  // namespace assay
