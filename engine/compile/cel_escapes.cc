// Escapes of string and bytes literals, as the language definition lists them: a code point escape
// (\u, \U) must name a code point that is no surrogate; \x and octal escapes are code points in a
// string and octets in bytes.
#include "engine/base/ascii.h"
#include "engine/compile/cel_lexer.h"
#include "engine/compile/code_points.h"

namespace assay {
namespace {

// The character that a one-letter escape stands for, or -1.
int simple_escape(char c) {
  switch (c) {
    case 'a':
      return '\a';
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'v':
      return '\v';
    case '\\':
    case '?':
    case '"':
    case '\'':
    case '`':
      return c;
    default:
      return -1;
  }
}

// Digits of base 8 or 16 at `at`; false when one of `count` is missing.
bool read_digits(std::string_view body, std::size_t at, std::size_t count, std::uint32_t base,
                 std::uint32_t& value) {
  if (at + count > body.size()) return false;
  value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const int digit = hex_digit(body[at + i]);
    if (digit < 0 || digit >= static_cast<int>(base)) return false;
    value = value * base + static_cast<std::uint32_t>(digit);
  }
  return true;
}

}  // namespace

bool decode_escapes(std::string_view body, bool is_bytes, std::string& decoded,
                    EscapeFault& fault) {
  const auto fail = [&](std::size_t begin, std::size_t end, std::string message) {
    fault = {begin, std::min(end, body.size()), std::move(message)};
    return false;
  };
  for (std::size_t at = 0; at < body.size();) {
    if (body[at] != '\\') {
      decoded.push_back(body[at++]);
      continue;
    }
    if (at + 1 == body.size()) return fail(at, at + 1, "a backslash without an escape after it");
    const char letter = body[at + 1];
    if (const int simple = simple_escape(letter); simple >= 0) {
      decoded.push_back(static_cast<char>(simple));
      at += 2;
      continue;
    }
    const bool is_code_point_escape = letter == 'u' || letter == 'U';
    const bool is_octal = letter >= '0' && letter <= '3';
    if (!is_code_point_escape && !is_octal && letter != 'x' && letter != 'X')
      return fail(at, at + 2, "unknown escape `" + std::string(body.substr(at, 2)) + "`");
    if (is_code_point_escape && is_bytes)
      return fail(at, at + 2, "`\\u` and `\\U` are not allowed in bytes");
    const std::size_t first = is_octal ? at + 1 : at + 2;
    const std::size_t count = is_octal ? 3 : letter == 'u' ? 4 : letter == 'U' ? 8 : 2;
    std::uint32_t value = 0;
    if (!read_digits(body, first, count, is_octal ? 8 : 16, value))
      return fail(at, first + count,
                  "this escape needs " + std::to_string(count) +
                      (is_octal ? " octal digits, 000 to 377" : " hexadecimal digits"));
    if (!is_code_point(value)) return fail(at, first + count, "not a Unicode code point");
    if (is_bytes)
      decoded.push_back(static_cast<char>(value));
    else
      append_code_point(decoded, value);
    at = first + count;
  }
  return true;
}

}  // namespace assay
