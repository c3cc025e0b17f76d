// Reads pack.yaml: the engine, its releases, launchers and pipeline.
#pragma once

#include <string_view>

#include "engine/model/rule_pack.h"
#include "engine/text/diagnostic.h"
#include "engine/text/source.h"

namespace assay {

// Fills everything of `pack` but its schema and rules. `folder_name`: what the pack's name must be;
// empty: any. Errors: those of a strict mapping; id_differs_from_path (the name), duplicate_id (a
// step or stage named twice), invalid_value (a version that is none or not above the one before, an
// empty list).
void read_pack_file(const SourceSet& sources, const Node& document, std::string_view folder_name,
                    RulePack& pack, Diagnostics& faults);

}  // namespace assay
