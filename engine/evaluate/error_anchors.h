// Where in a text an error may stand: a coarse sieve in front of what reads lines one by one.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace assay {

// The first place at or behind `from` where "error", "exception", "traceback", "assert", "fatal" or
// "critical" stands in any case; npos when there is none.
std::size_t find_error_anchor(std::string_view text, std::size_t from);

// The first such place of every line that has one.
std::vector<std::size_t> find_error_anchors(std::string_view text);

}  // namespace assay
