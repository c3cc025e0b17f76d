// int(), uint(), double(), string(), bytes(), bool(), dyn(), type(), base64. A conversion that does
// not fit is an error; doubles go to integers by cutting off the fraction.
#include <charconv>
#include <cmath>

#include "engine/compile/code_points.h"
#include "engine/compile/real_text.h"
#include "engine/evaluate/function_table.h"

namespace assay {
namespace {

constexpr double kTwoTo63 = 9223372036854775808.0;
constexpr double kTwoTo64 = 18446744073709551616.0;
constexpr std::string_view kRange = "the number does not fit";

// The whole of `text` as a number.
template <class T>
bool read_number(std::string_view text, T& number) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  return read.ec == std::errc() && read.ptr == end && !text.empty();
}

Value not_a_number(const Value& text, std::string_view type, EvaluationContext& context) {
  return context.error("`" + std::string(text.as_text().substr(0, 60)) + "` is not " +
                       std::string(type));
}

Value to_integer(const Value& value, EvaluationContext& context) {
  switch (value.kind()) {
    case ValueKind::integer:
      return value;
    case ValueKind::unsigned_integer:
      if (value.as_unsigned() > INT64_MAX) return Value::error(kRange);
      return Value::integer(static_cast<std::int64_t>(value.as_unsigned()));
    case ValueKind::real:  // both ends left out, as the language definition has it
      if (!(value.as_real() > -kTwoTo63 && value.as_real() < kTwoTo63)) return Value::error(kRange);
      return Value::integer(static_cast<std::int64_t>(value.as_real()));
    case ValueKind::string: {
      std::int64_t number = 0;
      return read_number(value.as_text(), number) ? Value::integer(number)
                                                  : not_a_number(value, "an int", context);
    }
    default:
      return context.no_overload("int", {&value, 1});
  }
}

Value to_unsigned(const Value& value, EvaluationContext& context) {
  switch (value.kind()) {
    case ValueKind::integer:
      if (value.as_integer() < 0) return Value::error(kRange);
      return Value::unsigned_integer(static_cast<std::uint64_t>(value.as_integer()));
    case ValueKind::unsigned_integer:
      return value;
    case ValueKind::real:
      if (!(value.as_real() >= 0 && value.as_real() < kTwoTo64)) return Value::error(kRange);
      return Value::unsigned_integer(static_cast<std::uint64_t>(value.as_real()));
    case ValueKind::string: {
      std::uint64_t number = 0;
      return read_number(value.as_text(), number) ? Value::unsigned_integer(number)
                                                  : not_a_number(value, "a uint", context);
    }
    default:
      return context.no_overload("uint", {&value, 1});
  }
}

Value to_real(const Value& value, EvaluationContext& context) {
  switch (value.kind()) {
    case ValueKind::integer:
      return Value::real(static_cast<double>(value.as_integer()));
    case ValueKind::unsigned_integer:
      return Value::real(static_cast<double>(value.as_unsigned()));
    case ValueKind::real:
      return value;
    case ValueKind::string: {
      double number = 0;
      return read_number(value.as_text(), number) ? Value::real(number)
                                                  : not_a_number(value, "a double", context);
    }
    default:
      return context.no_overload("double", {&value, 1});
  }
}

// Shortest digits, with an exponent below 1e-4 and from 1e6 on, as the public implementations
// print.
std::string real_to_string(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  char buffer[64];
  const auto scientific =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific);
  const std::string text(buffer, scientific.ptr);
  int exponent = 0;
  const char* digits = text.data() + text.find('e') + 1;
  if (*digits == '+') ++digits;
  std::from_chars(digits, text.data() + text.size(), exponent);
  if (exponent < -4 || exponent >= 6) return text;
  const auto fixed = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed);
  return {buffer, fixed.ptr};
}

Value to_string_value(const Value& value, EvaluationContext& context) {
  switch (value.kind()) {
    case ValueKind::string:
      return value;
    case ValueKind::boolean:
      return Value::string(value.as_boolean() ? "true" : "false");
    case ValueKind::integer:
      return context.string(std::to_string(value.as_integer()));
    case ValueKind::unsigned_integer:
      return context.string(std::to_string(value.as_unsigned()));
    case ValueKind::real:
      return context.string(real_to_string(value.as_real()));
    case ValueKind::bytes:
      if (!is_utf8(value.as_text())) return Value::error("the bytes are not UTF-8");
      return Value::string(value.as_text());
    default:
      return context.no_overload("string", {&value, 1});
  }
}

Value to_boolean(const Value& value, EvaluationContext& context) {
  if (value.is(ValueKind::boolean)) return value;
  if (!value.is(ValueKind::string)) return context.no_overload("bool", {&value, 1});
  for (const std::string_view text : {"true", "True", "TRUE", "t", "1"})
    if (value.as_text() == text) return Value::boolean(true);
  for (const std::string_view text : {"false", "False", "FALSE", "f", "0"})
    if (value.as_text() == text) return Value::boolean(false);
  return not_a_number(value, "a bool", context);
}

constexpr std::string_view kBase64Digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

Value encode_base64(const Value& value, EvaluationContext& context) {
  if (!value.is(ValueKind::bytes)) return context.no_overload("base64.encode", {&value, 1});
  const std::string_view bytes = value.as_text();
  char* text = context.allocate<char>((bytes.size() + 2) / 3 * 4);
  if (text == nullptr) return {};
  char* out = text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j)
      group = group << 8 |
              (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : std::uint32_t{0});
    for (std::size_t j = 0; j < 4; ++j)
      *out++ = i + j <= bytes.size() ? kBase64Digits[group >> (18 - 6 * j) & 63] : '=';
  }
  return Value::string({text, static_cast<std::size_t>(out - text)});
}

// With or without the padding at the end.
Value decode_base64(const Value& value, EvaluationContext& context) {
  if (!value.is(ValueKind::string)) return context.no_overload("base64.decode", {&value, 1});
  std::string_view text = value.as_text();
  const std::size_t padded = text.size();
  while (text.ends_with('=') && padded - text.size() < 2) text.remove_suffix(1);
  const bool is_padded_rightly = padded == text.size() || padded % 4 == 0;
  char* bytes = context.allocate<char>(text.size());
  if (bytes == nullptr) return {};
  std::size_t size = 0;
  std::uint32_t group = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t digit = kBase64Digits.find(text[i]);
    if (digit == std::string_view::npos) return not_a_number(value, "base64", context);
    group = group << 6 | static_cast<std::uint32_t>(digit);
    if (i % 4 != 0) bytes[size++] = static_cast<char>(group >> (6 - 2 * (i % 4)));
  }
  if (text.size() % 4 == 1 || !is_padded_rightly) return not_a_number(value, "base64", context);
  return Value::bytes({bytes, size});
}

}  // namespace

Value call_conversion(FunctionId id, std::span<const Value> arguments, EvaluationContext& context) {
  const Value& value = arguments[0];
  const bool is_text = value.is(ValueKind::string) || value.is(ValueKind::bytes);
  const bool is_base64 = id == FunctionId::base64_encode || id == FunctionId::base64_decode;
  if (is_text) context.charge(is_base64 ? 2 * value.as_text().size() : value.as_text().size() / 2);
  if (context.is_exhausted()) return {};
  switch (id) {
    case FunctionId::to_int:
      return to_integer(value, context);
    case FunctionId::to_uint:
      return to_unsigned(value, context);
    case FunctionId::to_double:
      return to_real(value, context);
    case FunctionId::to_string:
      return to_string_value(value, context);
    case FunctionId::to_bytes:
      if (value.is(ValueKind::bytes)) return value;
      if (value.is(ValueKind::string)) return Value::bytes(value.as_text());
      break;
    case FunctionId::to_bool:
      return to_boolean(value, context);
    case FunctionId::to_dyn:
      return value;
    case FunctionId::type_of:
      return Value::type(to_string(value.kind()));
    case FunctionId::base64_encode:
      return encode_base64(value, context);
    case FunctionId::base64_decode:
      return decode_base64(value, context);
    default:
      break;
  }
  return context.no_overload(to_string(id), arguments);
}

}  // namespace assay
