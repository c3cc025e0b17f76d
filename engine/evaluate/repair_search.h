// Repairs of a launch that has violations: the rules' own fixes, then a search over at most three
// changes.
#pragma once

#include <set>
#include <span>
#include <string>

#include "engine/base/cancellation.h"
#include "engine/evaluate/check_report.h"
#include "engine/evaluate/launch_checker.h"

namespace assay {

struct RepairOptions {
  std::set<FactId> keep;  // arguments the user pinned
  std::size_t max_repairs = 3;
  std::size_t max_candidates = 4000;           // pipelines run before giving up
  const Cancellation* cancellation = nullptr;  // looked at before each; what is found stays
};

// Fills report.repairs (each re-checked by the whole pipeline and free of violations) or
// report.no_repair_reason.
void find_repairs(const CompiledPack& pack, const SourceSet& sources, const Launch& launch,
                  std::span<const GivenFact> facts, CheckReport& report,
                  const RepairOptions& options = {});

}  // namespace assay
