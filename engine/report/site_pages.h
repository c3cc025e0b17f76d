// The kinds of pages of the site. Each builder takes what it shows and gives a page; which pages
// there are is decided in site_plan.cc.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/evaluate/support_matrix.h"
#include "engine/model/dataset.h"
#include "engine/model/retirement.h"
#include "engine/model/rule_pack.h"
#include "engine/model/tensor_contract.h"
#include "engine/report/knowledge_changes.h"
#include "engine/report/related_errors.h"
#include "engine/report/site_document.h"
#include "engine/report/site_index.h"

namespace assay {

// Paths, without extension.
std::string record_path(const ErrorRecord& record);         // errors/<project>/<slug>
std::string rule_path(const Rule& rule);                    // rules/<pack>/<area>/<slug>
std::string pack_path(const RulePack& pack);                // rules/<pack>/index
std::string contract_path(const TensorContract& contract);  // rules/kernels/<kernel>
std::string version_path(const RulePack& pack, std::string_view version);  // versions/<pack>/...
std::string matrix_path(const SupportTable& table);  // support/<pack>/<matrix>/<model>
std::string error_path(std::string_view repo, std::string_view slug);
// Files.
std::string record_api_path(const ErrorRecord& record);  // api/errors/<id>.json
std::string rule_api_path(const Rule& rule);             // api/rules/<pack>/<area>/<slug>.json

struct RecordPageInput {
  const ErrorRecord* record = nullptr;  // source_code filled in where it is known
  const SiteIndex* index = nullptr;
  const ErrorRecord* key = nullptr;  // the record as the index knows it
  std::vector<RelatedError> related;
};
SitePage record_page(const RecordPageInput& input);
SitePage rule_page(const Rule& rule, const PackIndex& pack, const SiteIndex& index);
// Its clauses link to the records they join.
SitePage contract_page(const TensorContract& contract, const SiteIndex& index);
SitePage argument_page(const ArgumentRef& argument, const SiteIndex& index);
SitePage cause_page(std::string_view cause, const SiteGroup& group, const SiteIndex& index);
SitePage tag_page(std::string_view tag, const SiteGroup& group);
SitePage file_page(const SourceFileKey& key, const SiteGroup& group);
SitePage area_page(std::string_view area, const SiteGroup& group, const PackIndex& pack,
                   const SiteIndex& index);
// What is law in this release, and what its predecessor had otherwise.
SitePage version_page(const RulePack& pack, std::size_t version);
SitePage support_table_page(const SupportTable& table, const SiteIndex& index);
SitePage changes_page(const KnowledgeChanges& changes);
// A page in the place of one that is gone; `to` may be null.
SitePage retired_page(const RetiredRecord& retired, const Dataset& dataset);
SitePage moved_page(const MovedSlug& moved, const ErrorRecord& to);

// What leads to the others.
SitePage project_page(std::string_view repo, const SiteGroup& group);
SitePage pack_page(const PackIndex& pack);                    // its rules in the engine's order
SitePage rules_page(const SiteIndex& index);                  // rules/index
SitePage arguments_page(const SiteIndex& index);              // arguments/index
SitePage errors_page(const SiteIndex& index);                 // errors/index
SitePage causes_page(const SiteIndex& index);                 // causes/index
SitePage tags_page(const SiteIndex& index);                   // tags/index
SitePage files_page(const SiteIndex& index);                  // files/index
SitePage versions_page(const SiteIndex& index);               // versions/index
SitePage support_page(std::span<const SupportTable> tables);  // support/index
struct FrontPageInput {
  const SiteIndex* index = nullptr;
  std::span<const SupportTable> tables;
  bool has_changes = false;
};
SitePage front_page(const FrontPageInput& input);  // index

// Parts of pages.
Phrase record_item(const ErrorRecord& record);
Phrase rule_item(const Rule& rule);
// "unsupported-argument-combination" as a heading.
std::string title_of_tag(std::string_view tag);
std::string counted_items(std::size_t count, std::string_view one, std::string_view many);
void add_records(SitePage& page, std::span<const ErrorRecord* const> records);
void add_rules(SitePage& page, std::span<const Rule* const> rules);

}  // namespace assay
