// Both document formats let a key stand twice in one mapping; we refuse it.
#pragma once

#include <cstddef>
#include <vector>

#include "engine/text/diagnostic.h"
#include "engine/text/document.h"

namespace assay {

// Leaves the first entry of each key and reports the others (duplicate_key, with the place of the
// first), until `faults` holds `max_faults`.
void remove_duplicate_keys(std::vector<Entry>& entries, std::size_t max_faults,
                           Diagnostics& faults);

}  // namespace assay
