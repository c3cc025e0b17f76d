// A rule for programs, with the id of the record it joins. The condition is text of the expression
// language; fixes are in words, as in every other report.
#include "engine/report/json_report.h"
#include "engine/report/json_writer.h"
#include "engine/report/rule_text.h"

namespace assay {

std::string write_json_rule(const Rule& rule) {
  JsonWriter json(JsonWriter::Layout::indented);
  json.begin_object()
      .key("formatVersion")
      .integer(kReportFormatVersion)
      .member("kind", "rule")
      .member("id", rule.id)
      .member("severity", to_string(rule.severity))
      .member("summary", rule.summary)
      .member("message", rule.message)
      .member("step", rule.step)
      .member("condition", rule_condition(rule))
      .key("fixes")
      .begin_array();
  for (const Fix& fix : rule.fixes) {
    json.begin_object().key("changes").begin_array();
    for (const Assignment& assignment : fix.assignments) json.text(assignment_text(assignment));
    json.end_array().member("why", fix.why).end_object();
  }
  json.end_array();
  if (!rule.error.empty()) json.member("record", rule.error);
  if (!rule.ignore_when.empty()) json.member("ignoreWhen", rule.ignore_when);
  json.end_object();
  return json.take() + "\n";
}

}  // namespace assay
