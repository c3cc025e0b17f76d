// What logs say, for programs. Absent values are left out, empty lists are written. Names of roles
// and the like are part of the format, not words for people.
#include <cmath>

#include "engine/report/finding_view.h"
#include "engine/report/json_report.h"
#include "engine/report/json_writer.h"

namespace assay {
namespace {

std::string_view name_of(ErrorRole role) {
  switch (role) {
    case ErrorRole::cause:
      return "cause";
    case ErrorRole::error:
      return "error";
    case ErrorRole::consequence:
      return "consequence";
    case ErrorRole::symptom:
      return "symptom";
    case ErrorRole::wrapper:
      return "wrapper";
    case ErrorRole::warning:
      break;
  }
  return "warning";
}

std::string_view name_of(Confidence confidence) {
  switch (confidence) {
    case Confidence::certain:
      return "certain";
    case Confidence::likely:
      return "likely";
    case Confidence::possible:
      break;
  }
  return "possible";
}

std::string_view name_of(CauseFound found) {
  switch (found) {
    case CauseFound::nothing:
      return "nothing";
    case CauseFound::known:
      return "known";
    case CauseFound::unknown:
      return "unknown";
    case CauseFound::launch:
      return "launch";
    case CauseFound::not_in_text:
      break;
  }
  return "not-in-text";
}

void text_if_any(JsonWriter& json, std::string_view name, std::string_view value) {
  if (!value.empty()) json.member(name, value);
}

void write_place(JsonWriter& json, const ExplainedError& error) {
  json.key("line")
      .count(error.line)
      .key("column")
      .count(error.column)
      .key("offset")
      .count(error.offset)
      .key("count")
      .count(error.count);
  text_if_any(json, "process", error.process);
  json.member("ranks", error.ranks);
  if (error.file.empty()) return;
  json.key("raisedIn").begin_object().member("file", error.file);
  text_if_any(json, "function", error.function);
  text_if_any(json, "code", error.code);
  json.end_object();
}

void write_similar(JsonWriter& json, const ExplainedError& error) {
  json.key("similar").begin_array();
  for (const SimilarRecord& similar : error.similar) {
    json.begin_object()
        .member("record", similar.record->id)
        .member("slug", similar.record->slug)
        .member("message", similar.record->error_message)
        .key("likenessPercent")
        .integer(static_cast<std::int64_t>(std::floor(similar.likeness * 100)))
        .key("exact")
        .boolean(false)
        .key("difference")
        .begin_array();
    for (const WordDifference& part : similar.difference) {
      const bool is_both = part.side == WordDifference::Side::both;
      const bool is_log = part.side == WordDifference::Side::log_only;
      json.begin_object()
          .member("in", is_both  ? "both"
                        : is_log ? "log"
                                 : "record")
          .member("text", part.text)
          .end_object();
    }
    json.end_array().end_object();
  }
  json.end_array();
}

void write_error(JsonWriter& json, const ExplainedError& error) {
  const ErrorRecord* record = error.record;
  json.begin_object().member("role", name_of(error.role));
  if (record != nullptr) {
    json.member("record", record->id).member("slug", record->slug).member("repo", record->repo);
    json.key("knownBy").text(error.is_known_by_place ? "place" : "message");
  }
  json.member("severity", record != nullptr ? record->severity : "error");
  text_if_any(json, "errorClass",
              error.error_class.empty() && record != nullptr ? record->error_class.value_or("")
                                                             : error.error_class);
  json.key("wrapper").boolean(record != nullptr && record->is_wrapper);
  json.key("asynchronous").boolean(error.is_asynchronous);
  const bool is_cause = error.role == ErrorRole::cause || error.role == ErrorRole::symptom;
  if (is_cause) json.member("confidence", name_of(error.confidence));
  text_if_any(json, "why", error.why);
  json.member("message", error.matched);
  write_place(json, error);
  json.member("text", error.text).key("captures").begin_array();
  for (const ExplainedCapture& capture : error.captures)
    json.begin_object().member("name", capture.name).member("value", capture.value).end_object();
  json.end_array();
  if (record == nullptr || !error.similar.empty()) write_similar(json, error);
  if (record == nullptr) json.member("template", message_template(error.matched));
  json.member("documentation", record != nullptr ? record->documentation : "");
  json.member("solutions", record != nullptr ? record->solutions : std::vector<std::string>());
  if (record != nullptr && record->example_fix)
    json.optional_member("exampleFix", record->example_fix);
  json.end_object();
}

void write_launch(JsonWriter& json, const ExplainedLaunch& launch) {
  json.begin_object()
      .member("pack", launch.report.pack)
      .key("line")
      .count(launch.line)
      .member("stage", launch.launch.stage == LaunchStage::raw ? "raw" : "resolved")
      .member("engineVersion", launch.report.engine_version);
  for (const GivenFact& fact : launch.launch.facts)
    if (fact.name == "version.engine") text_if_any(json, "engineVersionSource", fact.source);
  json.key("findings").begin_array();
  for (const Finding& finding : launch.report.findings) {
    json.begin_object()
        .member("rule", finding_rule_id(finding))
        .member("message", finding_message(finding))
        .member("summary", finding_summary(finding));
    if (finding.rule != nullptr) text_if_any(json, "record", finding.rule->error);
    json.end_object();
  }
  json.end_array();
  if (!launch.command.empty()) {
    json.key("repair").begin_object().key("changes").begin_array();
    for (const RepairChange& change : launch.report.repairs.front().changes) json.text(change.flag);
    json.end_array().member("command", launch.command).end_object();
  }
  text_if_any(json, "noRepairReason", launch.report.no_repair_reason);
  json.end_object();
}

}  // namespace

std::string write_json_explanations(std::span<const Explanation> explanations,
                                    JsonWriter::Layout layout) {
  JsonWriter json(layout);
  json.begin_object()
      .key("formatVersion")
      .integer(kReportFormatVersion)
      .member("kind", "explanation")
      .key("texts")
      .begin_array();
  for (const Explanation& explanation : explanations) {
    json.begin_object()
        .member("name", explanation.source)
        .key("lines")
        .count(explanation.lines)
        .member("cause", name_of(explanation.found))
        .member("fetch", explanation.fetch)
        .key("errors")
        .begin_array();
    for (const ExplainedError& error : explanation.errors) write_error(json, error);
    json.end_array().key("launches").begin_array();
    for (const auto& launch : explanation.launches) write_launch(json, *launch);
    json.end_array();
    if (explanation.left_out > 0) json.key("leftOut").count(explanation.left_out);
    json.end_object();
  }
  json.end_array().end_object();
  return json.take() + "\n";
}

std::string write_json_seen_error(std::string_view source, const ExplainedError& error,
                                  std::string_view message) {
  JsonWriter json(JsonWriter::Layout::compact);
  json.begin_object()
      .key("formatVersion")
      .integer(kReportFormatVersion)
      .member("kind", "seen-error")
      .member("name", source)
      .key("line")
      .count(error.line);
  if (error.record != nullptr)
    json.member("record", error.record->id).member("slug", error.record->slug);
  json.member("message", message).end_object();
  return json.take() + "\n";
}

}  // namespace assay
