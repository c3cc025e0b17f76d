// Datasets are read file by file, then checked as a whole (ids, slugs, links); a record that has a
// fault of its own still counts as known for links, so that it is not reported twice.
#include "engine/read/dataset_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "engine/base/parallel.h"
#include "engine/read/record_reader.h"
#include "engine/read/timestamp.h"

namespace assay {
namespace {

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
