// Passes over a log's bytes at the speed of memory, with the widest vectors the processor has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace assay {

// Line feeds in `text`.
std::size_t count_line_feeds(std::string_view text);

struct LogPlaces {
  // Where something may begin that a log's reader does not mean as text: ESC, `^[`, the `m` of a
  // colour whose ESC was lost (the offset is the digit's before it), `&` of an HTML entity, a
  // typographic quote, `P ` of a partial container record, and the character before the `{"` of a
  // JSON record. All such places are among them; of the others few.
  std::vector<std::uint32_t> markers;
  // Where "error", "exception", "traceback", "assert", "fatal" and "critical" stand, in any case.
  std::vector<std::uint32_t> error_words;
  std::size_t line_feeds = 0;
};

// Places in `text`, which is below 4 GiB, in order. The memory of `places` is used again.
void find_log_places(std::string_view text, LogPlaces& places);

}  // namespace assay
