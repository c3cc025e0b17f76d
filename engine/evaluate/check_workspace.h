// The inside of CheckWorkspace, for the parts of the checker that work on its facts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/evaluate/facts.h"
#include "engine/evaluate/launch_checker.h"
#include "engine/evaluate/wake_set.h"

namespace assay {

struct CheckWorkspace::State {
  explicit State(const CompiledPack& pack) : table(pack) {}

  FactTable table;
  DerivationOutcome outcome;    // of the rule that is run
  std::optional<WakeSet> wake;  // none: every rule is run
};

// The version of the engine that the loaded facts name; empty when it is not known.
std::string engine_version(const FactTable& table);

// How a launch is to be walked.
struct WalkPlan {
  bool use_index = true;
  Repeats repeats = Repeats::all;
  Detail detail = Detail::reasons;
};

// Makes the pipeline ready to walk the loaded facts. Returns what is awake, if the index serves
// this launch; else null, and `is_enabled` says by position which rules are of the version and the
// stage.
WakeSet* prepare_walk(CheckWorkspace::State& state, LaunchStage stage, const WalkPlan& plan,
                      std::vector<bool>& is_enabled);

}  // namespace assay
