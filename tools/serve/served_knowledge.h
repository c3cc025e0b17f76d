// The knowledge that a server answers from: loaded whole, then exchanged for another, never
// changed.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/evaluate/message_matcher.h"
#include "engine/evaluate/similar_records.h"
#include "engine/evaluate/support_matrix.h"
#include "engine/evaluate/table_facts.h"
#include "engine/model/retirement.h"
#include "engine/report/site_plan.h"
#include "tools/cli/command.h"
#include "tools/cli/knowledge_location.h"
#include "tools/serve/served_file.h"

namespace assay::serve {

class ServedKnowledge {
 public:
  // Errors: those of find_knowledge and load_knowledge; damaged_bundle; those of compute_support
  // and of reading the tables.
  static Result<std::shared_ptr<const ServedKnowledge>> load(
      const std::optional<std::string>& named, const SiteFrame& frame,
      SourceSet& sources_of_faults);

  const Knowledge& knowledge() const { return knowledge_; }
  const SourceSet& sources() const { return session_.sources; }
  const MessageMatcher& matcher() const { return *matcher_; }
  const std::vector<const RulePack*>& packs() const { return packs_; }
  const TableFacts& facts() const { return *facts_; }
  const SimilarRecords& similar() const { return similar_; }

  // A file of the site, "errors/sglang/x.html"; null where there is none.
  ServedFilePtr site_file(std::string_view name) const;
  // The record of an id, or of a slug, as the site's api/errors/<id>.json; null where there is
  // none.
  ServedFilePtr record_file(std::string_view name) const;

 private:
  struct Site;
  ServedKnowledge() : cache_(kCacheBytes) {}
  Result<std::shared_ptr<const Site>> make_site();
  const ErrorRecord* find_record(std::string_view name) const;

  static constexpr std::size_t kCacheBytes = 128u << 20;

  cli::Session session_;
  Knowledge knowledge_;
  SiteFrame frame_;
  std::optional<MessageMatcher> matcher_;
  std::vector<const RulePack*> packs_;
  std::optional<TableFacts> facts_;
  mutable ServedFileCache cache_;
  mutable std::mutex making_;
  const SimilarRecords similar_{knowledge_.dataset};
  std::shared_ptr<const Site> site_;
  mutable std::once_flag slugs_once_;
  mutable std::map<std::string_view, const ErrorRecord*> slugs_;
};

}  // namespace assay::serve
