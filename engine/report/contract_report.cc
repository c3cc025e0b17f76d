// The message comes first, as the engine words it, then what was expected and found, then where the
// contract says it. Clauses over values are named, because nothing was said about them.
#include "engine/report/contract_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/report/finding_view.h"
#include "engine/report/json_report.h"
#include "engine/report/json_writer.h"
#include "engine/report/terminal_text.h"

namespace assay {
namespace {

std::vector<std::string> value_clauses(const ContractReportInput& input) {
  std::vector<std::string> ids;
  for (const ContractClause& clause : input.contract->clauses)
    if (clause.is_data_dependent && includes(clause.profile, input.profile) &&
        applies_to(clause, input.back_end))
      ids.push_back(clause.id);
  return ids;
}

std::string refusal_text(ContractProfile profile) {
  switch (profile) {
    case ContractProfile::safety:
      return "unsafe, though the engine lets it pass";
    case ContractProfile::engine:
      return "refused by the engine";
    case ContractProfile::both:
      break;
  }
  return "refused by the engine, and unsafe";
}

std::string violation_text(const ContractViolation& one, const ContractReportInput& input,
                           const TextOptions& options) {
  const TerminalStyle& style = options.style;
  std::string text = wrapped(style.paint("error", Ink::red) + ": ", 2, one.message, style);
  text += wrapped("  ", 4,
                  fmt::format("{}: expected {}, found {}", one.argument, one.expected, one.found),
                  style);
  std::string clause = fmt::format("{} at {}: {}", one.id, place_of(*input.sources, one.span),
                                   refusal_text(one.profile));
  if (!one.error.empty()) clause += fmt::format("; `assay explain {}`", one.error);
  text += wrapped("  ", 4, clause, style);
  if (one.is_first_in_engine)
    text += wrapped("  ", 4,
                    one.raises.empty() ? std::string("The engine stops here.")
                                       : fmt::format("The engine stops here with {}.", one.raises),
                    style);
  return text + "\n";
}

void write_violation(JsonWriter& json, const ContractViolation& one,
                     const ContractReportInput& input) {
  json.begin_object()
      .member("id", one.id)
      .member("argument", one.argument)
      .member("expected", one.expected)
      .member("found", one.found)
      .member("message", one.message);
  json.key("isEngineMessage").boolean(one.is_worded);
  json.member("profile", to_string(one.profile));
  json.key("stopsEngine").boolean(one.is_first_in_engine);
  if (!one.raises.empty()) json.member("raises", one.raises);
  if (!one.error.empty()) json.member("record", one.error);
  if (one.span.is_known()) {
    const Source& source = input.sources->get(one.span.source);
    const Position begin = source.position(one.span.begin);
    json.key("place").begin_object().member("file", source.name());
    json.key("line").integer(begin.line).key("column").integer(begin.column).end_object();
  }
  json.end_object();
}

}  // namespace

std::string_view to_string(ContractProfile profile) {
  switch (profile) {
    case ContractProfile::safety:
      return "safety";
    case ContractProfile::engine:
      return "engine";
    case ContractProfile::both:
      break;
  }
  return "both";
}

std::string write_text_contract_report(const ContractReportInput& input,
                                       const TextOptions& options) {
  std::string text;
  for (const ContractViolation& one : input.violations) text += violation_text(one, input, options);
  const std::size_t count = input.violations.size();
  text += fmt::format("{}: {}\n", input.contract->kernel,
                      count == 0   ? "nothing is wrong with the call"
                      : count == 1 ? "1 violation"
                                   : fmt::format("{} violations", count));
  const std::vector<std::string> ids = value_clauses(input);
  if (!ids.empty())
    text += wrapped("", 2,
                    fmt::format("Not judged, since it depends on the tensors' values: {}",
                                fmt::join(ids, ", ")),
                    options.style);
  return text;
}

std::string write_json_contract_report(const ContractReportInput& input) {
  JsonWriter json(JsonWriter::Layout::indented);
  json.begin_object();
  json.key("formatVersion").integer(kReportFormatVersion);
  json.member("kind", "contract").member("kernel", input.contract->kernel);
  json.member("profile", to_string(input.profile));
  json.key("ok").boolean(input.violations.empty());
  json.key("violations").begin_array();
  for (const ContractViolation& one : input.violations) write_violation(json, one, input);
  json.end_array();
  json.member("notJudged", value_clauses(input));
  return json.end_object().take() + "\n";
}

}  // namespace assay
