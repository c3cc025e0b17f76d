// The front page, and the pages of rules: of all packs, and of one in the engine's order.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/report/site_pages.h"

namespace assay {
namespace {

constexpr std::string_view kUnplacedStep = "unplaced";  // what such a rule says as its step
constexpr std::size_t kCausesOfAnIndex = 12;

std::string covered_releases(const RulePack& pack) {
  if (pack.versions.empty()) return "none named";
  if (pack.versions.size() == 1) return pack.versions.front();
  return pack.versions.front() + " to " + pack.versions.back();
}

void add_packs(SitePage& page, const SiteIndex& index) {
  for (const PackIndex& pack : index.packs) {
    page.heading(pack.pack->title);
    page.paragraph(
        {page_link(pack_path(*pack.pack), counted_items(pack.pack->rules.size(), "rule", "rules")),
         plain(" in the engine's order, for releases "), plain(covered_releases(*pack.pack)),
         plain(". By area:")});
    std::vector<Phrase> items;
    for (const auto& [area, group] : pack.areas)
      items.push_back({page_link(group.path, title_of_tag(area)),
                       soft(" — " + counted_items(group.rules.size(), "rule", "rules"))});
    page.bullets(std::move(items));
  }
}

void add_contracts(SitePage& page, const SiteIndex& index) {
  if (index.contracts.empty()) return;
  page.heading("Kernel contracts");
  std::vector<Phrase> items;
  for (const TensorContract* contract : index.contracts)
    items.push_back({page_link(contract_path(*contract), contract->title), plain(" — "),
                     code_text(contract->kernel)});
  page.bullets(std::move(items));
}

void add_causes(SitePage& page, const SiteIndex& index) {
  if (index.causes.empty()) return;
  std::vector<const std::pair<const std::string_view, SiteGroup>*> order;
  for (const auto& entry : index.causes) order.push_back(&entry);
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) {
    return a->second.records.size() > b->second.records.size();
  });
  page.heading("Most common background causes");
  std::vector<Phrase> items;
  for (std::size_t at = 0; at < order.size() && at < kCausesOfAnIndex; ++at)
    items.push_back(
        {page_link(order[at]->second.path, title_of_tag(order[at]->first)),
         soft(" — " + counted_items(order[at]->second.records.size(), "error", "errors"))});
  if (order.size() > kCausesOfAnIndex)
    items.push_back({page_link("causes/index", fmt::format("all {} causes", order.size()))});
  page.bullets(std::move(items));
}

}  // namespace

std::string pack_path(const RulePack& pack) {
  return fmt::format("rules/{}/index", safe_file_name(pack.name));
}

SitePage pack_page(const PackIndex& index) {
  const RulePack& pack = *index.pack;
  SitePage page;
  page.kind = "rules";
  page.path = pack_path(pack);
  page.title = pack.title + " rules";
  page.description =
      fmt::format("The rules that {} applies to its arguments, in its own order.", pack.title);
  page.trail = {page_link("rules/index", "Rules")};
  page.paragraph({plain(fmt::format(
      "{}, in the order in which {} applies them. Releases covered: {}.",
      counted_items(pack.rules.size(), "rule", "rules"), pack.title, covered_releases(pack)))});
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
    if (step != kUnplacedStep) page.subheading({code_text(step)});
    add_rules(page, rules);
  };
  for (const PipelineStage& stage : pack.stages)
    for (const PipelineStep& step : stage.steps)
      add(step.name, stage.title.empty() ? stage.name : stage.title);
  add(std::string(kUnplacedStep), "At an unknown step");
  return page;
}

SitePage rules_page(const SiteIndex& index) {
  SitePage page;
  page.kind = "rules";
  page.path = "rules/index";
  page.title = "Rules and kernel contracts";
  page.description = "What is checked before a launch and before a kernel call.";
  add_packs(page, index);
  add_contracts(page, index);
  return page;
}

SitePage front_page(const FrontPageInput& input) {
  const SiteIndex& index = *input.index;
  SitePage page;
  page.kind = "home";
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
  std::size_t arguments = 0;
  for (const PackIndex& pack : index.packs)
    arguments += static_cast<std::size_t>(std::ranges::count_if(
        pack.arguments, [](const ArgumentPage& argument) { return !argument.path.empty(); }));
  std::vector<Phrase> ways{
      {page_link("errors/index",
                 counted_items(index.dataset.records.size(), "known error", "known errors")),
       plain(", by background cause, "), page_link("tags/index", "tag"), plain(" or "),
       page_link("files/index", "source file")},
      {page_link("arguments/index", counted_items(arguments, "argument", "arguments")),
       plain(": type, default, choices, and what is known to go wrong with each")},
      {page_link("support/index", "Support matrices"),
       plain(": what goes together on which model and GPU, computed from the rules")},
      {page_link("versions/index", "Releases"), plain(" and what changed between them")}};
  if (input.has_changes)
    ways.push_back({page_link("changes", "What changed"), plain(" in this dataset")});
  page.bullets(std::move(ways));
  add_causes(page, index);
  add_packs(page, index);
  add_contracts(page, index);
  if (!index.dataset.version.empty())
    page.footer = {plain("Dataset of " + index.dataset.version.substr(0, 10) + ".")};
  return page;
}

}  // namespace assay
