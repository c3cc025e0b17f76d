// repr() as CPython defines it for the types that argument values have. Bytes above 0x7f are passed
// on: Python prints them when they are printable, which nearly all are.
#include "engine/read/python_text.h"

#include <fmt/format.h>

#include <cmath>

namespace assay {

std::string python_repr(std::string_view text) {
  const bool has_single = text.find('\'') != std::string_view::npos;
  const bool has_double = text.find('"') != std::string_view::npos;
  const char quote = has_single && !has_double ? '"' : '\'';
  std::string result(1, quote);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == quote || c == '\\') {
      result += '\\';
      result += c;
    } else if (c == '\n') {
      result += "\\n";
    } else if (c == '\r') {
      result += "\\r";
    } else if (c == '\t') {
      result += "\\t";
    } else if (byte < 0x20 || byte == 0x7f) {
      result += fmt::format("\\x{:02x}", byte);
    } else {
      result += c;
    }
  }
  return result + quote;
}

std::string python_float(double number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number < 0 ? "-inf" : "inf";
  std::string text = fmt::format("{}", number);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string python_repr(const Node& value) {
  switch (value.kind) {
    case NodeKind::null:
      return "None";
    case NodeKind::boolean:
      return value.boolean ? "True" : "False";
    case NodeKind::integer:
      return std::to_string(value.integer);
    case NodeKind::real:
      return python_float(value.real);
    case NodeKind::string:
      return python_repr(std::string_view(value.text));
    case NodeKind::sequence:
    case NodeKind::mapping:
      break;
  }
  std::string result;
  for (const Node& item : value.items) {
    if (!result.empty()) result += ", ";
    result += python_repr(item);
  }
  for (const Entry& entry : value.entries) {
    if (!result.empty()) result += ", ";
    result += python_repr(std::string_view(entry.key)) + ": " + python_repr(entry.value);
  }
  return value.kind == NodeKind::sequence ? "[" + result + "]" : "{" + result + "}";
}

}  // namespace assay
