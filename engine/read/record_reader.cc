// A record's keys are exact: version 2 has all of its 31, version 3 may have those that it adds.
#include "engine/read/record_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/read/document_reader.h"
#include "engine/read/rule_parts_reader.h"
#include "engine/read/timestamp.h"
#include "engine/text/json_reader.h"

namespace assay {
namespace {

constexpr std::int64_t kOldestVersion = 2;
constexpr std::int64_t kNewestVersion = 3;

bool is_slug(std::string_view text) {
  constexpr std::string_view kCharacters = "abcdefghijklmnopqrstuvwxyz0123456789-";
  return !text.empty() && text.find_first_not_of(kCharacters) == std::string_view::npos &&
         text.front() != '-' && text.back() != '-';
}

bool is_repository(std::string_view text) {
  const auto slash = text.find('/');
  return slash != std::string_view::npos && slash > 0 && slash + 1 < text.size() &&
         text.find('/', slash + 1) == std::string_view::npos &&
         text.find_first_of(" \t\r\n") == std::string_view::npos;
}

// A version that cannot be read is a fault of its own; its record may have all keys.
std::span<const DocumentKey> added_keys(const Node& record) {
  const Node* version = record.find("schemaVersion");
  const bool is_oldest = version != nullptr && version->kind == NodeKind::integer &&
                         version->integer == kOldestVersion;
  if (is_oldest) return {};
  return kRecordVersion3Keys;
}

class RecordReader {
 public:
  RecordReader(const Node& record, Diagnostics& faults)
      : faults_(faults), keys_(record, "a record", kRecordKeys, faults, added_keys(record)) {}

  ErrorRecord read() {
    record_.span = keys_.span();
    if (!keys_.is_mapping()) return std::move(record_);
    read_identity();
    read_error();
    read_place();
    read_texts();
    if (record_.schema_version >= kNewestVersion) read_additions();
    return std::move(record_);
  }

 private:
  void read_identity();
  void read_error();
  void read_place();
  void read_texts();
  void read_additions();
  void read_example_proof();
  std::optional<std::string> read_id(const MappingReader& keys, std::string_view key);
  Span span_of(std::string_view key) const {
    const Node* node = keys_.find(key);
    return node == nullptr ? Span() : node->span;
  }
  void refuse(Span span, std::string message, std::string help = {}) {
    faults_.push_back(make_error(code::invalid_value, span, std::move(message), std::move(help)));
  }

  Diagnostics& faults_;
  MappingReader keys_;
  ErrorRecord record_;
};

std::optional<std::string> RecordReader::read_id(const MappingReader& keys, std::string_view key) {
  auto id = keys.nullable_text(key);
  if (id && !is_record_id(*id))
    refuse(keys.find(key)->span, fmt::format("`{}` is not the id of a record", *id),
           "ids are 16 hexadecimal digits, letters in lower case");
  return id;
}

void RecordReader::read_identity() {
  record_.schema_version = keys_.integer("schemaVersion").value_or(kNewestVersion);
  if (record_.schema_version < kOldestVersion || record_.schema_version > kNewestVersion)
    refuse(span_of("schemaVersion"),
           fmt::format("schema version {} is not known", record_.schema_version),
           "versions 2 and 3 are");
  record_.id_span = span_of("id");
  record_.id = keys_.filled_text("id").value_or("");
  if (!record_.id.empty()) read_id(keys_, "id");
  record_.repo = keys_.filled_text("repo").value_or("");
  if (!record_.repo.empty() && !is_repository(record_.repo))
    refuse(span_of("repo"), fmt::format("`{}` is not a repository", record_.repo),
           "write owner/name");
  record_.slug = keys_.filled_text("slug").value_or("");
  if (!record_.slug.empty() && !is_slug(record_.slug))
    refuse(span_of("slug"), fmt::format("`{}` is not a slug", record_.slug),
           "slugs are lower-case letters, digits and hyphens");
}

void RecordReader::read_error() {
  record_.error_code = keys_.nullable_text("errorCode");
  record_.error_message = keys_.filled_text("errorMessage").value_or("");
  record_.message_span = span_of("errorMessage");
  record_.message_pattern = keys_.filled_text("messagePattern").value_or("");
  record_.pattern_span = span_of("messagePattern");
  record_.error_type = keys_.filled_text("errorType").value_or("");
  record_.error_class = keys_.nullable_text("errorClass");
  record_.http_status = keys_.nullable_integer("httpStatus");
  if (record_.http_status && (*record_.http_status < 100 || *record_.http_status > 599))
    refuse(span_of("httpStatus"), fmt::format("{} is no HTTP status", *record_.http_status));
  record_.severity = keys_.filled_text("severity").value_or("");
}

void RecordReader::read_place() {
  record_.file_path = keys_.nullable_text("filePath");
  const auto line = [&](std::string_view key) {
    const auto number = keys_.nullable_integer(key);
    if (number && *number < 1) refuse(span_of(key), "lines count from 1");
    return number;
  };
  record_.line_number = line("lineNumber");
  record_.source_code = keys_.nullable_text("sourceCode");
  record_.source_code_start = line("sourceCodeStart");
  record_.source_code_end = line("sourceCodeEnd");
  if (record_.source_code_start && record_.source_code_end &&
      *record_.source_code_end < *record_.source_code_start)
    refuse(span_of("sourceCodeEnd"), "the source ends before it starts");
  record_.github_url = keys_.nullable_text("githubUrl");
  record_.analyzed_sha = keys_.nullable_text("analyzedSha");
  record_.analyzed_at = keys_.filled_text("analyzedAt").value_or("");
  if (!record_.analyzed_at.empty() && !is_timestamp(record_.analyzed_at))
    refuse(span_of("analyzedAt"), fmt::format("`{}` is not a time", record_.analyzed_at),
           "write it as 2026-08-28T05:10:05.995Z");
}

void RecordReader::read_texts() {
  record_.documentation = keys_.filled_text("documentation").value_or("");
  record_.trigger_scenarios = keys_.nullable_text("triggerScenarios");
  record_.common_situations = keys_.nullable_text("commonSituations");
  record_.solutions = keys_.texts("solutions");
  record_.example_fix = keys_.nullable_text("exampleFix");
  record_.example_fix_span = span_of("exampleFix");
  record_.handling_strategy = keys_.nullable_text("handlingStrategy");
  record_.validation_code = keys_.nullable_text("validationCode");
  record_.type_guard = keys_.nullable_text("typeGuard");
  record_.try_catch_pattern = keys_.nullable_text("tryCatchPattern");
  record_.prevention_tips = keys_.texts("preventionTips");
  record_.tags = keys_.texts("tags");
  record_.background_tag = keys_.nullable_text("backgroundTag");
}

void RecordReader::read_additions() {
  if (const Node* examples = keys_.sequence("examples"))
    for (const Node& node : examples->items) {
      const MappingReader keys(node, "an example", kRecordExampleKeys, faults_);
      record_.examples.push_back(
          {keys.filled_text("message").value_or(""), keys.text("source").value_or("")});
    }
  record_.near_misses = keys_.texts("nearMisses");
  record_.context = keys_.nullable_text("context");
  record_.is_wrapper = keys_.boolean("wrapper").value_or(false);
  if (const auto status = keys_.choice("status", {"active", "retired"}))
    record_.status = *status == 0 ? "active" : "retired";
  record_.replaced_by = read_id(keys_, "replacedBy");
  if (const Node* links = keys_.sequence("seeAlso"))
    for (const Node& node : links->items) {
      const MappingReader keys(node, "a link", kRecordLinkKeys, faults_);
      record_.see_also.push_back(
          {read_id(keys, "id").value_or(""), keys.text("reason").value_or("")});
    }
  if (keys_.has("exampleProof")) read_example_proof();
}

void RecordReader::read_example_proof() {
  const MappingReader keys(*keys_.find("exampleProof"), "`exampleProof`", kExampleProofKeys,
                           faults_);
  if (!keys.is_mapping()) return;
  ExampleProof proof;
  proof.span = keys.span();
  if (const Node* facts = keys.mapping("facts")) proof.facts = facts->entries;
  if (keys.choice("none", {"unavoidable", "shadowed"})) proof.obstacle = *keys.text("none");
  proof.reason = keys.filled_text("reason").value_or("");
  if (proof.facts.empty() == proof.obstacle.empty())
    refuse(proof.span,
           "a proof has `facts`, one or more, or `none`: what kind of thing prevents it");
  else if (proof.obstacle.empty() != proof.reason.empty())
    refuse(proof.span, "`none` and `reason` belong together");
  record_.example_proof = std::move(proof);
}

}  // namespace

Result<ErrorRecord> read_record(const SourceSet& sources, SourceId source,
                                Diagnostics& /*warnings*/) {
  DocumentLimits limits;
  limits.max_bytes = kMaxRecordBytes;
  ASSAY_TRY(const Node document, read_json(sources, source, limits));
  Diagnostics faults;
  const Node* record = &document;
  if (const Node* enveloped = document.find("record")) {
    const MappingReader envelope(document, "an envelope", kEnvelopeKeys, faults);
    envelope.filled_text("datasetVersion");
    record = enveloped;
  }
  ErrorRecord read = RecordReader(*record, faults).read();
  read.path = sources.get(source).name();
  if (!faults.empty()) return faults;
  return read;
}

}  // namespace assay
