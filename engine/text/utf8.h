// UTF-8 (RFC 3629: shortest forms only, no surrogates, up to U+10FFFF).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace assay {

// Offset of the first byte that does not belong to a well-formed sequence, or text.size().
std::size_t first_invalid_utf8(std::string_view text);

// Reads the code point at `offset` (below text.size()) and moves `offset` behind it. A byte that is
// not well-formed UTF-8 gives kNotUtf8 and moves by one.
inline constexpr char32_t kNotUtf8 = 0xffffffff;
char32_t next_code_point(std::string_view text, std::size_t& offset);

// `code_point` is below 0x110000 and no surrogate.
void append_utf8(std::string& out, char32_t code_point);

inline bool is_utf8_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
}

}  // namespace assay
