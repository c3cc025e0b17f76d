// Calls of the prefill, legal and not, for tests that compare verdicts.
#pragma once

#include <random>

#include "tests/engine/evaluate/prefill_metadata.h"

namespace assay::test {

// Half of the calls have one or a few things changed, by values near the borders of what is legal.
PrefillMetadata random_prefill_call(std::mt19937_64& random);

}  // namespace assay::test
