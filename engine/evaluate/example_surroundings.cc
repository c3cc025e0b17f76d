// Later facts beat earlier ones where they are loaded (launch_facts.h), so the order of the list is
// the order of strength. A model is one thing: where somebody says something of it, nothing of the
// pack's model is mixed in.
#include "engine/evaluate/example_surroundings.h"

#include <algorithm>

#include "engine/read/argument_conversion.h"
#include "engine/read/given_fact_reader.h"

namespace assay {
namespace {

bool is_named_below(const GivenFact& fact, std::string_view prefix) {
  return fact.name.starts_with(prefix);
}

bool is_same_scalar(const Node& a, const Node& b) {
  return a.kind == b.kind && (a.kind == NodeKind::null || a.text == b.text);
}

// Whether the GPU is what `said` says of it.
bool agrees(std::span<const GivenFact> gpu, std::span<const GivenFact> said) {
  return std::ranges::all_of(said, [&](const GivenFact& wanted) {
    const auto found = std::ranges::find(gpu, wanted.name, &GivenFact::name);
    return found == gpu.end() || wanted.name == "gpu.count" ||
           is_same_scalar(found->value, wanted.value);
  });
}

}  // namespace

bool is_of_surroundings(const FactDeclaration& fact) {
  return !fact.is_argument && !fact.name.starts_with("env.") && !fact.name.starts_with("derived.");
}

Result<ExampleSurroundingsTable> ExampleSurroundingsTable::make(const RulePack& pack,
                                                                std::span<const PublicModel> models,
                                                                SourceSet& sources,
                                                                std::optional<SourceId> gpu_table) {
  const ExampleSurroundings& wanted = pack.example_surroundings;
  ExampleSurroundingsTable table;
  table.pack_ = &pack;
  table.models_ = models;
  for (const Entry& fact : wanted.facts)
    table.facts_.push_back(
        {fact.key, fact.value, Origin::command_line_fact, {}, "the pack's example_fixes"});
  for (const std::string& gpu : wanted.gpus) {
    if (!gpu_table)
      return make_error(code::invalid_value, wanted.span, "no GPU is known as `" + gpu + "`",
                        "GPUs are named in rules/gpus.yaml");
    auto facts = read_gpu(sources, *gpu_table, gpu);
    if (!facts) {
      for (Diagnostic& fault : facts.error())
        if (!fault.span.is_known()) fault.span = wanted.span;
      return std::move(facts.error());
    }
    std::erase_if(*facts,
                  [&](const GivenFact& fact) { return pack.schema.find(fact.name) == nullptr; });
    table.gpus_.push_back(std::move(*facts));
  }
  if (!wanted.model.empty() && find_public_model(models, wanted.model) == nullptr)
    return make_error(code::invalid_value, wanted.span,
                      "no public model is known as `" + wanted.model + "`",
                      "models are named in rules/models.yaml");
  return table;
}

void ExampleSurroundingsTable::add_model(const PublicModel& model,
                                         std::vector<GivenFact>& facts) const {
  for (GivenFact& fact : facts_of(model))
    if (pack_->schema.find(fact.name) != nullptr) facts.push_back(std::move(fact));
}

std::vector<std::span<const GivenFact>> ExampleSurroundingsTable::gpus_for(
    std::span<const GivenFact> said) const {
  std::vector<std::span<const GivenFact>> agreeing;
  for (const auto& gpu : gpus_)
    if (agrees(gpu, said)) agreeing.emplace_back(gpu);
  if (agreeing.empty()) agreeing.emplace_back();
  return agreeing;
}

std::vector<GivenFact> ExampleSurroundingsTable::facts_for(std::string_view model_path,
                                                           std::string_view release,
                                                           std::span<const GivenFact> gpu,
                                                           std::span<const GivenFact> said,
                                                           bool said_is_strongest) const {
  std::vector<GivenFact> facts = facts_;
  facts.insert(facts.end(), gpu.begin(), gpu.end());
  const bool is_model_said = std::ranges::any_of(
      said, [](const GivenFact& fact) { return is_named_below(fact, "model."); });
  const PublicModel* named = find_public_model(models_, model_path);
  const bool named_wins = named != nullptr && !(is_model_said && said_is_strongest);
  const std::string& usual = pack_->example_surroundings.model;
  if (named == nullptr && !is_model_said && !usual.empty())
    add_model(*find_public_model(models_, usual), facts);
  if (!release.empty())
    facts.push_back({"version.engine",
                     make_string(std::string(release), {}),
                     Origin::command_line_fact,
                     {},
                     "the release of the rule"});
  for (const GivenFact& fact : said)
    if (!named_wins || !is_named_below(fact, "model.")) facts.push_back(fact);
  if (named_wins) add_model(*named, facts);
  return facts;
}

}  // namespace assay
