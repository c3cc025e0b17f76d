// The XML that CI servers agree on (there is no standard): a test suite per launch, a failed case
// per error, a skipped case per undecided rule, a passed case with output per warning, and one
// passed case that counts the rest, so that a clean launch is not an empty suite.
#include <fmt/format.h>

#include "engine/report/ci_reports.h"
#include "engine/report/finding_view.h"
#include "engine/report/utf8_text.h"

namespace assay {
namespace {

// For attributes in double quotes and for content alike. Newlines are written as references, which
// attributes would turn into blanks otherwise.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : valid_xml_text(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\n':
        out += "&#10;";
        break;
      case '\r':
        out += "&#13;";
        break;
      case '\t':
        out += "&#9;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string details_of(const ReportInput& input, const Finding& finding) {
  const ErrorRecord* record = finding_record(finding, input.dataset);
  std::string text;
  const std::string place = place_of(*input.sources, finding.span);
  if (!place.empty()) text += place + "\n";
  for (const FactUse& fact : finding.facts) text += fact_sentence(fact, finding) + "\n";
  const std::string reason = finding_reason(finding, record);
  if (!reason.empty()) text += "why: " + reason + "\n";
  for (const std::string& solution : finding_solutions(finding, record))
    text += "fix: " + solution + "\n";
  const std::string stop = stop_sentence(finding);
  if (!stop.empty()) text += stop + "\n";
  return text;
}

std::string suite_name(const ReportInput& input, const CheckedLaunch& checked) {
  if (!checked.launch) return checked.report.pack;
  std::string name = place_of(*input.sources, checked.launch->span);
  if (!checked.launch->label.empty())
    name += name.empty() ? checked.launch->label : " " + checked.launch->label;
  return name.empty() ? checked.report.pack : name;
}

void write_suite(const ReportInput& input, const CheckedLaunch& checked, std::string& out) {
  const CheckReport& report = checked.report;
  const FindingCounts counts = count_findings(report);
  const std::string suite = escaped(suite_name(input, checked));
  out += fmt::format(
      "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\">\n", suite,
      report.findings.size() + report.undecided.size() + 1, counts.errors, report.undecided.size());
  const auto open_case = [&](std::string_view name) {
    out += fmt::format("    <testcase classname=\"{}\" name=\"{}\">\n", suite, escaped(name));
  };
  open_case(fmt::format("{} rules satisfied, {} not applicable", report.rules_satisfied,
                        report.rules_not_applicable));
  out += "    </testcase>\n";
  for (const Finding& finding : report.findings) {
    open_case(finding_rule_id(finding));
    const std::string message = finding_message(finding);
    const std::string details = details_of(input, finding);
    if (finding.severity == Severity::error) {
      out += fmt::format("      <failure type=\"{}\" message=\"{}\">{}</failure>\n",
                         escaped(finding_rule_id(finding)), escaped(message), escaped(details));
    } else {
      out += fmt::format("      <system-out>{}: {}&#10;{}</system-out>\n",
                         to_string(finding.severity), escaped(message), escaped(details));
    }
    out += "    </testcase>\n";
  }
  for (const Finding& finding : report.undecided) {
    open_case(finding_rule_id(finding));
    const std::string why =
        finding.waits_for.empty()
            ? "undecided: " + finding.evaluation_error
            : fmt::format("undecided, waits for {}", fmt::join(finding.waits_for, ", "));
    out += fmt::format("      <skipped message=\"{}\"/>\n    </testcase>\n", escaped(why));
  }
  out += "  </testsuite>\n";
}

}  // namespace

std::string write_junit_report(const ReportInput& input) {
  std::size_t tests = 0;
  std::size_t failures = 0;
  std::string suites;
  for (const CheckedLaunch& checked : input.launches) {
    tests += checked.report.findings.size() + checked.report.undecided.size() + 1;
    failures += count_findings(checked.report).errors;
    write_suite(input, checked, suites);
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"assay\" tests=\"{}\" "
      "failures=\"{}\">\n{}</testsuites>\n",
      tests, failures, suites);
}

}  // namespace assay
