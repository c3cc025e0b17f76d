// UTF-8 decoding by the table of well-formed sequences (Unicode 15, table 3-7): the lead byte gives
// the length, the smallest value of that length refuses overlong forms. ASCII, which is nearly all
// there is, takes the first branch.
#include "engine/compile/code_points.h"

namespace assay {

bool is_code_point(std::uint32_t value) {
  return value < 0xd800 || (value > 0xdfff && value <= 0x10ffff);
}

CodePoint code_point_at(std::string_view text, std::size_t at) {
  if (at >= text.size()) return {};
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::uint32_t lead = byte(at);
  if (lead < 0x80) return {lead, 1, true};
  const std::uint32_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || at + size > text.size()) return {lead, 1, false};
  std::uint32_t value = lead & (0x7fu >> size);
  for (std::size_t i = 1; i < size; ++i) {
    const std::uint32_t next = byte(at + i);
    if ((next & 0xc0) != 0x80) return {lead, 1, false};
    value = (value << 6) | (next & 0x3f);
  }
  constexpr std::uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (value < kSmallest[size] || !is_code_point(value)) return {lead, 1, false};
  return {value, size, true};
}

bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point_at(text, at);
    if (!point.is_valid) return false;
    at += point.size;
  }
  return true;
}

std::size_t count_code_points(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); ++count) at += code_point_at(text, at).size;
  return count;
}

std::size_t offset_of_code_point(std::string_view text, std::size_t index) {
  std::size_t at = 0;
  for (; index > 0 && at < text.size(); --index) at += code_point_at(text, at).size;
  return at;
}

void append_code_point(std::string& text, std::uint32_t value) {
  const auto put = [&](std::uint32_t byte) { text.push_back(static_cast<char>(byte)); };
  const auto put_tail = [&](std::uint32_t shift) { put(0x80 | ((value >> shift) & 0x3f)); };
  if (value < 0x80) {
    put(value);
  } else if (value < 0x800) {
    put(0xc0 | (value >> 6));
    put_tail(0);
  } else if (value < 0x10000) {
    put(0xe0 | (value >> 12));
    put_tail(6);
    put_tail(0);
  } else {
    put(0xf0 | (value >> 18));
    put_tail(12);
    put_tail(6);
    put_tail(0);
  }
}

}  // namespace assay
