// The order of the keys is that of the dataset's first document, and readers of the API rely on it.
#include "engine/report/record_json.h"

namespace assay {
namespace {

void write_example_proof(JsonWriter& json, const ExampleProof& proof) {
  json.key("exampleProof").begin_object();
  if (!proof.obstacle.empty()) {
    json.member("none", proof.obstacle).member("reason", proof.reason);
  } else {
    json.key("facts").begin_object();
    for (const Entry& fact : proof.facts) json.key(fact.key).node(fact.value);
    json.end_object();
  }
  json.end_object();
}

void write_version_3_fields(JsonWriter& json, const ErrorRecord& record) {
  if (!record.examples.empty()) {
    json.key("examples").begin_array();
    for (const RecordExample& example : record.examples) {
      json.begin_object().member("message", example.message);
      if (!example.source.empty()) json.member("source", example.source);
      json.end_object();
    }
    json.end_array();
  }
  if (!record.near_misses.empty()) json.member("nearMisses", record.near_misses);
  if (record.context) json.optional_member("context", record.context);
  if (record.is_wrapper) json.key("wrapper").boolean(true);
  if (record.status != "active") json.member("status", record.status);
  if (record.replaced_by) json.optional_member("replacedBy", record.replaced_by);
  if (!record.see_also.empty()) {
    json.key("seeAlso").begin_array();
    for (const RecordLink& link : record.see_also)
      json.begin_object().member("id", link.id).member("reason", link.reason).end_object();
    json.end_array();
  }
  if (record.example_proof) write_example_proof(json, *record.example_proof);
}

}  // namespace

void write_record(JsonWriter& json, const ErrorRecord& record) {
  json.begin_object()
      .member("id", record.id)
      .member("repo", record.repo)
      .member("slug", record.slug)
      .optional_member("errorCode", record.error_code)
      .member("errorMessage", record.error_message)
      .member("messagePattern", record.message_pattern)
      .member("errorType", record.error_type)
      .optional_member("errorClass", record.error_class)
      .optional_member("httpStatus", record.http_status)
      .member("severity", record.severity)
      .optional_member("filePath", record.file_path)
      .optional_member("lineNumber", record.line_number)
      .optional_member("sourceCode", record.source_code)
      .optional_member("sourceCodeStart", record.source_code_start)
      .optional_member("sourceCodeEnd", record.source_code_end)
      .optional_member("githubUrl", record.github_url)
      .member("documentation", record.documentation)
      .optional_member("triggerScenarios", record.trigger_scenarios)
      .optional_member("commonSituations", record.common_situations)
      .member("solutions", record.solutions)
      .optional_member("exampleFix", record.example_fix)
      .optional_member("handlingStrategy", record.handling_strategy)
      .optional_member("validationCode", record.validation_code)
      .optional_member("typeGuard", record.type_guard)
      .optional_member("tryCatchPattern", record.try_catch_pattern)
      .member("preventionTips", record.prevention_tips)
      .member("tags", record.tags)
      .optional_member("backgroundTag", record.background_tag)
      .optional_member("analyzedSha", record.analyzed_sha)
      .member("analyzedAt", record.analyzed_at)
      .key("schemaVersion")
      .integer(record.schema_version);
  if (record.schema_version >= 3) write_version_3_fields(json, record);
  json.end_object();
}

std::string write_record_envelope(const ErrorRecord& record, std::string_view dataset_version) {
  JsonWriter json(JsonWriter::Layout::compact);
  json.begin_object().key("record");
  write_record(json, record);
  json.member("datasetVersion", dataset_version).end_object();
  return json.take();
}

}  // namespace assay
