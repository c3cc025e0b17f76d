// In which of a pack's releases a rule is law.
#pragma once

#include <vector>

#include "engine/model/rule_pack.h"

namespace assay {

// By index into `pack.versions`. A range or release that is none counts as every one.
std::vector<bool> releases_of(const Rule& rule, const RulePack& pack);

}  // namespace assay
