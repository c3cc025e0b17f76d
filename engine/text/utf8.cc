// Decoding checks the second byte's range per lead byte (Unicode 15, table 3-7), which rules out
// overlong forms, surrogates and values past U+10FFFF without computing them. Validation skips
// eight ASCII bytes at a time: the texts here are almost all ASCII.
#include "engine/text/utf8.h"

#include <cstdint>
#include <cstring>

#include "engine/base/check.h"

namespace assay {
namespace {

struct SequenceForm {
  std::size_t length;  // 0: no sequence starts with this byte
  unsigned char second_min;
  unsigned char second_max;
};

SequenceForm form_of(unsigned char lead) {
  if (lead < 0x80) return {1, 0, 0};
  if (lead < 0xc2) return {0, 0, 0};
  if (lead < 0xe0) return {2, 0x80, 0xbf};
  if (lead == 0xe0) return {3, 0xa0, 0xbf};
  if (lead == 0xed) return {3, 0x80, 0x9f};
  if (lead < 0xf0) return {3, 0x80, 0xbf};
  if (lead == 0xf0) return {4, 0x90, 0xbf};
  if (lead < 0xf4) return {4, 0x80, 0xbf};
  if (lead == 0xf4) return {4, 0x80, 0x8f};
  return {0, 0, 0};
}

}  // namespace

char32_t next_code_point(std::string_view text, std::size_t& offset) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[offset + i]); };
  const unsigned char lead = byte(0);
  const SequenceForm form = form_of(lead);
  bool is_valid = form.length != 0 && form.length <= text.size() - offset;
  if (is_valid && form.length > 1)
    is_valid = byte(1) >= form.second_min && byte(1) <= form.second_max;
  for (std::size_t i = 2; is_valid && i < form.length; ++i)
    is_valid = is_utf8_continuation(text[offset + i]);
  if (!is_valid) {
    ++offset;
    return kNotUtf8;
  }
  if (form.length == 1) {
    ++offset;
    return lead;
  }
  char32_t code_point = lead & (0x7fu >> form.length);
  for (std::size_t i = 1; i < form.length; ++i) code_point = (code_point << 6) | (byte(i) & 0x3fu);
  offset += form.length;
  return code_point;
}

std::size_t first_invalid_utf8(std::string_view text) {
  std::size_t offset = 0;
  while (offset < text.size()) {
    if (text.size() - offset >= 8) {
      std::uint64_t eight_bytes = 0;
      std::memcpy(&eight_bytes, text.data() + offset, 8);
      if ((eight_bytes & 0x8080808080808080u) == 0) {
        offset += 8;
        continue;
      }
    }
    const std::size_t before = offset;
    if (next_code_point(text, offset) == kNotUtf8) return before;
  }
  return text.size();
}

void append_utf8(std::string& out, char32_t code_point) {
  ASSAY_CHECK(code_point < 0x110000 && (code_point < 0xd800 || code_point > 0xdfff),
              "the code point has a UTF-8 form");
  const auto append = [&](char32_t byte) { out += static_cast<char>(byte); };
  const auto continuation = [&](int shift) { append(0x80 | ((code_point >> shift) & 0x3f)); };
  if (code_point < 0x80) {
    append(code_point);
  } else if (code_point < 0x800) {
    append(0xc0 | (code_point >> 6));
    continuation(0);
  } else if (code_point < 0x10000) {
    append(0xe0 | (code_point >> 12));
    continuation(6);
    continuation(0);
  } else {
    append(0xf0 | (code_point >> 18));
    continuation(12);
    continuation(6);
    continuation(0);
  }
}

}  // namespace assay
