// Makes the tables of literal_tables.h.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace assay {

// `literals[i]`: those that every match of pattern i contains; one of them is chosen, such that its
// window is rare in the texts of logs, as far as that can be told beforehand. A literal holds no
// line end. The image depends on the literals alone.
std::string build_literal_tables(std::span<const std::vector<std::string>> literals);

}  // namespace assay
