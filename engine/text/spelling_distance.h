// How far apart two words are.
#pragma once

#include <cstddef>
#include <string_view>

namespace assay {

// Edits (optimal string alignment) between two words; where they are sure to be more than
// `enough`, `enough` + 1.
std::size_t spelling_distance(std::string_view a, std::string_view b, std::size_t enough);

}  // namespace assay
