// "Did you mean": the name somebody probably meant.
#pragma once

#include <string_view>
#include <vector>

namespace assay {

// The candidate closest to `word` (Damerau-Levenshtein, at most a third of its length), or empty
// when none is close. Of equally close ones the first.
std::string_view closest_name(std::string_view word,
                              const std::vector<std::string_view>& candidates);

}  // namespace assay
