// What is wrong with the tables beside packs and records (knowledge_tables.h).
#pragma once

#include "engine/evaluate/knowledge.h"

namespace assay {

// Faults of the readers; unknown_fact where a model's entry gives a fact that no pack declares;
// those of compute_support and of check_retirement.
// A table that is not there has none.
Diagnostics lint_tables(SourceSet& sources, const FileSystem& files, const KnowledgeFolder& folder,
                        const Knowledge& knowledge);

}  // namespace assay
