// A pass over bytes at the speed of memory, with the widest vectors the processor has.
#pragma once

#include <cstddef>
#include <string_view>

namespace assay {

// Line feeds in `text`.
std::size_t count_line_feeds(std::string_view text);

}  // namespace assay
