// Passes over a log's bytes at the speed of memory, with the widest vectors the processor has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace assay {

// Line feeds in `text`.
std::size_t count_line_feeds(std::string_view text);

// Returns the line feeds in `text`, and replaces `places` by the offsets, in order, at which
// something may begin that a log's reader does not mean as text: ESC, `^[`, the `m` of a colour
// whose ESC was lost (the offset is the digit's before it), `&` of an HTML entity, a typographic
// quote, `P ` of a partial container record, and the character before the `{` of a JSON record. All
// such places are among them; of the others few.
std::size_t find_log_markers(std::string_view text, std::vector<std::uint32_t>& places);

}  // namespace assay
