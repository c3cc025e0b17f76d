// The list of pages is made when the knowledge is loaded, off the way of the requests; the pages,
// and the words of all records, are made by the first request that needs them, so that exchanging
// the knowledge every second costs a tenth of one processor.
#include "tools/serve/served_knowledge.h"

#include <algorithm>
#include <map>
#include <utility>

#include "engine/base/ascii.h"
#include "engine/evaluate/knowledge_tables.h"
#include "engine/evaluate/usable_matcher.h"
#include "engine/read/retirement_reader.h"
#include "engine/report/record_json.h"

namespace assay::serve {

struct ServedKnowledge::Site {
  std::vector<const TensorContract*> contracts;
  std::vector<SupportTable> support;
  SiteInput input;
  std::unique_ptr<const SitePlan> plan;
};

Result<std::shared_ptr<const ServedKnowledge>> ServedKnowledge::load(
    const std::optional<std::string>& named, const SiteFrame& frame, SourceSet& sources_of_faults) {
  std::shared_ptr<ServedKnowledge> served(new ServedKnowledge);
  cli::Session& session = served->session_;
  served->frame_ = frame;
  const auto fill = [&]() -> Result<bool> {
    ASSAY_TRY(cli::KnowledgePlace place, cli::find_knowledge(named));
    place.is_bundle_copied = true;  // a mapped one that is written over would end the server
    Diagnostics warnings;
    ASSAY_TRY(served->knowledge_,
              cli::load_knowledge(session, place, KnowledgeParts::all, warnings));
    Knowledge& knowledge = served->knowledge_;
    ASSAY_TRY(knowledge.tables,
              add_tables(session.sources, session.files, place.folder, knowledge.tables));
    if (knowledge.bundle != nullptr) {
      served->matcher_.emplace(MessageMatcher::open(knowledge.dataset, *knowledge.bundle));
    } else {
      ASSAY_TRY(MessageMatcher matcher, compile_usable_matcher(knowledge.dataset, warnings));
      served->matcher_.emplace(std::move(matcher));
    }
    served->packs_ = knowledge.rule_packs();
    served->facts_.emplace(session.sources, knowledge.tables);
    ASSAY_TRY(served->site_, served->make_site());
    Diagnostics damage = knowledge.damage();
    if (!damage.empty()) return damage;
    return true;
  };
  Result<bool> filled = fill();
  if (!filled) {
    sources_of_faults = std::move(session.sources);
    return std::move(filled.error());
  }
  return std::shared_ptr<const ServedKnowledge>(std::move(served));
}

Result<std::shared_ptr<const ServedKnowledge::Site>> ServedKnowledge::make_site() {
  auto site = std::make_shared<Site>();
  for (const CompiledContract& contract : knowledge_.contracts)
    site->contracts.push_back(&contract.source);
  SourceSet& sources = session_.sources;
  std::vector<MatrixDeclaration> matrices;
  if (knowledge_.tables.matrices) {
    ASSAY_TRY(matrices, read_matrix_table(sources, *knowledge_.tables.matrices));
  }
  ASSAY_TRY(site->support, compute_support(knowledge_, knowledge_.tables, matrices, sources));
  site->input.packs = packs_;
  site->input.contracts = site->contracts;
  site->input.dataset = &knowledge_.dataset;
  site->input.support = site->support;
  if (knowledge_.tables.retirement) {
    ASSAY_TRY(site->input.retirement, read_retirement(sources, *knowledge_.tables.retirement));
  }
  site->input.frame = frame_;
  site->plan = std::make_unique<SitePlan>(site->input);
  return std::shared_ptr<const Site>(std::move(site));
}

ServedFilePtr ServedKnowledge::site_file(std::string_view name) const {
  if (ServedFilePtr cached = cache_.find(name)) return cached;
  // One page at a time: whoever waits for the same one finds it.
  const std::lock_guard lock(making_);
  if (ServedFilePtr cached = cache_.find(name)) return cached;
  const auto piece = site_->plan->find(name);
  if (!piece) return nullptr;
  ServedFilePtr wanted;
  site_->plan->write(*piece, [&](const std::string& file, std::string_view content) {
    ServedFilePtr served = make_served_file(file, std::string(content));
    if (file == name) wanted = served;
    cache_.add(file, std::move(served));
  });
  return wanted;
}

// Ids are hexadecimal: their letters may come in either case.
const ErrorRecord* ServedKnowledge::find_record(std::string_view name) const {
  const std::string id = lowered(name);
  if (const ErrorRecord* record = knowledge_.dataset.find(id)) return record;
  std::call_once(slugs_once_, [&] {
    for (const ErrorRecord& record : knowledge_.dataset.records)
      slugs_.emplace(record.slug, &record);
  });
  const auto found = slugs_.find(name);
  return found == slugs_.end() ? nullptr : found->second;
}

ServedFilePtr ServedKnowledge::record_file(std::string_view name) const {
  const ErrorRecord* record = find_record(name);
  if (record == nullptr) return nullptr;
  const std::string key = "\n" + record->id;  // no path holds a line end
  if (ServedFilePtr cached = cache_.find(key)) return cached;
  ServedFilePtr file =
      make_served_file(".json", write_record_envelope(*record, knowledge_.dataset.version) + "\n");
  cache_.add(key, file);
  return file;
}

}  // namespace assay::serve
