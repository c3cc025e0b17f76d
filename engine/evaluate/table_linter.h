// What is wrong with the tables beside the packs: rules/gpus.yaml and rules/models.yaml.
#pragma once

#include "engine/evaluate/knowledge.h"

namespace assay {

// Faults of the readers, and unknown_fact where a model's entry gives a fact that no pack declares.
// A table that is not there has none.
Diagnostics lint_tables(SourceSet& sources, const FileSystem& files, const KnowledgeFolder& folder,
                        const Knowledge& knowledge);

}  // namespace assay
