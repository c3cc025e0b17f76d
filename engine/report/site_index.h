// What belongs together across the knowledge, and where its pages are: worked out once, before any
// page is built.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/model/dataset.h"
#include "engine/model/rule_pack.h"
#include "engine/model/tensor_contract.h"
#include "engine/report/fact_mentions.h"

namespace assay {

// The argument of a pack. Ordered as the pack declares them.
struct ArgumentRef {
  std::uint32_t pack = 0;  // index into SiteIndex::packs
  FactId fact = 0;
  auto operator<=>(const ArgumentRef&) const = default;
};

// What lists some of the knowledge: a tag, a background cause, a source file, an area.
struct SiteGroup {
  std::string path;  // of its page
  std::vector<const ErrorRecord*> records;
  std::vector<const Rule*> rules;
  std::vector<const TensorContract*> contracts;
};

struct SourceFileKey {
  std::string repo;
  std::string file;
  auto operator<=>(const SourceFileKey&) const = default;
};

struct ArgumentPage {
  std::string path;
  std::vector<const Rule*> rules;             // that name it
  std::vector<const Rule*> rules_by_derived;  // that name a derived fact which reads it
  std::vector<const ErrorRecord*> records;
};

struct PackIndex {
  const RulePack* pack = nullptr;
  std::vector<ArgumentPage> arguments;  // by FactId; without a path for other facts
  std::unordered_map<const Rule*, std::vector<FactId>> arguments_of_rule;
  std::map<std::string_view, SiteGroup> areas;  // by name
};

// Looks into the packs, contracts and records it was made from, which must stay where they are.
class SiteIndex {
 public:
  SiteIndex(std::span<const RulePack* const> all_packs,
            std::span<const TensorContract* const> all_contracts, const Dataset& all_records);
  SiteIndex(const SiteIndex&) = delete;
  SiteIndex& operator=(const SiteIndex&) = delete;

  const Dataset& dataset;
  std::vector<PackIndex> packs;
  std::span<const TensorContract* const> contracts;
  std::map<std::string_view, SiteGroup> causes;
  std::map<std::string_view, SiteGroup> tags;
  std::map<std::string_view, SiteGroup> projects;  // by repository
  std::map<SourceFileKey, SiteGroup> files;

  std::span<const Rule* const> rules_of(const ErrorRecord& record) const;
  // That the record's texts name, and the rules that join it.
  std::span<const ArgumentRef> arguments_of(const ErrorRecord& record) const;
  const PackIndex& index_of(const RulePack& pack) const;
  const std::string& path_of(const ArgumentRef& argument) const {
    return packs[argument.pack].arguments[argument.fact].path;
  }
  // Null where there is no such page.
  const SiteGroup* cause_of(const ErrorRecord& record) const;
  const SiteGroup* tag(std::string_view name) const;
  const SiteGroup* file(std::string_view repo, std::string_view path) const;

 private:
  void add_pack(const RulePack& pack);
  void add_record(const ErrorRecord& record);
  void add_to_file(std::string_view repo, const std::string& path, const ErrorRecord* record,
                   const Rule* rule, const TensorContract* contract);
  void find_arguments(const ErrorRecord& record);
  // `path`, or the same with a number behind it when that is taken.
  std::string free_path(std::string path);

  std::set<std::string> taken_paths_;
  std::unordered_map<std::string_view, std::vector<const Rule*>> rules_of_record_;
  std::unordered_map<const ErrorRecord*, std::vector<ArgumentRef>> arguments_of_record_;
};

// "kv-cache" of "sglang/kv-cache/name"; the pack's own name for a rule without an area.
std::string_view area_of(const Rule& rule);

}  // namespace assay
