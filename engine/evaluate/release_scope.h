// For which releases of an engine a pack's knowledge was read, and what it cannot say of others.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "engine/model/given_fact.h"
#include "engine/model/launch.h"
#include "engine/model/rule_pack.h"

namespace assay {

// Is the release older than all that the pack covers, or newer? False for what is no version.
bool is_outside_of(const RulePack& pack, std::string_view version);
// "0.5.20 to 0.5.23".
std::string covered_releases(const RulePack& pack);

// Of a launch of a release outside of the pack's: flags, keys and choices that the pack does not
// know become warnings, since that release may know them; of any but the newest release also the
// keys that a config file may not have. The release is what `facts` say, else
// the launch, else one of the pack's own.
void allow_unknown_names(const RulePack& pack, std::span<const GivenFact> facts, Launch& launch);

}  // namespace assay
