// What a page is found by is said where the knowledge lies, not read off the pages: an argument by
// all its spellings, a rule by the arguments it names. Pages that only lead to others, and what is
// retired, are not among it.
#include "engine/report/site_search_entries.h"

#include <fmt/format.h>

#include "engine/report/site_pages.h"

namespace assay {
namespace {

SearchEntry entry_of(std::string kind, std::string path, std::string title) {
  SearchEntry entry;
  entry.kind = std::move(kind);
  entry.path = std::move(path);
  entry.title = std::move(title);
  return entry;
}

std::string number_of_pages(const SiteGroup& group) {
  std::string text;
  const auto add = [&](std::size_t count, std::string_view one, std::string_view many) {
    if (count == 0) return;
    if (!text.empty()) text += ", ";
    text += counted_items(count, one, many);
  };
  add(group.records.size(), "error", "errors");
  add(group.rules.size(), "rule", "rules");
  add(group.contracts.size(), "kernel contract", "kernel contracts");
  return text;
}

// The error `record`, found by the arguments that it mentions as well.
SearchEntry record_entry(const ErrorRecord& record, const SiteIndex& index) {
  SearchEntry entry = search_entry(record);
  for (const ArgumentRef& argument : index.arguments_of(record))
    entry.terms.push_back(index.packs[argument.pack].pack->schema.facts[argument.fact].name);
  return entry;
}

void add_pack(const PackIndex& index, std::vector<SearchEntry>& entries) {
  const RulePack& pack = *index.pack;
  for (const Rule& rule : pack.rules) {
    SearchEntry entry = search_entry(rule, pack);
    if (const auto named = index.arguments_of_rule.find(&rule);
        named != index.arguments_of_rule.end())
      for (const FactId fact : named->second) entry.terms.push_back(pack.schema.facts[fact].name);
    entries.push_back(std::move(entry));
  }
  for (FactId fact = 0; fact < index.arguments.size(); ++fact) {
    if (index.arguments[fact].path.empty()) continue;
    const FactDeclaration& argument = pack.schema.facts[fact];
    SearchEntry entry =
        entry_of("argument", index.arguments[fact].path,
                 argument.flags.empty() ? argument.name : argument.flags.front().spelling);
    entry.detail = argument.documentation;
    entry.terms = {argument.name};
    for (const Flag& flag : argument.flags) entry.terms.push_back(flag.spelling);
    entry[SearchFacet::project] = pack.title;
    entries.push_back(std::move(entry));
  }
}

void add_groups(const SiteIndex& index, std::vector<SearchEntry>& entries) {
  const auto add = [&](const char* kind, const SiteGroup& group, std::string title) {
    SearchEntry entry = entry_of(kind, group.path, std::move(title));
    entry.detail = number_of_pages(group);
    entries.push_back(std::move(entry));
  };
  for (const auto& [cause, group] : index.causes) add("cause", group, title_of_tag(cause));
  for (const auto& [tag, group] : index.tags) add("tag", group, std::string(tag));
  for (const auto& [file, group] : index.files) add("file", group, file.file);
}

}  // namespace

std::vector<SearchEntry> search_entries(const SiteIndex& index,
                                        std::span<const SupportTable> tables) {
  std::vector<SearchEntry> entries;
  for (const ErrorRecord& record : index.dataset.records)
    entries.push_back(record_entry(record, index));
  for (const PackIndex& pack : index.packs) add_pack(pack, entries);
  for (const TensorContract* contract : index.contracts) {
    SearchEntry entry = entry_of("contract", contract_path(*contract), contract->title);
    entry.detail = contract->kernel;
    entries.push_back(std::move(entry));
  }
  add_groups(index, entries);
  for (const SupportTable& table : tables) {
    SearchEntry entry = entry_of("support", matrix_path(table), table.title + ": " + table.model);
    entry.detail = table.pack->title;
    entry.terms = {table.row_argument, table.column_argument};
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace assay
