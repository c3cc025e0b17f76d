// The facts that a check starts from besides its launch: what is found of the machine and the
// model, and what a user says, which is stronger.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/given_fact.h"
#include "engine/model/launch.h"
#include "engine/model/rule_pack.h"
#include "engine/read/model_table.h"
#include "engine/text/result.h"
#include "engine/text/source.h"

namespace assay {

struct SaidFacts {
  std::optional<std::string> gpu;  // "H200", "H200x8"
  std::vector<std::string> facts;  // "gpu.sm=90"
  std::optional<std::string> engine_version;

  // The engine's release, where it is said; empty: it is not.
  std::string release() const;
};

// The text that the launch gives for an argument.
std::optional<std::string> given_text(const RulePack& pack, const Launch& launch,
                                      std::string_view argument_name);

// What the table of public models knows of the model that the launch names, as far as the pack asks
// for it: nothing where the configuration is said, or a revision is named, which may hold another.
std::vector<GivenFact> public_model_facts(std::span<const PublicModel> table, const SaidFacts& said,
                                          const RulePack& pack, const Launch& launch);

// Where several say the same fact, `facts` beat `gpu` and `engine_version`, and these beat what was
// `found`, the last of which beats those before it. `gpu_table`: rules/gpus.yaml, needed where a
// GPU is said. Warns where the rules were not written for the release. Errors: those of the readers
// in read/given_fact_reader.h; invalid_value for a fact that is said twice in two ways.
Result<std::vector<GivenFact>> weigh_facts(std::vector<GivenFact> found, const SaidFacts& said,
                                           std::optional<SourceId> gpu_table, SourceSet& sources,
                                           const RulePack& pack, const Launch& launch,
                                           Diagnostics& warnings);

}  // namespace assay
