// The facts a check starts from, besides the launch itself.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/evaluate/knowledge.h"
#include "engine/model/given_fact.h"
#include "engine/model/launch.h"
#include "tools/cli/command.h"

namespace assay::cli {

// --gpu, --fact, --model-config, --engine-version.
struct FactOptions {
  std::optional<std::string> gpu;
  std::vector<std::string> facts;
  std::optional<std::string> model_config;
  std::optional<std::string> engine_version;

  std::vector<Option> table();
};

// For one launch. `gpu_table`: a source that was read, or a file. Where several say the same fact,
// --fact beats --gpu and --engine-version, and these beat what was found: the config.json of a
// model in a local folder, and this machine's GPUs (asked only when nobody said anything about a
// GPU). Errors: those of the readers in read/given_fact_reader.h.
Result<std::vector<GivenFact>> collect_facts(const FactOptions& options,
                                             const std::variant<SourceId, std::string>& gpu_table,
                                             const RulePack& pack, const Launch& launch,
                                             Session& session, Diagnostics& warnings);

}  // namespace assay::cli
