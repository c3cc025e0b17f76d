// A record's keys are exact: version 2 has all of its 31, version 3 may have those that it adds.
// Datasets are read file by file, then checked as a whole (ids, slugs, links); a record that has a
// fault of its own still counts as known for links, so that it is not reported twice.
#include "engine/read/record_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "engine/base/parallel.h"
#include "engine/read/document_reader.h"
#include "engine/read/rule_parts_reader.h"
#include "engine/read/timestamp.h"
#include "engine/text/json_reader.h"

namespace assay {
namespace {

constexpr std::int64_t kOldestVersion = 2;
constexpr std::int64_t kNewestVersion = 3;
constexpr std::size_t kMaxRecordBytes = 4u << 20;

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

// Joins the files of a folder to a Dataset.
class DatasetReader {
 public:
  DatasetReader(SourceSet& sources, const FileSystem& files) : sources_(sources), files_(files) {}

  // `ids`: which to read; null: all.
  Result<Dataset> read(std::string folder, const std::set<std::string>* ids,
                       Diagnostics& warnings) {
    while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
    ASSAY_TRY(auto paths, files_.list_files(folder, ".json"));
    std::vector<std::string> wanted = std::move(paths);
    std::erase_if(wanted, [schema = folder + "/schema/"](const std::string& path) {
      return path.starts_with(schema);
    });
    std::vector<File> records;
    if (ids == nullptr) {
      for (Result<SourceId>& source : add_files(sources_, files_, wanted, kMaxRecordBytes))
        records.push_back({std::move(source), {}, {}});
    } else {
      for (const std::string& path : wanted) add_named(path, *ids, records);
    }
    read_files(records, warnings);
    if (ids != nullptr)
      std::erase_if(records_, [&](const ErrorRecord& record) { return !ids->contains(record.id); });
    check_ids();
    check_slugs();
    if (ids == nullptr) check_links();
    if (!faults_.empty()) return std::move(faults_);
    return join();
  }

  Result<Dataset> read_usable(std::string folder, Diagnostics& warnings) {
    Result<Dataset> whole = read(std::move(folder), nullptr, warnings);
    if (whole || records_.empty()) return whole;
    for (Diagnostic& fault : whole.error()) {
      fault.severity = Severity::warning;
      warnings.push_back(std::move(fault));
    }
    return join();
  }

 private:
  struct File {
    Result<SourceId> source;
    std::optional<Result<ErrorRecord>> record;
    Diagnostics warnings;
  };
  void add_named(const std::string& path, const std::set<std::string>& ids,
                 std::vector<File>& records);
  void read_files(std::vector<File>& read, Diagnostics& warnings);
  void check_ids();
  void check_slugs();
  void check_links();
  Dataset join();
  void report_twice(const std::string& what, Span span, Span first) {
    faults_.push_back(make_error(code::duplicate_id, span, what));
    faults_.back().related.push_back({first, "the other record"});
  }

  SourceSet& sources_;
  const FileSystem& files_;
  std::vector<ErrorRecord> records_;
  bool misses_records_ = false;  // some could not be read: links may lead to them
  Diagnostics faults_;
};

// Whether a key "id" of the text has one of `ids`. Links have such a key too, so this only says
// which texts are worth reading.
bool names_one_of(std::string_view text, const std::set<std::string>& ids) {
  constexpr std::string_view kKey = "\"id\"";
  for (std::size_t at = text.find(kKey); at != text.npos; at = text.find(kKey, at)) {
    at = text.find('"', at + kKey.size());
    if (at == text.npos) return false;
    const std::size_t end = text.find('"', ++at);
    if (end == text.npos) return false;
    if (ids.contains(std::string(text.substr(at, end - at)))) return true;
  }
  return false;
}

// Adds the file's text if one of `ids` stands in it. The texts come before the records, since a set
// of sources grows on one thread only.
void DatasetReader::add_named(const std::string& path, const std::set<std::string>& ids,
                              std::vector<File>& records) {
  auto text = files_.read_file(path, kMaxRecordBytes);
  if (!text) {
    records.push_back({std::move(text.error()), {}, {}});
    return;
  }
  if (names_one_of(*text, ids)) records.push_back({sources_.add(path, std::move(*text)), {}, {}});
}

void DatasetReader::read_files(std::vector<File>& read, Diagnostics& warnings) {
  constexpr std::size_t kMinForThreads = 50;
  for_each_in_parallel(read.size(), kMinForThreads, [&](std::size_t at) {
    File& file = read[at];
    if (file.source) file.record.emplace(read_record(sources_, *file.source, file.warnings));
  });
  for (File& file : read) {
    warnings.insert(warnings.end(), file.warnings.begin(), file.warnings.end());
    if (file.record && *file.record) {
      records_.push_back(std::move(**file.record));
      continue;
    }
    misses_records_ = true;
    const Diagnostics& faults = file.record ? file.record->error() : file.source.error();
    faults_.insert(faults_.end(), faults.begin(), faults.end());
  }
}

void DatasetReader::check_ids() {
  std::map<std::string_view, Span> first;
  for (const ErrorRecord& record : records_) {
    const auto [known, is_new] = first.try_emplace(record.id, record.id_span);
    if (!is_new)
      report_twice(fmt::format("id `{}` belongs to two records", record.id), record.id_span,
                   known->second);
  }
}

void DatasetReader::check_slugs() {
  std::map<std::pair<std::string_view, std::string_view>, Span> first;
  for (const ErrorRecord& record : records_) {
    const auto [known, is_new] = first.try_emplace({record.repo, record.slug}, record.id_span);
    if (!is_new)
      report_twice(fmt::format("slug `{}` belongs to two records of {}", record.slug, record.repo),
                   record.id_span, known->second);
    const std::string file_name = record.path.substr(record.path.rfind('/') + 1);
    if (file_name != record.slug + ".json")
      faults_.push_back(make_error(
          code::id_differs_from_path, record.id_span,
          fmt::format("the slug is `{}`, the file's name is `{}`", record.slug, file_name),
          "rename the file or change the slug"));
  }
}

void DatasetReader::check_links() {
  if (misses_records_) return;
  std::set<std::string_view> ids;
  for (const ErrorRecord& record : records_) ids.insert(record.id);
  for (const ErrorRecord& record : records_) {
    const auto check = [&](std::string_view key, const std::string& id) {
      if (!ids.contains(id))
        faults_.push_back(make_error(code::unknown_record, record.id_span,
                                     fmt::format("`{}` names `{}`, which is no record", key, id)));
    };
    if (record.replaced_by) check("replacedBy", *record.replaced_by);
    for (const RecordLink& link : record.see_also) check("seeAlso", link.id);
  }
}

Dataset DatasetReader::join() {
  Dataset dataset;
  std::sort(records_.begin(), records_.end(), [](const ErrorRecord& a, const ErrorRecord& b) {
    return std::pair(std::string_view(a.repo), std::string_view(a.slug)) <
           std::pair(std::string_view(b.repo), std::string_view(b.slug));
  });
  for (std::size_t i = 0; i < records_.size(); ++i) {
    dataset.by_id.emplace(records_[i].id, i);
    if (dataset.version.empty() || is_earlier(dataset.version, records_[i].analyzed_at))
      dataset.version = records_[i].analyzed_at;
  }
  dataset.records = std::move(records_);
  return dataset;
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

Result<Dataset> read_dataset(SourceSet& sources, const FileSystem& files, const std::string& folder,
                             Diagnostics& warnings) {
  return DatasetReader(sources, files).read(folder, nullptr, warnings);
}

Result<Dataset> read_usable_records(SourceSet& sources, const FileSystem& files,
                                    const std::string& folder, Diagnostics& warnings) {
  return DatasetReader(sources, files).read_usable(folder, warnings);
}

Result<Dataset> read_records(SourceSet& sources, const FileSystem& files, const std::string& folder,
                             const std::set<std::string>& ids, Diagnostics& warnings) {
  return DatasetReader(sources, files).read(folder, &ids, warnings);
}

}  // namespace assay
