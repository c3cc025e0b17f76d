// The checks of sparse_mla_q8kv8_prefill_fwd written by hand, from the engine's wrapper and from
// what memory safety asks for: knows nothing of the contract engine it is held against.
#pragma once

#include <string>

#include "tests/engine/evaluate/prefill_metadata.h"

namespace assay::test {

// The message at which the engine's wrapper stops, but for the value of topk_length; empty: none.
std::string engine_stops_with(const PrefillMetadata& call);
// Whether a kernel may be started on it.
bool is_memory_safe(const PrefillMetadata& call);

}  // namespace assay::test
