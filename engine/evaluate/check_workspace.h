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
  std::optional<WakeSet> wake;  // none: every rule is run
};

// By position: the rules of an engine's version that run on a launch of that stage. A version that
// cannot be read: all.
std::vector<bool> enabled_rules(const CompiledPack& pack, const std::string& version,
                                LaunchStage stage);

}  // namespace assay
