// The model table is read once, in a set of sources of its own; where one of its facts is used, the
// table's text joins the sources of the check, and the fact's places move there.
#include "engine/evaluate/table_facts.h"

#include <utility>

#include "engine/read/given_fact_reader.h"

namespace assay {
namespace {

void move_to(SourceId source, Span& span) {
  if (span.is_known()) span.source = source;
}

void move_to(SourceId source, Node& node) {
  move_to(source, node.span);
  for (Node& item : node.items) move_to(source, item);
  for (Entry& entry : node.entries) {
    move_to(source, entry.key_span);
    move_to(source, entry.value);
  }
}

}  // namespace

TableFacts::TableFacts(const SourceSet& sources, const KnowledgeTables& tables)
    : gpu_table_(table_of(sources, tables.gpus)), model_table_(table_of(sources, tables.models)) {}

std::optional<TableFacts::Table> TableFacts::table_of(const SourceSet& sources,
                                                      std::optional<SourceId> id) {
  if (!id) return std::nullopt;
  const Source& source = sources.get(*id);
  // Its folder is nothing to those who ask.
  const std::string_view name = source.name();
  return Table{std::string(name.substr(name.rfind('/') + 1)), std::string(source.text())};
}

const Result<std::vector<PublicModel>>& TableFacts::models() const {
  std::call_once(models_once_, [this] {
    SourceSet sources;
    if (model_table_)
      models_ = read_model_table(sources, sources.add(model_table_->name, model_table_->text));
  });
  return models_;
}

Result<std::vector<GivenFact>> TableFacts::public_model(const SaidFacts& said, const RulePack& pack,
                                                        const Launch& launch,
                                                        SourceSet& sources) const {
  if (!models()) return models().error();
  std::vector<GivenFact> facts = public_model_facts(*models(), said, pack, launch);
  if (facts.empty()) return facts;
  const SourceId table = sources.add(model_table_->name, model_table_->text);
  for (GivenFact& fact : facts) {
    move_to(table, fact.span);
    move_to(table, fact.value);
  }
  return facts;
}

Result<std::vector<GivenFact>> TableFacts::collect(const SaidFacts& said,
                                                   std::optional<std::string_view> model_config,
                                                   const RulePack& pack, const Launch& launch,
                                                   SourceSet& sources,
                                                   Diagnostics& warnings) const {
  Result<std::vector<GivenFact>> found =
      model_config
          ? read_model_config(sources, sources.add("config.json", std::string(*model_config)))
          : public_model(said, pack, launch, sources);
  if (!found) return found;
  std::optional<SourceId> gpus;
  if (said.gpu) {
    if (!gpu_table_)
      return make_error(code::unreadable_file, {}, "the knowledge has no table of GPUs");
    gpus = sources.add(gpu_table_->name, gpu_table_->text);
  }
  return weigh_facts(std::move(*found), said, gpus, sources, pack, launch, warnings);
}

}  // namespace assay
