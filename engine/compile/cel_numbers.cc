// Number literals. The sign belongs to the literal, so that the smallest int can be written; a
// double too small to represent is 0, one too large is a fault.
#include <charconv>

#include "engine/compile/cel_lexer.h"

namespace assay {
namespace {

// std::from_chars says only that a double is out of range, not on which side: it is too small when
// the exponent is negative or the digits begin with a zero point.
bool is_tiny(const std::string& text) {
  const std::size_t exponent = text.find_first_of("eE");
  if (exponent == std::string::npos) return text.front() == '0' || text.front() == '.';
  return text[exponent + 1] == '-';
}

std::string read_real(const std::string& text, bool is_negative, Value& value) {
  double real = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), real);
  if (read.ec == std::errc::result_out_of_range) {
    if (!is_tiny(text)) return "does not fit a double";
    real = 0;
  }
  value = Value::real(is_negative ? -real : real);
  return {};
}

std::string read_whole(const Token& token, bool is_negative, Value& value) {
  const bool is_hexadecimal = token.text.size() > 1 && (token.text[1] | 0x20) == 'x';
  const std::string_view digits = std::string_view(token.text).substr(is_hexadecimal ? 2 : 0);
  const char* end = digits.data() + digits.size();
  std::uint64_t magnitude = 0;
  const auto read = std::from_chars(digits.data(), end, magnitude, is_hexadecimal ? 16 : 10);
  const bool fits = read.ec == std::errc() && read.ptr == end;
  if (token.kind == TokenKind::unsigned_integer) {
    value = Value::unsigned_integer(magnitude);
    return fits ? "" : "does not fit an unsigned 64-bit integer";
  }
  constexpr std::uint64_t kLimit = std::uint64_t{1} << 63;
  if (!fits || magnitude > kLimit || (magnitude == kLimit && !is_negative))
    return "does not fit a 64-bit integer";
  value = Value::integer(static_cast<std::int64_t>(is_negative ? 0 - magnitude : magnitude));
  return {};
}

}  // namespace

std::string read_number_token(const Token& token, bool is_negative, Value& value) {
  std::string fault = token.kind == TokenKind::real ? read_real(token.text, is_negative, value)
                                                    : read_whole(token, is_negative, value);
  if (fault.empty()) return {};
  return "`" + (is_negative ? "-" + token.text : token.text) + "` " + fault;
}

}  // namespace assay
