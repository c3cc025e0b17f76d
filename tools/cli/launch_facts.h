// The facts a check starts from, besides the launch itself.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/evaluate/knowledge.h"
#include "engine/evaluate/said_facts.h"
#include "engine/model/given_fact.h"
#include "engine/model/launch.h"
#include "engine/read/model_table.h"
#include "tools/cli/command.h"

namespace assay::cli {

// --gpu, --fact, --engine-version; --model-config.
struct FactOptions : SaidFacts {
  std::optional<std::string> model_config;

  std::vector<Option> table();
};

// The tables beside the packs, each read when a launch first needs it.
class FactTables {
 public:
  // `read`: where a bundle's tables are; the others are files of `folder`.
  FactTables(KnowledgeFolder folder, const KnowledgeTables& read)
      : folder_(std::move(folder)), sources_(read) {}

  // Errors: those of reading the file.
  Result<SourceId> gpus(Session& session);
  // Empty where there is no such file. Errors: those of read_model_table.
  Result<std::span<const PublicModel>> models(Session& session);

 private:
  KnowledgeFolder folder_;
  KnowledgeTables sources_;
  std::optional<std::vector<PublicModel>> models_;
};

// For one launch. Where several say the same fact, --fact beats --gpu and --engine-version, and
// these beat what was found: the config.json of a model in a local folder, or else what the table
// of models knows of its name, and this machine's GPUs (asked only when nobody said anything about
// a GPU). Errors: those of the readers in read/given_fact_reader.h and read/model_table.h.
Result<std::vector<GivenFact>> collect_facts(const FactOptions& options, FactTables& tables,
                                             const RulePack& pack, const Launch& launch,
                                             Session& session, Diagnostics& warnings);

}  // namespace assay::cli
