// Four ways to write what the decoder of text/utf8.h finds: what is no UTF-8 is escaped or
// replaced, never passed on.
#include "engine/report/utf8_text.h"

#include <fmt/format.h>

#include "engine/text/utf8.h"

namespace assay {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

// What makes a terminal or a reader show something else than what is there.
bool is_deceptive(std::uint32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x200e || c == 0x200f || c == 0x2028 ||
         c == 0x2029 || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

// Bidirectional overrides and isolates, which reach over the text behind them.
bool turns_text_around(std::uint32_t c) {
  return (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

void append_escape(std::string& out, const Character& c, std::string_view bytes) {
  if (!c.is_valid) {
    out += fmt::format("\\x{:02x}", static_cast<unsigned char>(bytes[0]));
  } else if (c.code_point == '\n') {
    out += "\\n";
  } else if (c.code_point == '\r') {
    out += "\\r";
  } else if (c.code_point == '\t') {
    out += "\\t";
  } else if (c.code_point < 0x100) {
    out += fmt::format("\\x{:02x}", c.code_point);
  } else {
    out += fmt::format("\\u{:04x}", c.code_point);
  }
}

}  // namespace

Character first_character(std::string_view text) {
  std::size_t length = 0;
  const char32_t code_point = next_code_point(text, length);
  if (code_point == kNotUtf8) return {static_cast<unsigned char>(text[0]), length, false};
  return {static_cast<std::uint32_t>(code_point), length, true};
}

std::string printable(std::string_view text, bool keep_newlines) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character c = first_character(text);
    const bool is_kept = keep_newlines && (text[0] == '\n' || text[0] == '\t');
    if (c.is_valid && (is_kept || !is_deceptive(c.code_point))) {
      out += text.substr(0, c.length);
    } else {
      append_escape(out, c, text);
    }
    text.remove_prefix(c.length);
  }
  return out;
}

std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character c = first_character(text);
    out += c.is_valid ? text.substr(0, c.length) : kReplacement;
    text.remove_prefix(c.length);
  }
  return out;
}

std::string valid_xml_text(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    std::size_t plain = 0;  // most text is
    while (plain < text.size() &&
           ((text[plain] >= ' ' && text[plain] < 0x7f) || text[plain] == '\n'))
      ++plain;
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const Character c = first_character(text);
    const bool is_space = text[0] == '\n' || text[0] == '\t' || text[0] == '\r';
    const bool is_forbidden = (c.code_point < 0x20 && !is_space) || c.code_point == 0xfffe ||
                              c.code_point == 0xffff || c.code_point == 0x7f ||
                              turns_text_around(c.code_point);
    if (!c.is_valid) {
      out += kReplacement;
    } else if (!is_forbidden) {
      out += text.substr(0, c.length);
    }
    text.remove_prefix(c.length);
  }
  return out;
}

std::string shortened(std::string_view text, std::size_t characters) {
  std::size_t at = 0;
  for (std::size_t count = 0; at < text.size(); ++count) {
    if (count == characters) return std::string(text.substr(0, at)) + "…";
    at += first_character(text.substr(at)).length;
  }
  return std::string(text);
}

}  // namespace assay
