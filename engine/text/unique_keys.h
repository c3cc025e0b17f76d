// Both document formats let a key stand twice in one mapping; our own documents may not.
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

// Of entries with the same key the last one takes the first one's place, as in a Python dict; a
// warning for each (duplicate_key), up to `max_warnings`.
void keep_last_of_equal_keys(std::vector<Entry>& entries, std::size_t max_warnings,
                             Diagnostics& warnings);

}  // namespace assay
