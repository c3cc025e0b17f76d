// First what pages there are, as a list of small pieces of work, then all of them on the machine's
// cores: each is built, rendered and handed to the folder at once, so that memory does not grow
// with the site. A new kind of page is a builder in site_pages.h and a line in `plan`.
#include "engine/report/site_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "engine/base/parallel.h"
#include "engine/report/json_report.h"
#include "engine/report/published_schemas.h"
#include "engine/report/record_json.h"
#include "engine/report/related_errors.h"
#include "engine/report/site_api.h"
#include "engine/report/site_assets.h"
#include "engine/report/site_document.h"
#include "engine/report/site_log_patterns.h"
#include "engine/report/site_pages.h"
#include "engine/report/site_search_entries.h"
#include "engine/report/source_checkout.h"

namespace assay {
namespace {

constexpr std::size_t kProgressStep = 64;  // pages between two reports of progress

class SiteWriter {
 public:
  SiteWriter(const SiteInput& input, SiteFolder folder)
      : input_(input),
        folder_(std::move(folder)),
        index_(input.packs, input.contracts, *input.dataset),
        related_(*input.dataset) {}

  Result<SiteSummary> write() {
    for (const SiteAsset& asset : site_assets()) add_file(std::string(asset.name), asset.content);
    plan();
    for_each_in_parallel(work_.size(), 2, [&](std::size_t at) {
      if (!has_failed_) work_[at]();
      report_progress();
    });
    if (!faults_.empty()) return faults_;
    ASSAY_TRY(summary_.folder, folder_.finish());
    summary_.pages = paths_.size();
    return summary_;
  }

 private:
  void add_file(const std::string& path, std::string_view content) {
    if (has_failed_) return;  // a full disk would only repeat itself
    const auto added = folder_.add(path, content);
    if (added) return;
    const std::lock_guard lock(mutex_);
    if (!has_failed_.exchange(true)) faults_ = added.error();
  }

  void add_page(const SitePage& page) {
    add_file(page.path + ".html", render_html(page, input_.frame));
    add_file(page.path + ".md", render_markdown(page, input_.frame));
  }

  void report_progress() {
    const std::size_t done = ++done_;
    if (!input_.progress || done % kProgressStep != 0) return;
    const std::lock_guard lock(mutex_);
    input_.progress(done, work_.size());
  }

  // A page at `path`, built by `build()` when its turn comes.
  template <class Build>
  void page(const std::string& path, Build build) {
    paths_.push_back(path);
    work_.push_back([this, build = std::move(build)] { add_page(build()); });
  }

  void plan() {
    plan_script_data();
    work_.emplace_back([this] { write_api(); });
    plan_indexes();
    for (std::size_t at = 0; at < index_.dataset.records.size(); ++at) plan_record(at);
    for (const PackIndex& pack : index_.packs) plan_pack(pack);
    for (const TensorContract* contract : index_.contracts) {
      page(contract_path(*contract), [this, contract] { return contract_page(*contract, index_); });
      ++summary_.contracts;
    }
    plan_groups();
    for (const SupportTable& table : input_.support)
      page(matrix_path(table), [this, &table] { return support_table_page(table, index_); });
    if (input_.changes != nullptr)
      page("changes", [this] { return changes_page(*input_.changes); });
    plan_retirement();
  }

  // What the pages' script works on: long pieces, so they do not come last on one core alone.
  void plan_script_data() {
    work_.push_back([this] {
      add_file("search-index.js", write_search_index(search_entries(index_, input_.support)));
    });
    paths_.push_back("explain/index");
    work_.push_back([this] {
      const LogPatterns patterns = log_patterns(index_.dataset);
      add_file("log-patterns.js", patterns.script);
      add_page(log_page(patterns, index_.dataset.records.size()));
    });
  }

  void plan_indexes() {
    page("index", [this] {
      return front_page({&index_, input_.support, input_.changes != nullptr});
    });
    page("errors/index", [this] { return errors_page(index_); });
    page("rules/index", [this] { return rules_page(index_); });
    page("arguments/index", [this] { return arguments_page(index_); });
    page("causes/index", [this] { return causes_page(index_); });
    page("tags/index", [this] { return tags_page(index_); });
    page("files/index", [this] { return files_page(index_); });
    page("versions/index", [this] { return versions_page(index_); });
    page("support/index", [this] { return support_page(input_.support); });
  }

  void plan_record(std::size_t at) {
    const ErrorRecord& record = index_.dataset.records[at];
    ++summary_.records;
    paths_.push_back(record_path(record));
    work_.push_back([this, at] {
      const ErrorRecord& known = index_.dataset.records[at];
      RecordPageInput input{&known, &index_, &known, related_.of(at)};
      ErrorRecord with_source;
      if (!input_.source_root.empty() && input_.files != nullptr) {
        with_source = with_source_excerpt(known, *input_.files, input_.source_root);
        input.record = &with_source;
      }
      add_page(record_page(input));
      add_file(record_api_path(known),
               write_record_envelope(*input.record, index_.dataset.version) + "\n");
    });
  }

  void plan_pack(const PackIndex& pack) {
    page(pack_path(*pack.pack), [&pack] { return pack_page(pack); });
    for (const Rule& rule : pack.pack->rules) {
      ++summary_.rules;
      paths_.push_back(rule_path(rule));
      work_.push_back([this, &pack, &rule] {
        add_page(rule_page(rule, pack, index_));
        add_file(rule_api_path(rule), write_json_rule(rule));
      });
    }
    const auto number = static_cast<std::uint32_t>(&pack - index_.packs.data());
    for (FactId fact = 0; fact < pack.arguments.size(); ++fact)
      if (const std::string& path = pack.arguments[fact].path; !path.empty())
        page(path, [this, number, fact] { return argument_page({number, fact}, index_); });
    for (const auto& [area, group] : pack.areas)
      page(group.path, [this, &pack, name = area, &group = group] {
        return area_page(name, group, pack, index_);
      });
    for (std::size_t release = 0; release < pack.pack->versions.size(); ++release)
      page(version_path(*pack.pack, pack.pack->versions[release]),
           [&pack, release] { return version_page(*pack.pack, release); });
  }

  void plan_groups() {
    for (const auto& [name, group] : index_.causes)
      page(group.path,
           [this, name = name, &group = group] { return cause_page(name, group, index_); });
    for (const auto& [name, group] : index_.tags)
      page(group.path, [name = name, &group = group] { return tag_page(name, group); });
    for (const auto& [name, group] : index_.projects)
      page(group.path, [name = name, &group = group] { return project_page(name, group); });
    for (const auto& [key, group] : index_.files)
      page(group.path, [&key = key, &group = group] { return file_page(key, group); });
  }

  void plan_retirement() {
    const Dataset& dataset = index_.dataset;
    for (const RetiredRecord& retired : input_.retirement.records) {
      paths_.push_back(error_path(retired.repo, retired.slug));
      work_.push_back([this, &dataset, &retired] {
        const SitePage page = retired_page(retired, dataset);
        add_page(page);
        add_file(page.data, retired_json(retired, dataset.version));
      });
    }
    // Not in the list of pages: they only lead elsewhere.
    for (const MovedSlug& moved : input_.retirement.slugs)
      if (const ErrorRecord* to = dataset.find(moved.id))
        work_.push_back([this, &moved, to] { add_page(moved_page(moved, *to)); });
  }

  void write_api() {
    add_file("api/index.json", api_index(index_, input_.retirement));
    add_file("api/openapi.json", openapi_json(index_.dataset.version));
    for (const PublishedSchema& schema : published_schemas())
      add_file(fmt::format("schemas/{}", schema.name), schema.text);
    add_file("llms.txt", llms_text(index_));
    if (!input_.frame.base_url.empty())
      add_file("sitemap.xml", sitemap_xml(paths_, input_.frame.base_url));
  }

  const SiteInput& input_;
  SiteFolder folder_;
  const SiteIndex index_;
  const RelatedErrors related_;
  std::vector<std::string> paths_;  // of all pages
  std::vector<std::function<void()>> work_;
  SiteSummary summary_;
  std::atomic<std::size_t> done_ = 0;
  std::atomic<bool> has_failed_ = false;
  std::mutex mutex_;  // over the faults, and the reports of progress
  Diagnostics faults_;
};

// What is asked for and cannot be done is refused before a file is written.
void check_address(const std::string& url, std::string_view what, Diagnostics& faults) {
  if (url.empty()) return;
  const bool is_web_address = url.starts_with("https://") || url.starts_with("http://");
  const bool is_plain = std::all_of(url.begin(), url.end(), [](char c) {
    return c > ' ' && c < '\x7f' && std::string_view("<>\"'`\\&").find(c) == std::string_view::npos;
  });
  if (!is_web_address || !is_plain)
    faults.push_back(
        make_error(code::invalid_value, {}, fmt::format("`{}` is no address {}", url, what),
                   "It begins with https:// or http:// and holds no blanks or quotes."));
}

Diagnostics faults_of_request(const SiteInput& input) {
  Diagnostics faults;
  const std::string& root = input.source_root;
  if (!root.empty() && (input.files == nullptr || !input.files->is_folder(root)))
    faults.push_back(make_error(code::unreadable_file, {},
                                "there is no folder `" + root + "` to take source excerpts from",
                                "It is the root of a checkout of the engine."));
  check_address(input.frame.issues_url, "for reports that a page can link to", faults);
  check_address(input.frame.base_url, "that the site can have", faults);
  check_address(input.frame.edit_url, "below which files can be edited", faults);
  return faults;
}

}  // namespace

Result<SiteSummary> write_site(const SiteInput& input, const std::string& out_folder,
                               SiteFolder::Mode mode) {
  if (Diagnostics faults = faults_of_request(input); !faults.empty()) return faults;
  ASSAY_TRY(SiteFolder folder, SiteFolder::create(out_folder, mode));
  return SiteWriter(input, std::move(folder)).write();
}

}  // namespace assay
