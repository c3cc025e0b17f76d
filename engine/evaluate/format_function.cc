// "...".format([...]) and strings.quote(): the formatting of the public strings extension, with %s,
// %d, %f, %e, %x, %X, %o, %b and a precision for %f and %e. Rounding is round-half-to-even on the
// exact binary value, which is what std::to_chars does.
#include <charconv>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "engine/compile/code_points.h"
#include "engine/evaluate/function_table.h"

namespace assay {
namespace {

class Formatter {
 public:
  Formatter(std::string_view format, std::span<const Value> arguments, EvaluationContext& context)
      : rest_(format), arguments_(arguments), context_(context) {}

  Value run() {
    while (!rest_.empty() && error_.empty()) {
      const std::size_t percent = rest_.find('%');
      text_.append(rest_.substr(0, percent));
      if (percent == std::string_view::npos) break;
      rest_.remove_prefix(percent + 1);
      if (rest_.starts_with('%')) {
        text_ += '%';
        rest_.remove_prefix(1);
        continue;
      }
      convert();
      context_.charge(1);
      if (context_.is_exhausted()) return {};
    }
    return error_.empty() ? context_.string(text_) : context_.error(error_);
  }

 private:
  void fail(std::string message) {
    if (error_.empty()) error_ = "format: " + std::move(message);
  }
  void fail_kind(char letter, const Value& value) {
    fail(std::string("%") + letter + " does not take " + std::string(to_string(value.kind())));
  }

  void convert() {
    int precision = 6;
    if (rest_.starts_with('.')) {
      rest_.remove_prefix(1);
      const auto read = std::from_chars(rest_.data(), rest_.data() + rest_.size(), precision);
      if (read.ec != std::errc() || precision < 0 || precision > 1000)
        return fail("a precision is a number up to 1000");
      rest_.remove_prefix(static_cast<std::size_t>(read.ptr - rest_.data()));
    }
    if (rest_.empty()) return fail("a `%` at the end without a letter");
    const char letter = rest_.front();
    rest_.remove_prefix(1);
    if (next_ == arguments_.size())
      return fail("there are only " + std::to_string(next_) + " arguments");
    const Value& value = arguments_[next_++];
    switch (letter) {
      case 's':
        return append_value(value);
      case 'd':
        return append_decimal(value);
      case 'f':
        return append_real(letter, value, std::chars_format::fixed, precision);
      case 'e':
        return append_real(letter, value, std::chars_format::scientific, precision);
      case 'x':
      case 'X':
        return append_hexadecimal(letter, value);
      case 'o':
        return append_integer(letter, value, 8);
      case 'b':
        if (value.is(ValueKind::boolean)) {
          text_ += value.as_boolean() ? '1' : '0';
          return;
        }
        return append_integer(letter, value, 2);
      default:
        fail(std::string("unknown conversion `%") + letter + "`");
    }
  }

  static std::string real_text(double value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
    char buffer[400];
    return {buffer,
            std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed).ptr};
  }

  void append_value(const Value& value) {
    context_.charge(1);
    if (context_.is_exhausted()) return fail("too long");
    switch (value.kind()) {
      case ValueKind::null:
        text_ += "null";
        return;
      case ValueKind::boolean:
        text_ += value.as_boolean() ? "true" : "false";
        return;
      case ValueKind::integer:
        text_ += std::to_string(value.as_integer());
        return;
      case ValueKind::unsigned_integer:
        text_ += std::to_string(value.as_unsigned());
        return;
      case ValueKind::real:
        text_ += real_text(value.as_real());
        return;
      case ValueKind::bytes:
        return append_bytes(value.as_text());
      case ValueKind::string:
      case ValueKind::type:
        context_.charge(value.as_text().size());
        text_ += value.as_text();
        return;
      case ValueKind::list:
        return append_list(value);
      case ValueKind::map:
        return append_map(value);
      default:
        return fail_kind('s', value);
    }
  }
  // Bytes that are no UTF-8 become U+FFFD, adjacent ones a single one.
  void append_bytes(std::string_view bytes) {
    context_.charge(bytes.size());
    bool was_valid = true;
    for (std::size_t at = 0; at < bytes.size() && !context_.is_exhausted();) {
      const CodePoint point = code_point_at(bytes, at);
      if (point.is_valid || was_valid)
        append_code_point(text_, point.is_valid ? point.value : 0xfffd);
      was_valid = point.is_valid;
      at += point.size;
    }
  }
  void append_list(const Value& value) {
    text_ += '[';
    bool is_first = true;
    for (const Value& item : value.as_list()) {
      if (!is_first) text_ += ", ";
      is_first = false;
      append_value(item);
    }
    text_ += ']';
  }
  // Sorted by the keys' text.
  void append_map(const Value& value) {
    std::vector<std::pair<std::string, std::string>> entries;
    std::string outer;
    outer.swap(text_);
    for (const MapEntry& entry : value.as_map()) {
      append_value(entry.key);
      std::string key;
      key.swap(text_);
      append_value(entry.value);
      entries.emplace_back(std::move(key), std::move(text_));
      text_.clear();
    }
    text_.swap(outer);
    std::sort(entries.begin(), entries.end());
    text_ += '{';
    for (std::size_t i = 0; i < entries.size(); ++i)
      text_ += (i > 0 ? ", " : "") + entries[i].first + ": " + entries[i].second;
    text_ += '}';
  }

  void append_decimal(const Value& value) {
    if (value.is(ValueKind::real)) {
      text_ += real_text(value.as_real());
      return;
    }
    append_integer('d', value, 10);
  }
  void append_integer(char letter, const Value& value, int base) {
    char buffer[72];
    if (value.is(ValueKind::integer))
      text_.append(buffer,
                   std::to_chars(buffer, buffer + sizeof buffer, value.as_integer(), base).ptr);
    else if (value.is(ValueKind::unsigned_integer))
      text_.append(buffer,
                   std::to_chars(buffer, buffer + sizeof buffer, value.as_unsigned(), base).ptr);
    else
      fail_kind(letter, value);
  }
  void append_hexadecimal(char letter, const Value& value) {
    std::string digits;
    digits.swap(text_);
    if (value.is(ValueKind::string) || value.is(ValueKind::bytes)) {
      constexpr std::string_view kDigits = "0123456789abcdef";
      context_.charge(2 * value.as_text().size());
      if (context_.is_exhausted()) return fail("too long");
      for (const char c : value.as_text()) {
        const auto byte = static_cast<unsigned char>(c);
        text_ += kDigits[byte >> 4];
        text_ += kDigits[byte & 15];
      }
    } else {
      append_integer(letter, value, 16);
    }
    if (letter == 'X')
      for (char& c : text_) c = c >= 'a' && c <= 'f' ? static_cast<char>(c - 32) : c;
    text_.swap(digits);
    text_ += digits;
  }
  void append_real(char letter, const Value& value, std::chars_format style, int precision) {
    double real = 0;
    if (value.is(ValueKind::real))
      real = value.as_real();
    else if (value.is(ValueKind::integer))
      real = static_cast<double>(value.as_integer());
    else if (value.is(ValueKind::unsigned_integer))
      real = static_cast<double>(value.as_unsigned());
    else
      return fail_kind(letter, value);
    if (!std::isfinite(real)) {
      text_ += real_text(real);
      return;
    }
    char buffer[1400];
    text_.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, real, style, precision).ptr);
  }

  std::string_view rest_;
  std::span<const Value> arguments_;
  EvaluationContext& context_;
  std::size_t next_ = 0;
  std::string text_;
  std::string error_;
};

}  // namespace

Value format_string(const Value& format, const Value& arguments, EvaluationContext& context) {
  const Value both[] = {format, arguments};
  if (!format.is(ValueKind::string) || !arguments.is(ValueKind::list))
    return context.no_overload("format", both);
  return Formatter(format.as_text(), arguments.as_list(), context).run();
}

Value quote_string(const Value& value, EvaluationContext& context) {
  if (!value.is(ValueKind::string)) return context.no_overload("strings.quote", {&value, 1});
  const std::string_view text = value.as_text();
  std::string quoted = "\"";
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point_at(text, at);
    constexpr std::string_view kEscaped = "\a\b\f\n\r\t\v\\\"";
    constexpr std::string_view kLetters = "abfnrtv\\\"";
    const std::size_t escape =
        point.value < 0x80 ? kEscaped.find(static_cast<char>(point.value)) : std::string_view::npos;
    if (escape != std::string_view::npos) {
      quoted += '\\';
      quoted += kLetters[escape];
    } else {
      append_code_point(quoted, point.is_valid ? point.value : 0xfffd);
    }
    at += point.size;
  }
  context.charge(text.size());
  return context.string(quoted + "\"");
}

}  // namespace assay
