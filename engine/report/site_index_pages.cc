// The pages that lead to the others.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/report/site_pages.h"

namespace assay {
namespace {

constexpr std::string_view kUnplaced = "unplaced";  // what such a rule says as its step

Phrase rule_item(const Rule& rule) {
  return {page_link(rule_path(rule), rule.summary),
          soft(fmt::format(" — {}", to_string(rule.severity)))};
}

Phrase record_item(const ErrorRecord& record) {
  Phrase item{page_link(record_path(record), record.error_message)};
  if (record.error_class) item.push_back(soft(" — " + *record.error_class));
  return item;
}

// "unsupported-argument-combination" as a heading.
std::string heading_of(std::string tag) {
  for (char& c : tag)
    if (c == '-' || c == '_') c = ' ';
  if (!tag.empty() && tag[0] >= 'a' && tag[0] <= 'z')
    tag[0] = static_cast<char>(tag[0] - 'a' + 'A');
  return tag;
}

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

}  // namespace

std::string pack_path(const RulePack& pack) {
  return fmt::format("rules/{}/index", safe_file_name(pack.name));
}

SitePage pack_page(const RulePack& pack) {
  SitePage page;
  page.path = pack_path(pack);
  page.title = pack.title + " rules";
  page.description =
      fmt::format("The rules that {} applies to its arguments, in its own order.", pack.title);
  page.paragraph(
      {plain(fmt::format("{}, in the order in which {} applies them. Releases covered: ",
                         counted(pack.rules.size(), "rule", "rules"), pack.title)),
       plain(pack.versions.empty()       ? "none named"
             : pack.versions.size() == 1 ? pack.versions.front()
                                         : pack.versions.front() + " to " + pack.versions.back()),
       plain(".")});
  std::map<std::string, std::vector<const Rule*>> by_step;
  for (const Rule& rule : pack.rules) by_step[rule.step].push_back(&rule);
  std::string stage_shown;
  const auto add = [&](const std::string& step, const std::string& stage) {
    const auto found = by_step.find(step);
    if (found == by_step.end()) return;
    std::vector<const Rule*> rules = std::move(found->second);
    by_step.erase(found);
    std::stable_sort(rules.begin(), rules.end(),
                     [](const Rule* a, const Rule* b) { return a->place < b->place; });
    if (stage != stage_shown) page.heading(stage);
    stage_shown = stage;
    if (step != kUnplaced) page.paragraph({code_text(step)});
    std::vector<Phrase> items;
    for (const Rule* rule : rules) items.push_back(rule_item(*rule));
    page.bullets(std::move(items));
  };
  for (const PipelineStage& stage : pack.stages)
    for (const PipelineStep& step : stage.steps)
      add(step.name, stage.title.empty() ? stage.name : stage.title);
  add(std::string(kUnplaced), "At an unknown step");
  return page;
}

SitePage errors_page(const Dataset& dataset) {
  SitePage page;
  page.path = "errors/index";
  page.title = "Known errors";
  page.description = "Error messages of LLM serving engines, what they mean and how to mend them.";
  std::map<std::string, std::vector<const ErrorRecord*>> groups;
  for (const ErrorRecord& record : dataset.records) {
    const std::string kind = record.background_tag.value_or(record.error_type);
    groups[kind.empty() ? "other" : kind].push_back(&record);
  }
  page.paragraph({plain(counted(dataset.records.size(), "error", "errors")),
                  plain(", by what lies behind them. As JSON: "),
                  page_link("api/index.json", "/api/index.json"), plain(".")});
  for (const auto& [kind, records] : groups) {
    page.heading(heading_of(kind));
    std::vector<Phrase> items;
    for (const ErrorRecord* record : records) items.push_back(record_item(*record));
    page.bullets(std::move(items));
  }
  return page;
}

SitePage front_page(std::span<const RulePack* const> packs,
                    std::span<const TensorContract* const> contracts, const Dataset& dataset) {
  SitePage page;
  page.path = "index";
  page.title = "What LLM serving engines refuse, and how to mend it";
  page.description = "Rules and known errors of LLM serving engines.";
  page.paragraph(
      {plain("Each rule is checked before a launch, each error is recognised in a log. "
             "The same knowledge answers at the command line:")});
  page.code(
      "assay check -- python -m sglang.launch_server --model-path MODEL\n"
      "assay explain server.log\n",
      "sh");
  if (!packs.empty()) {
    page.heading("Rules");
    std::vector<Phrase> items;
    for (const RulePack* pack : packs)
      items.push_back({page_link(pack_path(*pack), pack->title),
                       plain(" — " + counted(pack->rules.size(), "rule", "rules"))});
    page.bullets(std::move(items));
  }
  if (!contracts.empty()) {
    page.heading("Kernel contracts");
    std::vector<Phrase> items;
    for (const TensorContract* contract : contracts)
      items.push_back({page_link(contract_path(*contract), contract->title), plain(" — "),
                       code_text(contract->kernel)});
    page.bullets(std::move(items));
  }
  page.heading("Errors");
  std::map<std::string, std::vector<const ErrorRecord*>> by_repo;
  for (const ErrorRecord& record : dataset.records) by_repo[record.repo].push_back(&record);
  std::vector<Phrase> items;
  constexpr std::size_t kShown = 12;  // of a project; all are one click away
  for (const auto& [repo, records] : by_repo) {
    page.paragraph({page_link("errors/index", repo),
                    plain(" — " + counted(records.size(), "known error", "known errors"))});
    items.clear();
    for (std::size_t i = 0; i < records.size() && i < kShown; ++i)
      items.push_back(record_item(*records[i]));
    if (records.size() > kShown)
      items.push_back(
          {page_link("errors/index", fmt::format("and {} more", records.size() - kShown))});
    page.bullets(items);
  }
  if (!dataset.version.empty())
    page.footer = {plain("Dataset of " + dataset.version.substr(0, 10) + ".")};
  return page;
}

}  // namespace assay
