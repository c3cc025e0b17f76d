// A piece is what is built together: a page with its Markdown and JSON. What files it writes is
// listed when it is planned, so that a server can write just the one that is asked for. A new kind
// of page is a builder in site_pages.h and a line in `plan`.
#include "engine/report/site_plan.h"

#include <fmt/format.h>

#include <map>
#include <utility>
#include <vector>

#include "engine/report/json_report.h"
#include "engine/report/published_schemas.h"
#include "engine/report/record_json.h"
#include "engine/report/related_errors.h"
#include "engine/report/site_api.h"
#include "engine/report/site_assets.h"
#include "engine/report/site_document.h"
#include "engine/report/site_index.h"
#include "engine/report/site_log_patterns.h"
#include "engine/report/site_pages.h"
#include "engine/report/site_search_entries.h"
#include "engine/report/source_checkout.h"

namespace assay {

class SitePlan::Planner {
 public:
  explicit Planner(const SiteInput& input)
      : input_(input),
        index_(input.packs, input.contracts, *input.dataset),
        related_(*input.dataset) {
    for (const SiteAsset& asset : site_assets())
      add({std::string(asset.name)},
          [&asset](const Sink& sink) { sink(std::string(asset.name), asset.content); });
    plan();
    counts_.pages = paths_.size();
  }

  std::size_t size() const { return pieces_.size(); }
  const SiteCounts& counts() const { return counts_; }

  std::optional<std::size_t> find(std::string_view file) const {
    const auto found = piece_of_file_.find(file);
    if (found == piece_of_file_.end()) return std::nullopt;
    return found->second;
  }

  void write(std::size_t piece, const Sink& sink) const { pieces_[piece](sink); }

 private:
  using Piece = std::function<void(const Sink&)>;

  void add(std::vector<std::string> files, Piece piece) {
    for (std::string& file : files) piece_of_file_.emplace(std::move(file), pieces_.size());
    pieces_.push_back(std::move(piece));
  }

  void write_page(const SitePage& page, const Sink& sink) const {
    sink(page.path + ".html", render_html(page, input_.frame));
    sink(page.path + ".md", render_markdown(page, input_.frame));
  }

  // A page at `path`, built by `build()` when its turn comes.
  template <class Build>
  void page(const std::string& path, Build build) {
    paths_.push_back(path);
    add({path + ".html", path + ".md"},
        [this, build = std::move(build)](const Sink& sink) { write_page(build(), sink); });
  }

  void plan() {
    plan_script_data();
    plan_indexes();
    for (std::size_t at = 0; at < index_.dataset.records.size(); ++at) plan_record(at);
    for (const PackIndex& pack : index_.packs) plan_pack(pack);
    for (const TensorContract* contract : index_.contracts) {
      page(contract_path(*contract), [this, contract] { return contract_page(*contract, index_); });
      ++counts_.contracts;
    }
    plan_groups();
    for (const SupportTable& table : input_.support)
      page(matrix_path(table), [this, &table] { return support_table_page(table, index_); });
    if (input_.changes != nullptr)
      page("changes", [this] { return changes_page(*input_.changes); });
    plan_retirement();
    plan_api();
  }

  // What the pages' script works on: long pieces, so they do not come last on one core alone.
  void plan_script_data() {
    add({"search-index.js"}, [this](const Sink& sink) {
      sink("search-index.js", write_search_index(search_entries(index_, input_.support)));
    });
    paths_.push_back("explain/index");
    add({"log-patterns.js", "explain/index.html", "explain/index.md"}, [this](const Sink& sink) {
      const LogPatterns patterns = log_patterns(index_.dataset);
      sink("log-patterns.js", patterns.script);
      write_page(log_page(patterns, index_.dataset.records.size()), sink);
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
    ++counts_.records;
    const std::string path = record_path(record);
    paths_.push_back(path);
    add({path + ".html", path + ".md", record_api_path(record)}, [this, at](const Sink& sink) {
      const ErrorRecord& known = index_.dataset.records[at];
      RecordPageInput input{&known, &index_, &known, related_.of(at)};
      ErrorRecord with_source;
      if (!input_.source_root.empty() && input_.files != nullptr) {
        with_source = with_source_excerpt(known, *input_.files, input_.source_root);
        input.record = &with_source;
      }
      write_page(record_page(input), sink);
      sink(record_api_path(known),
           write_record_envelope(*input.record, index_.dataset.version) + "\n");
    });
  }

  void plan_pack(const PackIndex& pack) {
    page(pack_path(*pack.pack), [&pack] { return pack_page(pack); });
    for (const Rule& rule : pack.pack->rules) {
      ++counts_.rules;
      const std::string path = rule_path(rule);
      paths_.push_back(path);
      add({path + ".html", path + ".md", rule_api_path(rule)},
          [this, &pack, &rule](const Sink& sink) {
            write_page(rule_page(rule, pack, index_), sink);
            sink(rule_api_path(rule), write_json_rule(rule));
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
      const SitePage page = retired_page(retired, dataset);
      paths_.push_back(page.path);
      add({page.path + ".html", page.path + ".md", page.data},
          [this, &dataset, &retired](const Sink& sink) {
            const SitePage made = retired_page(retired, dataset);
            write_page(made, sink);
            sink(made.data, retired_json(retired, dataset.version));
          });
    }
    // Not in the list of pages: they only lead elsewhere.
    for (const MovedSlug& moved : input_.retirement.slugs)
      if (const ErrorRecord* to = dataset.find(moved.id)) {
        const std::string path = error_path(moved.repo, moved.slug);
        add({path + ".html", path + ".md"},
            [this, &moved, to](const Sink& sink) { write_page(moved_page(moved, *to), sink); });
      }
  }

  void plan_api() {
    add({"api/index.json"},
        [this](const Sink& sink) { sink("api/index.json", api_index(index_, input_.retirement)); });
    add({"api/openapi.json"}, [this](const Sink& sink) {
      sink("api/openapi.json", openapi_json(index_.dataset.version));
    });
    for (const PublishedSchema& schema : published_schemas()) {
      const std::string file = fmt::format("schemas/{}", schema.name);
      add({file}, [file, &schema](const Sink& sink) { sink(file, schema.text); });
    }
    add({"llms.txt"}, [this](const Sink& sink) { sink("llms.txt", llms_text(index_)); });
    if (input_.frame.base_url.empty()) return;
    const std::size_t count = sitemap_count(paths_.size());
    for (std::size_t at = 0; at < count; ++at)
      add({sitemap_name(at, count)}, [this, at, count](const Sink& sink) {
        sink(sitemap_name(at, count), sitemap_xml(paths_, at, input_.frame.base_url));
      });
    if (count > 1)
      add({"sitemap.xml"}, [this, count](const Sink& sink) {
        sink("sitemap.xml", sitemap_index_xml(count, input_.frame.base_url));
      });
  }

  const SiteInput& input_;
  const SiteIndex index_;
  const RelatedErrors related_;
  std::vector<std::string> paths_;  // of all pages
  std::vector<Piece> pieces_;
  std::map<std::string, std::size_t, std::less<>> piece_of_file_;
  SiteCounts counts_;
};

SitePlan::SitePlan(const SiteInput& input) : planner_(std::make_unique<Planner>(input)) {}
SitePlan::~SitePlan() = default;

std::size_t SitePlan::size() const { return planner_->size(); }
const SiteCounts& SitePlan::counts() const { return planner_->counts(); }
std::optional<std::size_t> SitePlan::find(std::string_view file) const {
  return planner_->find(file);
}
void SitePlan::write(std::size_t piece, const Sink& sink) const { planner_->write(piece, sink); }

}  // namespace assay
