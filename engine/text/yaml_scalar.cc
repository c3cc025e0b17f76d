// The first byte decides for nearly all scalars: only those that begin like a number, a sign, a dot
// or one of the words' letters are looked at further. Numbers by std::from_chars: exact, and not
// dependent on the locale.
#include "engine/text/yaml_scalar.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <optional>
#include <system_error>

#include "engine/base/ascii.h"

namespace assay {
namespace {

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x")) base = 16;
  if (text.starts_with("0o")) base = 8;
  if (base != 10) text.remove_prefix(2);
  if (base == 10 && text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || (base != 10 && !std::isxdigit(static_cast<unsigned char>(text[0]))) ||
      text.starts_with("+"))
    return std::nullopt;
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// [-+]? ( . digits | digits [. digits*] ) [(e|E) [-+]? digits]
bool looks_like_real(std::string_view text) {
  std::size_t i = 0;
  const auto skip_digits = [&] {
    const std::size_t begin = i;
    while (i < text.size() && is_digit(text[i])) ++i;
    return i - begin;
  };
  if (i < text.size() && (text[i] == '-' || text[i] == '+')) ++i;
  std::size_t digits = skip_digits();
  if (i < text.size() && text[i] == '.') {
    ++i;
    digits += skip_digits();
  }
  if (digits == 0) return false;
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    if (i < text.size() && (text[i] == '-' || text[i] == '+')) ++i;
    if (skip_digits() == 0) return false;
  }
  return i == text.size();
}

std::optional<double> parse_real(const std::string& text) {
  std::string_view unsigned_text = text;
  const bool has_sign = text.starts_with('-') || text.starts_with('+');
  if (has_sign) unsigned_text.remove_prefix(1);
  if (is_one_of(unsigned_text, {".inf", ".Inf", ".INF"})) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    return text.starts_with('-') ? -kInfinity : kInfinity;
  }
  if (is_one_of(text, {".nan", ".NaN", ".NAN"})) return std::numeric_limits<double>::quiet_NaN();
  if (!looks_like_real(text)) return std::nullopt;
  const char* begin = text.data() + (text.starts_with('+') ? 1 : 0);
  double value = 0;
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), value);
  // Out of range: from_chars does not say whether it is infinite or zero, strtod does.
  if (error == std::errc::result_out_of_range) return std::strtod(text.c_str(), nullptr);
  return value;
}

bool are_all(std::string_view text, std::string_view allowed) {
  return !text.empty() && text.find_first_not_of(allowed) == std::string_view::npos;
}

// The number that `digits` (with underscores) are to `base`.
std::optional<std::int64_t> number_of(std::string_view digits, int base, bool is_negative) {
  std::string plain(is_negative ? "-" : "");
  std::copy_if(digits.begin(), digits.end(), std::back_inserter(plain),
               [](char c) { return c != '_'; });
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(plain.data(), plain.data() + plain.size(), value, base);
  if (error != std::errc{} || end != plain.data() + plain.size()) return std::nullopt;
  return value;
}

// 1:30 is ninety: a number, then parts below sixty.
std::optional<std::int64_t> sexagesimal(std::string_view text, bool is_negative) {
  std::int64_t value = 0;
  for (bool is_first = true; !text.empty() || is_first; is_first = false) {
    const auto colon = std::min(text.find(':'), text.size());
    const std::string_view part = text.substr(0, colon);
    const bool is_part = is_first ? are_all(part, "0123456789_")
                                  : are_all(part, "0123456789") && part.size() <= 2 &&
                                        (part.size() == 1 || part[0] <= '5');
    const auto number = is_part ? number_of(part, 10, false) : std::nullopt;
    if (!number || __builtin_mul_overflow(value, 60, &value) ||
        __builtin_add_overflow(value, *number, &value) || colon + 1 == text.size())
      return std::nullopt;
    text.remove_prefix(std::min(colon + 1, text.size()));
  }
  return is_negative ? -value : value;
}

std::optional<std::int64_t> parse_python_integer(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  if (text.starts_with("0b") && are_all(text.substr(2), "01_"))
    return number_of(text.substr(2), 2, is_negative);
  if (text.starts_with("0x") && are_all(text.substr(2), "0123456789abcdefABCDEF_"))
    return number_of(text.substr(2), 16, is_negative);
  if (text == "0") return 0;
  if (text.starts_with('0'))
    return are_all(text.substr(1), "01234567_") ? number_of(text.substr(1), 8, is_negative)
                                                : std::nullopt;
  if (text.empty() || !is_digit(text[0])) return std::nullopt;
  return text.find(':') == std::string_view::npos && are_all(text, "0123456789_")
             ? number_of(text, 10, is_negative)
             : sexagesimal(text, is_negative);
}

// A point is needed, and a sign in the exponent.
std::optional<double> parse_python_real(const std::string& text) {
  const auto point = text.find('.');
  if (point == std::string::npos) return std::nullopt;
  std::string plain;
  std::copy_if(text.begin(), text.end(), std::back_inserter(plain),
               [](char c) { return c != '_'; });
  const auto exponent = plain.find_first_of("eE");
  const bool has_signed_exponent =
      exponent == std::string::npos ||
      (exponent + 1 < plain.size() && (plain[exponent + 1] == '+' || plain[exponent + 1] == '-'));
  const bool is_point_within = exponent == std::string::npos || plain.find('.') < exponent;
  return has_signed_exponent && is_point_within ? parse_real(plain) : std::nullopt;
}

}  // namespace

void resolve_plain_scalar(Node& node) {
  const std::string& text = node.text;
  node.kind = NodeKind::string;
  const char first = text.empty() ? '~' : text.front();
  if (is_digit(first) || first == '-' || first == '+' || first == '.') {
    if (const auto integer = parse_integer(text)) {
      node.kind = NodeKind::integer;
      node.integer = *integer;
      node.real = static_cast<double>(*integer);
    } else if (const auto real = parse_real(text)) {
      node.kind = NodeKind::real;
      node.real = *real;
    }
  } else if (text.empty() || text == "~" || text == "null") {
    node.kind = NodeKind::null;
  } else if (is_one_of(text, {"true", "True", "TRUE"})) {
    node.kind = NodeKind::boolean;
    node.boolean = true;
  } else if (is_one_of(text, {"false", "False", "FALSE"})) {
    node.kind = NodeKind::boolean;
  }
}

void resolve_python_scalar(Node& node) {
  std::string& text = node.text;
  node.kind = NodeKind::string;
  const char first = text.empty() ? '~' : text.front();
  if (is_digit(first) || first == '-' || first == '+' || first == '.') {
    if (const auto integer = parse_python_integer(text)) {
      node.kind = NodeKind::integer;
      node.integer = *integer;
      node.real = static_cast<double>(*integer);
      text = std::to_string(*integer);
    } else if (const auto real = parse_python_real(text)) {
      node.kind = NodeKind::real;
      node.real = *real;
    }
  } else if (is_one_of(text, {"", "~", "null", "Null", "NULL"})) {
    node.kind = NodeKind::null;
  } else if (is_one_of(text, {"true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"})) {
    node.kind = NodeKind::boolean;
    node.boolean = true;
    text = "true";
  } else if (is_one_of(text, {"false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF"})) {
    node.kind = NodeKind::boolean;
    text = "false";
  }
}

bool is_ambiguous_boolean(std::string_view text) {
  if (text.size() < 2 || text.size() > 3) return false;
  std::string lower_case(text);
  for (char& c : lower_case)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return is_one_of(lower_case, {"yes", "no", "on", "off"});
}

}  // namespace assay
