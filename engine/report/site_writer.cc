// Pages are built one at a time and written at once, so that memory does not grow with the site. A
// new kind of page is a builder in site_pages.h and a loop here.
#include "engine/report/site_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "engine/report/json_writer.h"
#include "engine/report/record_json.h"
#include "engine/report/related_errors.h"
#include "engine/report/site_document.h"
#include "engine/report/site_folder.h"
#include "engine/report/site_pages.h"

namespace assay {
namespace {

constexpr std::int64_t kContextLines = 18;  // of an excerpt, on each side
constexpr std::size_t kMaxSourceBytes = 8u << 20;

bool is_plain_relative_path(std::string_view path) {
  return !path.empty() && path[0] != '/' && path.find("..") == std::string_view::npos &&
         path.find('\0') == std::string_view::npos;
}

class SiteWriter {
 public:
  SiteWriter(const SiteInput& input, SiteFolder folder)
      : input_(input), folder_(std::move(folder)) {
    for (const RulePack* pack : input.packs)
      for (const Rule& rule : pack->rules)
        if (!rule.error.empty()) rules_of_[rule.error].push_back(&rule);
  }

  Result<SiteSummary> write() {
    add_file("style.css", site_style());
    add_page(front_page(input_.packs, input_.contracts, *input_.dataset));
    add_page(errors_page(*input_.dataset));
    write_records();
    for (const RulePack* pack : input_.packs) write_rules(*pack);
    for (const TensorContract* contract : input_.contracts) {
      add_page(contract_page(*contract, *input_.dataset));
      ++summary_.contracts;
    }
    write_api_index();
    if (!faults_.empty()) return faults_;
    ASSAY_TRY(summary_.files, folder_.publish());
    return summary_;
  }

 private:
  void add_file(const std::string& path, std::string_view content) {
    if (!faults_.empty()) return;  // a full disk would only repeat itself
    const auto added = folder_.add(path, content);
    if (!added) faults_ = added.error();
  }

  void add_page(const SitePage& page) {
    add_file(page.path + ".html", render_html(page));
    add_file(page.path + ".md", render_markdown(page));
  }

  void write_records() {
    const auto related = related_errors(*input_.dataset);
    for (std::size_t i = 0; i < input_.dataset->records.size() && faults_.empty(); ++i) {
      ErrorRecord record = input_.dataset->records[i];
      if (!input_.source_root.empty() && input_.files)
        record = with_source_excerpt(std::move(record), *input_.files, input_.source_root);
      const auto rules = rules_of_.find(record.id);
      add_page(record_page({&record, input_.dataset, related[i],
                            rules == rules_of_.end() ? std::vector<const Rule*>() : rules->second,
                            input_.issues_url}));
      add_file(record_api_path(record),
               write_record_envelope(record, input_.dataset->version) + "\n");
      ++summary_.records;
    }
  }

  void write_rules(const RulePack& pack) {
    add_page(pack_page(pack));
    for (const Rule& rule : pack.rules) {
      if (!faults_.empty()) return;
      add_page(rule_page({&rule, &pack, input_.dataset->find(rule.error)}));
      ++summary_.rules;
    }
  }

  void write_api_index() {
    JsonWriter json(JsonWriter::Layout::compact);
    json.begin_object()
        .member("datasetVersion", input_.dataset->version)
        .key("records")
        .begin_array();
    for (const ErrorRecord& record : input_.dataset->records)
      json.begin_object()
          .member("id", record.id)
          .member("repo", record.repo)
          .member("slug", record.slug)
          .member("errorMessage", record.error_message)
          .optional_member("errorClass", record.error_class)
          .member("severity", record.severity)
          .member("status", record.status)
          .member("page", record_path(record) + ".html")
          .member("data", record_api_path(record))
          .end_object();
    json.end_array().end_object();
    add_file("api/index.json", json.take() + "\n");
  }

  const SiteInput& input_;
  SiteFolder folder_;
  std::unordered_map<std::string, std::vector<const Rule*>> rules_of_;
  SiteSummary summary_;
  Diagnostics faults_;
};

// What is asked for and cannot be done is refused before a file is written.
Diagnostics faults_of_request(const SiteInput& input) {
  Diagnostics faults;
  const std::string& root = input.source_root;
  if (!root.empty() && (input.files == nullptr || !input.files->is_folder(root)))
    faults.push_back(make_error(code::unreadable_file, {},
                                "there is no folder `" + root + "` to take source excerpts from",
                                "It is the root of a checkout of the engine."));
  const std::string& url = input.issues_url;
  const bool is_web_address = url.starts_with("https://") || url.starts_with("http://");
  const bool is_plain = std::all_of(url.begin(), url.end(), [](char c) {
    return c > ' ' && c < '\x7f' && std::string_view("<>\"'`\\").find(c) == std::string_view::npos;
  });
  if (!url.empty() && (!is_web_address || !is_plain))
    faults.push_back(make_error(
        code::invalid_value, {}, "`" + url + "` is no address for reports that a page can link to",
        "It begins with https:// or http:// and holds no blanks or quotes."));
  return faults;
}

}  // namespace

ErrorRecord with_source_excerpt(ErrorRecord record, const FileSystem& files,
                                const std::string& root) {
  if (record.source_code || !record.file_path || record.line_number.value_or(0) < 1) return record;
  if (!is_plain_relative_path(*record.file_path)) return record;
  const std::string path = root + "/" + *record.file_path;
  if (!files.is_file(path)) return record;
  const auto text = files.read_file(path, kMaxSourceBytes);
  if (!text) return record;
  const std::int64_t first = std::max<std::int64_t>(1, *record.line_number - kContextLines);
  const std::int64_t last = *record.line_number + kContextLines;
  std::string excerpt;
  std::int64_t line = 0;
  std::string_view rest = *text;
  while (!rest.empty() && line < last) {
    const auto newline = rest.find('\n');
    ++line;
    if (line >= first) {
      if (line > first) excerpt += '\n';
      excerpt += rest.substr(0, newline);
    }
    rest.remove_prefix(newline == std::string_view::npos ? rest.size() : newline + 1);
  }
  if (line < *record.line_number) return record;  // another version of the file
  record.source_code = std::move(excerpt);
  record.source_code_start = first;
  record.source_code_end = line;
  return record;
}

Result<SiteSummary> write_site(const SiteInput& input, const std::string& out_folder) {
  if (Diagnostics faults = faults_of_request(input); !faults.empty()) return faults;
  ASSAY_TRY(SiteFolder folder, SiteFolder::create(out_folder));
  return SiteWriter(input, std::move(folder)).write();
}

}  // namespace assay
