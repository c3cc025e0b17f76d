// Whether the chunks of a body are what they should be.
#pragma once

#include <cstdint>
#include <string_view>

namespace assay::serve {

// Looks at the chunked coding as it passes by; the library, which takes its signs of numbers, ends
// of lines and lengths of lines as they come, decodes it.
class ChunkCheck {
 public:
  // The bytes that are next. False: they are none of the coding; nothing is to follow. Bytes behind
  // the end are not of it.
  bool take(std::string_view bytes);
  bool is_at_end() const { return state_ == State::end; }

 private:
  enum class State { size, extension, size_lf, data, data_cr, data_lf, last_cr, last_lf, end };

  bool take_byte(char c);
  bool take_size(char c);

  State state_ = State::size;
  std::uint64_t left_ = 0;  // of the chunk
  int line_bytes_ = 0;      // of the line with its size
};

}  // namespace assay::serve
