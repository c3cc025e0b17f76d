// The public models of rules/models.yaml: what their config.json says, found by the name they are
// launched with.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/given_fact.h"
#include "engine/text/result.h"
#include "engine/text/source.h"

namespace assay {

struct PublicModel {
  std::vector<std::string> names;  // "OWNER/NAME": of the entry, then those under `also`
  Node config;                     // what is kept of config.json: a map
  std::vector<Entry> facts;        // facts that other files of the repository give
};

// Errors: those of the YAML text; unknown_key, missing_key, wrong_type, invalid_value (a name that
// is no OWNER/NAME, a source that `sources` lacks, a configuration key that is in none of the lists
// of keys), duplicate_name (a name that two entries have).
Result<std::vector<PublicModel>> read_model_table(const SourceSet& sources, SourceId source);

// The entry that a launch with `model_path` loads, or null:
// - the name of a repository on the Hub, without regard to case;
// - a folder of the Hub's cache, models--OWNER--NAME/snapshots/REVISION.
// Any other path is no name, whatever its last words are: /models/DeepSeek-R1 may hold other
// weights.
const PublicModel* find_public_model(std::span<const PublicModel> table,
                                     std::string_view model_path);

// `model.config` and the other facts of the entry.
std::vector<GivenFact> facts_of(const PublicModel& model);

}  // namespace assay
