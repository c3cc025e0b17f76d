// Pages that list some of the knowledge: what has one background cause, one tag, one source file,
// one area, one project; and the pages that lead to them.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "engine/report/site_pages.h"

namespace assay {
namespace {

constexpr std::size_t kShownOfCause = 8;  // on the page of all errors

SitePage list_page(const char* kind, std::string path, std::string title, std::string description) {
  SitePage page;
  page.kind = kind;
  page.path = std::move(path);
  page.title = std::move(title);
  page.description = std::move(description);
  return page;
}

// The tags that occur most often in the group's records, its own name aside.
void add_common_tags(SitePage& page, const SiteGroup& group, const SiteIndex& index) {
  constexpr std::size_t kShown = 12;
  std::map<std::string_view, std::size_t> counts;
  for (const ErrorRecord* record : group.records)
    for (const std::string& tag : record->tags) ++counts[tag];
  std::vector<std::pair<std::size_t, std::string_view>> order;
  for (const auto& [tag, count] : counts)
    if (count > 1) order.emplace_back(count, tag);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  Phrase phrase;
  for (std::size_t at = 0; at < order.size() && at < kShown; ++at) {
    const SiteGroup* tag = index.tag(order[at].second);
    if (tag == nullptr) continue;
    phrase.push_back(plain(phrase.empty() ? "Often with: " : " "));
    phrase.push_back(page_link(tag->path, std::string(order[at].second)));
  }
  if (!phrase.empty()) page.paragraph(std::move(phrase));
}

std::vector<const std::pair<const std::string_view, SiteGroup>*> by_size(
    const std::map<std::string_view, SiteGroup>& groups) {
  std::vector<const std::pair<const std::string_view, SiteGroup>*> order;
  for (const auto& entry : groups) order.push_back(&entry);
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return a->second.records.size() > b->second.records.size();
  });
  return order;
}

}  // namespace

Phrase rule_item(const Rule& rule) {
  return {page_link(rule_path(rule), rule.summary),
          soft(fmt::format(" — {}", to_string(rule.severity)))};
}

Phrase record_item(const ErrorRecord& record) {
  Phrase item{page_link(record_path(record), record.error_message)};
  if (record.error_class) item.push_back(soft(" — " + *record.error_class));
  return item;
}

std::string title_of_tag(std::string_view tag) {
  std::string title(tag);
  for (char& c : title)
    if (c == '-' || c == '_') c = ' ';
  if (!title.empty() && title[0] >= 'a' && title[0] <= 'z')
    title[0] = static_cast<char>(title[0] - 'a' + 'A');
  return title;
}

std::string counted_items(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

void add_records(SitePage& page, std::span<const ErrorRecord* const> records) {
  std::vector<Phrase> items;
  for (const ErrorRecord* record : records) items.push_back(record_item(*record));
  page.bullets(std::move(items));
}

void add_rules(SitePage& page, std::span<const Rule* const> rules) {
  std::vector<Phrase> items;
  for (const Rule* rule : rules) items.push_back(rule_item(*rule));
  page.bullets(std::move(items));
}

SitePage cause_page(std::string_view cause, const SiteGroup& group, const SiteIndex& index) {
  const std::string title = title_of_tag(cause);
  SitePage page =
      list_page("cause", group.path, title,
                fmt::format("{} with the background cause “{}”.",
                            counted_items(group.records.size(), "error", "errors"), title));
  page.eyebrow = {"background cause", counted_items(group.records.size(), "error", "errors")};
  page.trail = {page_link("causes/index", "Background causes")};
  add_common_tags(page, group, index);
  std::map<std::string_view, std::vector<const ErrorRecord*>> by_repo;
  for (const ErrorRecord* record : group.records) by_repo[record->repo].push_back(record);
  for (const auto& [repo, records] : by_repo) {
    if (by_repo.size() > 1) page.heading(std::string(repo));
    add_records(page, records);
  }
  return page;
}

SitePage tag_page(std::string_view tag, const SiteGroup& group) {
  SitePage page = list_page(
      "tag", group.path, std::string(tag),
      fmt::format("{} tagged {}.", counted_items(group.records.size(), "error", "errors"), tag));
  page.eyebrow = {"tag", counted_items(group.records.size(), "error", "errors")};
  page.trail = {page_link("tags/index", "Tags")};
  add_records(page, group.records);
  return page;
}

SitePage file_page(const SourceFileKey& key, const SiteGroup& group) {
  SitePage page = list_page("file", group.path, key.file,
                            fmt::format("Known errors and rules of {} in {}.", key.file, key.repo));
  page.title_is_code = true;
  page.eyebrow = {key.repo, "source file"};
  page.trail = {page_link("files/index", "Source files")};
  const auto place = [](std::int64_t line) {
    return line > 0 ? fmt::format("line {}: ", line) : std::string();
  };
  if (!group.records.empty()) {
    page.heading("Errors raised here");
    std::vector<const ErrorRecord*> records = group.records;
    std::stable_sort(records.begin(), records.end(), [](const auto* a, const auto* b) {
      return a->line_number.value_or(0) < b->line_number.value_or(0);
    });
    std::vector<Phrase> items;
    for (const ErrorRecord* record : records) {
      items.push_back({soft(place(record->line_number.value_or(0)))});
      append(items.back(), record_item(*record));
    }
    page.bullets(std::move(items));
  }
  if (!group.rules.empty()) {
    page.heading("Rules read from here");
    std::vector<const Rule*> rules = group.rules;
    std::stable_sort(rules.begin(), rules.end(),
                     [](const auto* a, const auto* b) { return a->source.line < b->source.line; });
    std::vector<Phrase> items;
    for (const Rule* rule : rules) {
      items.push_back({soft(place(rule->source.line))});
      append(items.back(), rule_item(*rule));
    }
    page.bullets(std::move(items));
  }
  if (!group.contracts.empty()) {
    page.heading("Kernel contracts");
    std::vector<Phrase> items;
    for (const TensorContract* contract : group.contracts)
      items.push_back({page_link(contract_path(*contract), contract->title)});
    page.bullets(std::move(items));
  }
  return page;
}

SitePage area_page(std::string_view area, const SiteGroup& group, const PackIndex& pack_index,
                   const SiteIndex& index) {
  const RulePack& pack = *pack_index.pack;
  const std::string title = title_of_tag(area);
  SitePage page =
      list_page("area", group.path, fmt::format("{}: {}", pack.title, title),
                fmt::format("What {} checks and changes by itself about {}.", pack.title, area));
  page.eyebrow = {pack.title, "area", counted_items(group.rules.size(), "rule", "rules")};
  page.trail = {page_link(pack_path(pack), pack.title + " rules")};
  std::set<FactId> named;
  for (const Rule* rule : group.rules) {
    const auto own = pack_index.arguments_of_rule.find(rule);
    if (own != pack_index.arguments_of_rule.end())
      named.insert(own->second.begin(), own->second.end());
  }
  for (const auto& [name, is_derivation] :
       {std::pair("Checks", false), std::pair("What the engine changes by itself", true)}) {
    std::vector<const Rule*> rules;
    for (const Rule* rule : group.rules)
      if (rule->is_derivation() == is_derivation) rules.push_back(rule);
    if (rules.empty()) continue;
    page.heading(name);
    add_rules(page, rules);
  }
  std::vector<const ErrorRecord*> records;
  for (const Rule* rule : group.rules)
    if (const ErrorRecord* record = index.dataset.find(rule->error))
      if (std::find(records.begin(), records.end(), record) == records.end())
        records.push_back(record);
  if (!records.empty()) {
    page.heading("Errors they explain");
    add_records(page, records);
  }
  if (!named.empty()) {
    page.heading("Arguments");
    Phrase arguments;
    for (const FactId fact : named) {
      if (!arguments.empty()) arguments.push_back(plain(" "));
      arguments.push_back(code_link(pack_index.arguments[fact].path, pack.schema.facts[fact].name));
    }
    page.paragraph(std::move(arguments));
  }
  return page;
}

SitePage project_page(std::string_view repo, const SiteGroup& group) {
  SitePage page = list_page("errors", group.path, fmt::format("Known errors of {}", repo),
                            fmt::format("Every known error message of {}.", repo));
  page.eyebrow = {std::string(repo), counted_items(group.records.size(), "error", "errors")};
  page.trail = {page_link("errors/index", "Errors")};
  add_records(page, group.records);
  return page;
}

SitePage causes_page(const SiteIndex& index) {
  SitePage page = list_page("causes", "causes/index", "Background causes",
                            "What lies behind the known errors, the most common first.");
  std::vector<Phrase> items;
  for (const auto* entry : by_size(index.causes))
    items.push_back({page_link(entry->second.path, title_of_tag(entry->first)),
                     soft(fmt::format(" — {}", entry->second.records.size()))});
  page.bullets(std::move(items));
  return page;
}

SitePage tags_page(const SiteIndex& index) {
  SitePage page =
      list_page("tags", "tags/index", "Tags", "What the known errors are about, by tag.");
  std::vector<Phrase> items;
  for (const auto& [tag, group] : index.tags)
    items.push_back({page_link(group.path, std::string(tag)),
                     soft(fmt::format(" — {}", group.records.size()))});
  page.bullets(std::move(items));
  return page;
}

SitePage files_page(const SiteIndex& index) {
  SitePage page = list_page("files", "files/index", "Source files",
                            "The source files that raise known errors, by project.");
  std::string_view repo;
  std::vector<Phrase> items;
  const auto end_project = [&] {
    if (!items.empty()) page.bullets(std::move(items));
    items.clear();
  };
  for (const auto& [key, group] : index.files) {
    if (key.repo != repo) {
      end_project();
      page.heading(key.repo);
      repo = key.repo;
    }
    items.push_back(
        {code_link(group.path, key.file),
         soft(fmt::format(" — {}, {}", counted_items(group.records.size(), "error", "errors"),
                          counted_items(group.rules.size(), "rule", "rules")))});
  }
  end_project();
  return page;
}

SitePage errors_page(const SiteIndex& index) {
  SitePage page =
      list_page("errors", "errors/index", "Known errors",
                "Error messages of LLM serving engines, what they mean and how to mend them.");
  page.data = "api/index.json";
  page.paragraph({plain(counted_items(index.dataset.records.size(), "error", "errors")),
                  plain(", by what lies behind them. As JSON: "),
                  file_link("api/index.json", "/api/index.json"), plain(".")});
  Phrase projects{plain("By project:")};
  for (const auto* entry : by_size(index.projects)) {
    projects.push_back(plain(" "));
    projects.push_back(page_link(entry->second.path, std::string(entry->first)));
    projects.push_back(soft(fmt::format(" ({})", entry->second.records.size())));
  }
  if (!index.projects.empty()) page.paragraph(std::move(projects));
  for (const auto* entry : by_size(index.causes)) {
    const SiteGroup& group = entry->second;
    page.heading(title_of_tag(entry->first));
    std::vector<Phrase> items;
    for (std::size_t at = 0; at < group.records.size() && at < kShownOfCause; ++at)
      items.push_back(record_item(*group.records[at]));
    if (group.records.size() > kShownOfCause)
      items.push_back({page_link(group.path, fmt::format("all {} of them", group.records.size()))});
    page.bullets(std::move(items));
  }
  std::vector<const ErrorRecord*> others;
  for (const ErrorRecord& record : index.dataset.records)
    if (record.background_tag.value_or("").empty()) others.push_back(&record);
  if (!others.empty()) {
    page.heading("Other errors");
    add_records(page, others);
  }
  return page;
}

}  // namespace assay
