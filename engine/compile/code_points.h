// Code points of UTF-8 text. The language's strings are sequences of code points; a byte that is no
// UTF-8 counts as one code point where a text comes from outside.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace assay {

struct CodePoint {
  std::uint32_t value = 0;
  std::uint32_t size = 0;  // bytes taken; 0 at the end of the text
  bool is_valid = false;   // false: one byte that starts no shortest-form code point
};

// The code point at byte `at`. Surrogates, overlong forms and values past U+10FFFF are not valid.
CodePoint code_point_at(std::string_view text, std::size_t at);
bool is_utf8(std::string_view text);
std::size_t count_code_points(std::string_view text);
// Byte offset of code point `index`, or text.size() when there are at most `index`.
std::size_t offset_of_code_point(std::string_view text, std::size_t index);
bool is_code_point(std::uint32_t value);  // not a surrogate, at most U+10FFFF
void append_code_point(std::string& text, std::uint32_t value);

}  // namespace assay
