// Mends the words of a command that no change of an argument can mend: typographic characters,
// flags that the engine does not know, and flags that lack their value.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/evaluate/check_report.h"
#include "engine/model/launch.h"
#include "engine/model/rule_pack.h"
#include "engine/text/source.h"

namespace assay {

// A launch whose faulty flags are spelt right or gone, in sources of its own.
struct MendedLaunch {
  SourceSet sources;
  Launch launch;
  std::vector<RepairChange> changes;  // the flags, with `fact` = kNoFact
};

// None when the launch has no such word, or it cannot be edited where it stands.
std::optional<MendedLaunch> mend_flags(const RulePack& pack, const SourceSet& sources,
                                       const Launch& launch);

}  // namespace assay
