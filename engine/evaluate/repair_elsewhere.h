// Changes of a repair that the command cannot make: what a config file gives it can override and
// not take back, and what the parser refuses there it refuses whatever the command says.
#pragma once

#include <optional>
#include <string>

#include "engine/evaluate/repair_trial.h"
#include "engine/model/rule_pack.h"
#include "engine/text/source.h"

namespace assay {

// What to change in the file, and at which line of it; nothing where the command is the place.
std::optional<std::string> change_elsewhere(const SourceSet& sources, const RulePack& pack,
                                            const Launch& launch, const ArgumentChange& change);

}  // namespace assay
