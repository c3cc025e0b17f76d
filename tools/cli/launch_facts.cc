// What is found - of this machine, of the model - comes first; what a user says is weighed against
// it in evaluate/said_facts.cc.
#include "tools/cli/launch_facts.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/read/given_fact_reader.h"
#include "tools/cli/machine_facts.h"

namespace assay::cli {
namespace {

constexpr std::size_t kMaxConfigBytes = 16u << 20;

bool is_about_gpu(const std::string& assignment) { return assignment.starts_with("gpu."); }

Result<std::vector<GivenFact>> read_config(const std::string& path, Session& session) {
  ASSAY_TRY(const SourceId source, add_file(session.sources, session.files, path, kMaxConfigBytes));
  return read_model_config(session.sources, source);
}

// What is known of the model that the launch names: from the file that the user named, from the
// folder that the launch names if it is one here, from the table of public models.
Result<std::vector<GivenFact>> model_facts(const FactOptions& options, FactTables& tables,
                                           const RulePack& pack, const Launch& launch,
                                           Session& session) {
  if (options.model_config) return read_config(*options.model_config, session);
  const auto path = given_text(pack, launch, "model_path");
  if (!path) return std::vector<GivenFact>();
  const std::string local = *path + "/config.json";
  if (session.files.is_file(local)) return read_config(local, session);
  ASSAY_TRY(const std::span<const PublicModel> table, tables.models(session));
  return public_model_facts(table, options, pack, launch);
}

}  // namespace

std::vector<Option> FactOptions::table() {
  return {
      {.name = "gpu",
       .target = &gpu,
       .placeholder = "NAME[xCOUNT]",
       .help = "The GPU it will run on, such as H200 or H200x8 (default: this machine's, where "
               "there is one)"},
      {.name = "fact",
       .target = &facts,
       .placeholder = "NAME=VALUE",
       .help = "A fact, such as gpu.sm=90; may be repeated"},
      {.name = "model-config",
       .target = &model_config,
       .placeholder = "FILE",
       .help =
           "The model's config.json (default: that of a local model folder, or what is known of "
           "a public model's)",
       .is_path = true},
      {.name = "engine-version",
       .target = &engine_version,
       .placeholder = "VERSION",
       .help = "The engine's release (default: the newest that the rules cover)"},
  };
}

Result<SourceId> FactTables::gpus(Session& session) {
  if (!sources_.gpus) {
    ASSAY_TRY(sources_.gpus,
              add_file(session.sources, session.files, folder_.gpu_table(), kMaxTableBytes));
  }
  return *sources_.gpus;
}

Result<std::span<const PublicModel>> FactTables::models(Session& session) {
  if (!models_) {
    if (!sources_.models && session.files.is_file(folder_.model_table())) {
      ASSAY_TRY(sources_.models,
                add_file(session.sources, session.files, folder_.model_table(), kMaxTableBytes));
    }
    std::vector<PublicModel> read;
    if (sources_.models) {
      ASSAY_TRY(read, read_model_table(session.sources, *sources_.models));
    }
    models_ = std::move(read);
  }
  return std::span<const PublicModel>(*models_);
}

Result<std::vector<GivenFact>> collect_facts(const FactOptions& options, FactTables& tables,
                                             const RulePack& pack, const Launch& launch,
                                             Session& session, Diagnostics& warnings) {
  std::vector<GivenFact> all;
  if (!options.gpu && std::none_of(options.facts.begin(), options.facts.end(), is_about_gpu)) {
    std::vector<GivenFact> machine = read_machine_facts();
    std::erase_if(machine,
                  [&](const GivenFact& fact) { return pack.schema.find(fact.name) == nullptr; });
    all = std::move(machine);
  }
  ASSAY_TRY(std::vector<GivenFact> of_model, model_facts(options, tables, pack, launch, session));
  all.insert(all.end(), std::move_iterator(of_model.begin()), std::move_iterator(of_model.end()));
  std::optional<SourceId> gpu_table;
  if (options.gpu) {
    ASSAY_TRY(gpu_table, tables.gpus(session));
  }
  return weigh_facts(std::move(all), options, gpu_table, session.sources, pack, launch, warnings);
}

}  // namespace assay::cli
