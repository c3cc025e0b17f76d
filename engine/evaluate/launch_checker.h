// Checks one launch against a pack: walks the engine's pipeline once, applying derivations and
// judging checks.
#pragma once

#include <span>
#include <string>

#include "engine/compile/compiled_pack.h"
#include "engine/evaluate/check_report.h"
#include "engine/model/given_fact.h"
#include "engine/text/source.h"

namespace assay {

struct CheckOptions {
  bool use_index = true;  // false: every rule is evaluated (the cross-check in the tests)
};

// No repairs yet; see repair_search.h. The report points into `pack` and `launch`.
CheckReport check_launch(const CompiledPack& pack, const Launch& launch,
                         std::span<const GivenFact> facts, const CheckOptions& options = {});

}  // namespace assay
