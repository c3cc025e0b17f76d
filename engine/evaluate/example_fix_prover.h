// Proves the example fixes of records: what the record shows as `before` is refused by a rule that
// joins it, and what it shows as `after` breaks no rule.
#pragma once

#include "engine/evaluate/example_runner.h"
#include "engine/evaluate/knowledge.h"

namespace assay {

// For every record that a rule joins, as dataset/README.md says. `folder`: where the tables beside
// the packs are, for knowledge that is not from a bundle.
//
// Errors: fix_not_proven (a side that is no launch; `before` passes, is undecided or is refused by
// another rule first; `after` breaks the rule or leaves it undecided, or breaks another of severity
// error; no example fix and no reason why there is none), needless_proof (an `exampleProof` of a
// record that no rule joins, or that is proven without it), unknown_fact, invalid_value (of
// `exampleProof`), those of the tables.
Diagnostics prove_example_fixes(const Knowledge& knowledge, SourceSet& sources,
                                const FileSystem& files, const KnowledgeFolder& folder,
                                ExampleCounts& counts);

}  // namespace assay
