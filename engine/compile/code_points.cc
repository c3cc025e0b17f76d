// Decoding is text/utf8.h's; here is what positions in a string need. ASCII, which is nearly all
// there is, takes the first branch.
#include "engine/compile/code_points.h"

#include "engine/text/utf8.h"

namespace assay {
namespace {

bool is_ascii(char byte) { return static_cast<unsigned char>(byte) < 0x80; }

}  // namespace

bool is_code_point(std::uint32_t value) {
  return value < 0xd800 || (value > 0xdfff && value <= 0x10ffff);
}

CodePoint code_point_at(std::string_view text, std::size_t at) {
  if (at >= text.size()) return {};
  const auto lead = static_cast<unsigned char>(text[at]);
  if (lead < 0x80) return {lead, 1, true};
  std::size_t next = at;
  const char32_t value = next_code_point(text, next);
  if (value == kNotUtf8) return {lead, 1, false};
  return {value, static_cast<std::uint32_t>(next - at), true};
}

bool is_utf8(std::string_view text) { return first_invalid_utf8(text) == text.size(); }

std::size_t count_code_points(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); ++count)
    at += is_ascii(text[at]) ? 1 : code_point_at(text, at).size;
  return count;
}

std::size_t offset_of_code_point(std::string_view text, std::size_t index) {
  std::size_t at = 0;
  for (; index > 0 && at < text.size(); --index)
    at += is_ascii(text[at]) ? 1 : code_point_at(text, at).size;
  return at;
}

void append_code_point(std::string& text, std::uint32_t value) { append_utf8(text, value); }

}  // namespace assay
