// The first byte decides for nearly all scalars: only those that begin like a number, a sign, a dot
// or one of the words' letters are looked at further. Numbers by std::from_chars: exact, and not
// dependent on the locale.
#include "engine/text/yaml_scalar.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
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

bool is_ambiguous_boolean(std::string_view text) {
  if (text.size() < 2 || text.size() > 3) return false;
  std::string lower_case(text);
  for (char& c : lower_case)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return is_one_of(lower_case, {"yes", "no", "on", "off"});
}

}  // namespace assay
