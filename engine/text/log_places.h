// Where a reader of logs has to look closer: what is found in one pass over the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace assay {

struct LogPlaces {
  // Where something may begin that a log's reader does not mean as text: ESC, `^[`, the `m` of a
  // colour whose ESC was lost (the offset is the digit's before it), `&` of an HTML entity, a
  // typographic quote, `P ` of a partial container record, and the character before the `{"` of a
  // JSON record. All such places are among them; of the others few.
  std::vector<std::uint32_t> markers;
  // Where "error", "exception", "traceback", "assert", "fatal" and "critical" stand, in any case.
  std::vector<std::uint32_t> error_words;
  std::size_t line_feeds = 0;

  void clear() {
    markers.clear();
    error_words.clear();
    line_feeds = 0;
  }
};

enum class LogWords : std::uint8_t { none, of_errors };  // to be found as well

// Places in `text`, which is below 4 GiB, in order. The memory of `places` is used again.
void find_log_places(std::string_view text, LogWords words, LogPlaces& places);

}  // namespace assay
