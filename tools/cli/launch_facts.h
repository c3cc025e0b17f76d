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

// Where the tables of GPUs and of public models are: a source that was read, or a file.
using TablePlace = std::variant<SourceId, std::string>;
struct TablePlaces {
  TablePlace gpus;
  TablePlace models;
};

// For one launch. Where several say the same fact, --fact beats --gpu and --engine-version, and
// these beat what was found: the config.json of a model in a local folder, or else what the table
// of models knows of its name, and this machine's GPUs (asked only when nobody said anything about
// a GPU). Errors: those of the readers in read/given_fact_reader.h and read/model_table.h.
Result<std::vector<GivenFact>> collect_facts(const FactOptions& options, const TablePlaces& tables,
                                             const RulePack& pack, const Launch& launch,
                                             Session& session, Diagnostics& warnings);

}  // namespace assay::cli
