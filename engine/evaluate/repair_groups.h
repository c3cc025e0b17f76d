// Mends many independent errors one after the other, where no small set of changes mends all.
#pragma once

#include <string>
#include <vector>

#include "engine/evaluate/repair_trial.h"

namespace assay {

struct GroupRepair {
  std::vector<ArgumentChange> changes;  // none of them can be left out
  std::vector<std::string> whys;        // of the fixes among them
  TrialResult result;                   // what is left with all of them
};

// Starts from `first`, what the unchanged launch gives with its moves. Each step takes the changes,
// as few as do it and two at most, that end the most violations and begin none; it ends when there
// are no such changes, or after `max_trials` runs of the pipeline. result.errors may be above 0.
GroupRepair mend_by_groups(RepairTrial& trial, const TrialResult& first, std::size_t max_trials);

}  // namespace assay
