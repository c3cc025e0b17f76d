// Paths are given in the order of the knowledge, so that two names that only differ in case or in
// characters that a path does not have get the same paths in every run.
#include "engine/report/site_index.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/report/site_document.h"
#include "engine/report/site_pages.h"

namespace assay {
namespace {

// Derived facts and the facts that their expressions read, directly or through others.
std::vector<std::vector<FactId>> derived_reads(const FactSchema& schema) {
  std::vector<std::vector<FactId>> reads(schema.facts.size());
  for (FactId fact = 0; fact < schema.facts.size(); ++fact)
    if (schema.facts[fact].expression)
      add_expression_facts(schema.facts[fact].expression->text, schema, reads[fact]);
  // Derived facts read derived facts a few levels deep; no cycle, since the pack compiled.
  for (bool grows = true; grows;) {
    grows = false;
    for (std::vector<FactId>& own : reads) {
      const std::size_t before = own.size();
      for (std::size_t at = 0; at < before; ++at) {
        const std::vector<FactId> more = reads[own[at]];
        own.insert(own.end(), more.begin(), more.end());
      }
      sort_and_unite(own);
      grows |= own.size() > before;
    }
  }
  return reads;
}

}  // namespace

std::string_view area_of(const Rule& rule) {
  const std::string_view id = rule.id;
  const auto first = id.find('/');
  if (first == std::string_view::npos) return id;
  const auto last = id.rfind('/');
  return last == first ? id.substr(0, first) : id.substr(first + 1, last - first - 1);
}

SiteIndex::SiteIndex(std::span<const RulePack* const> all_packs,
                     std::span<const TensorContract* const> all_contracts,
                     const Dataset& all_records)
    : dataset(all_records), contracts(all_contracts) {
  packs.reserve(all_packs.size());
  for (const RulePack* pack : all_packs) add_pack(*pack);
  for (const ErrorRecord& record : dataset.records) add_record(record);
  for (const TensorContract* contract : contracts)
    add_to_file(contract->repository, contract->source.file, nullptr, nullptr, contract);
  const auto name_pages = [&](auto& groups, std::string_view folder) {
    for (auto& [name, group] : groups)
      group.path = free_path(fmt::format("{}/{}", folder, safe_file_name(name)));
  };
  name_pages(causes, "causes");
  name_pages(tags, "tags");
  for (auto& [repo, group] : projects)
    group.path =
        free_path(fmt::format("errors/{}/index", safe_file_name(repo.substr(repo.rfind('/') + 1))));
  for (auto& [key, group] : files)
    group.path = free_path("files/" + safe_path(key.repo) + "/" + safe_path(key.file));
}

std::string SiteIndex::free_path(std::string path) {
  // An index page has its folder's name.
  if (path.ends_with("/index") && !path.starts_with("errors/")) path += "-page";
  std::string free = path;
  for (int count = 2; !taken_paths_.insert(free).second; ++count)
    free = fmt::format("{}-{}", path, count);
  return free;
}

void SiteIndex::add_pack(const RulePack& pack) {
  PackIndex& index = packs.emplace_back();
  index.pack = &pack;
  const FactSchema& schema = pack.schema;
  index.arguments.resize(schema.facts.size());
  for (FactId fact = 0; fact < schema.facts.size(); ++fact)
    if (schema.facts[fact].is_argument)
      index.arguments[fact].path = free_path(fmt::format(
          "arguments/{}/{}", safe_file_name(pack.name), safe_file_name(schema.facts[fact].name)));
  const std::vector<std::vector<FactId>> behind = derived_reads(schema);
  for (const Rule& rule : pack.rules) {
    if (!rule.error.empty()) rules_of_record_[rule.error].push_back(&rule);
    index.areas[area_of(rule)].rules.push_back(&rule);
    add_to_file(pack.repository, rule.source.file, nullptr, &rule, nullptr);
    std::vector<FactId> through;
    std::vector<FactId>& own = index.arguments_of_rule[&rule];
    for (const FactId fact : facts_of_rule(rule, schema)) {
      if (schema.facts[fact].is_argument) own.push_back(fact);
      through.insert(through.end(), behind[fact].begin(), behind[fact].end());
    }
    sort_and_unite(through);
    for (const FactId fact : own) index.arguments[fact].rules.push_back(&rule);
    for (const FactId fact : through)
      if (schema.facts[fact].is_argument && !std::binary_search(own.begin(), own.end(), fact))
        index.arguments[fact].rules_by_derived.push_back(&rule);
  }
  for (auto& [name, area] : index.areas)
    area.path = fmt::format("rules/{}/{}/index", safe_file_name(pack.name), safe_path(name));
}

void SiteIndex::add_to_file(std::string_view repo, const std::string& path,
                            const ErrorRecord* record, const Rule* rule,
                            const TensorContract* contract) {
  if (path.empty()) return;
  SiteGroup& group = files[{std::string(repo), path}];
  if (record != nullptr) group.records.push_back(record);
  if (rule != nullptr) group.rules.push_back(rule);
  if (contract != nullptr) group.contracts.push_back(contract);
}

void SiteIndex::add_record(const ErrorRecord& record) {
  if (record.background_tag && !record.background_tag->empty())
    causes[*record.background_tag].records.push_back(&record);
  std::set<std::string_view> own(record.tags.begin(), record.tags.end());
  for (const std::string_view tag : own)
    if (!tag.empty()) tags[tag].records.push_back(&record);
  projects[record.repo].records.push_back(&record);
  if (record.file_path) add_to_file(record.repo, *record.file_path, &record, nullptr, nullptr);
  find_arguments(record);
}

void SiteIndex::find_arguments(const ErrorRecord& record) {
  std::vector<ArgumentRef> found;
  for (std::uint32_t pack = 0; pack < packs.size(); ++pack) {
    PackIndex& index = packs[pack];
    std::vector<FactId> facts;
    const FactSchema& schema = index.pack->schema;
    for (const Rule* rule : rules_of(record))
      if (const auto of_rule = index.arguments_of_rule.find(rule);
          of_rule != index.arguments_of_rule.end())
        facts.insert(facts.end(), of_rule->second.begin(), of_rule->second.end());
    if (index.pack->repository == record.repo) {
      add_text_arguments(record.error_message, schema, facts);
      add_text_arguments(record.documentation, schema, facts);
      for (const auto* text :
           {&record.trigger_scenarios, &record.common_situations, &record.example_fix})
        if (*text) add_text_arguments(**text, schema, facts);
      for (const std::string& solution : record.solutions)
        add_text_arguments(solution, schema, facts);
    }
    sort_and_unite(facts);
    for (const FactId fact : facts) {
      index.arguments[fact].records.push_back(&record);
      found.push_back({pack, fact});
    }
  }
  if (!found.empty()) arguments_of_record_[&record] = std::move(found);
}

std::span<const Rule* const> SiteIndex::rules_of(const ErrorRecord& record) const {
  const auto found = rules_of_record_.find(record.id);
  return found == rules_of_record_.end() ? std::span<const Rule* const>() : found->second;
}

std::span<const ArgumentRef> SiteIndex::arguments_of(const ErrorRecord& record) const {
  const auto found = arguments_of_record_.find(&record);
  return found == arguments_of_record_.end() ? std::span<const ArgumentRef>() : found->second;
}

const PackIndex& SiteIndex::index_of(const RulePack& pack) const {
  return *std::find_if(packs.begin(), packs.end(),
                       [&](const PackIndex& index) { return index.pack == &pack; });
}

const SiteGroup* SiteIndex::cause_of(const ErrorRecord& record) const {
  const auto found = causes.find(record.background_tag.value_or(""));
  return found == causes.end() ? nullptr : &found->second;
}

const SiteGroup* SiteIndex::tag(std::string_view name) const {
  const auto found = tags.find(name);
  return found == tags.end() ? nullptr : &found->second;
}

const SiteGroup* SiteIndex::file(std::string_view repo, std::string_view path) const {
  const auto found = files.find({std::string(repo), std::string(path)});
  return found == files.end() ? nullptr : &found->second;
}

}  // namespace assay
