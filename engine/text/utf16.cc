// Only a byte order mark tells: without one, a text of ASCII in UTF-16 is full of NUL bytes and is
// refused as binary data by those who read it. FF FE 00 00 opens UTF-32, which nobody writes logs
// in: it is left alone and refused in the same way.
#include "engine/text/utf16.h"

#include <cstdint>
#include <string_view>

#include "engine/text/utf8.h"

namespace assay {
namespace {

constexpr std::uint32_t kReplacement = 0xfffd;

bool is_high_surrogate(std::uint32_t unit) { return unit >= 0xd800 && unit <= 0xdbff; }
bool is_low_surrogate(std::uint32_t unit) { return unit >= 0xdc00 && unit <= 0xdfff; }

}  // namespace

std::string decode_utf16(std::string text) {
  using namespace std::string_view_literals;
  const bool is_little = text.starts_with("\xff\xfe"sv) && !text.starts_with("\xff\xfe\0\0"sv);
  if (!is_little && !text.starts_with("\xfe\xff"sv)) return text;
  return utf16_to_utf8(std::string_view(text).substr(2), is_little);
}

std::string utf16_to_utf8(std::string_view text, bool is_little_endian) {
  const auto unit_at = [&](std::size_t at) {
    const auto first = static_cast<unsigned char>(text[at]);
    const auto second = static_cast<unsigned char>(text[at + 1]);
    return static_cast<std::uint32_t>(is_little_endian ? first | second << 8 : first << 8 | second);
  };
  std::string decoded;
  decoded.reserve(text.size() / 2);
  std::size_t at = 0;
  for (; at + 1 < text.size(); at += 2) {
    std::uint32_t point = unit_at(at);
    if (is_high_surrogate(point) && at + 3 < text.size() && is_low_surrogate(unit_at(at + 2))) {
      point = 0x10000 + ((point - 0xd800) << 10) + (unit_at(at + 2) - 0xdc00);
      at += 2;
    } else if (is_high_surrogate(point) || is_low_surrogate(point)) {
      point = kReplacement;
    }
    append_utf8(decoded, point);
  }
  if (at < text.size()) append_utf8(decoded, kReplacement);
  return decoded;
}

}  // namespace assay
