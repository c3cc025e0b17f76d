// Python's rules: text in single quotes unless it holds one and no double quote; what does not
// print is escaped; floats by shortest_real. Nested values print as `repr` does.
#include "engine/evaluate/value_text.h"

#include <fmt/format.h>

#include <span>

#include "engine/compile/code_points.h"
#include "engine/compile/real_text.h"

namespace assay {
namespace {

// Close to Python's str.isprintable: controls, format characters, separators other than the space,
// private use and noncharacters are escaped.
bool is_printable(std::uint32_t point) {
  if (point < 0x20 || (point >= 0x7f && point <= 0xa0) || point == 0xad) return false;
  if (point == 0x1680 || (point >= 0x2000 && point <= 0x200f) || point == 0x3000) return false;
  if ((point >= 0x2028 && point <= 0x202f) || (point >= 0x205f && point <= 0x206f)) return false;
  if (point >= 0xe000 && point <= 0xf8ff) return false;
  if (point == 0xfeff || (point >= 0xfff0 && point <= 0xfffb)) return false;
  return (point & 0xfffe) != 0xfffe && point < 0xe0000;
}

void append_escape(std::string& text, std::uint32_t point) {
  if (point == '\n')
    text += "\\n";
  else if (point == '\r')
    text += "\\r";
  else if (point == '\t')
    text += "\\t";
  else if (point < 0x100)
    text += fmt::format("\\x{:02x}", point);
  else if (point < 0x10000)
    text += fmt::format("\\u{:04x}", point);
  else
    text += fmt::format("\\U{:08x}", point);
}

void append_python_quoted(std::string& text, std::string_view content, bool is_bytes) {
  const bool has_single = content.find('\'') != std::string_view::npos;
  const bool has_double = content.find('"') != std::string_view::npos;
  const char quote = has_single && !has_double ? '"' : '\'';
  text += quote;
  for (std::size_t at = 0; at < content.size();) {
    CodePoint point = code_point_at(content, at);
    if (is_bytes) point = {static_cast<unsigned char>(content[at]), 1, true};
    if (point.value == static_cast<unsigned char>(quote) || point.value == '\\') {
      text += '\\';
      text += static_cast<char>(point.value);
    } else if (!is_printable(point.value) || !point.is_valid || (is_bytes && point.value > 0x7e)) {
      append_escape(text, point.value);
    } else {
      append_code_point(text, point.value);
    }
    at += point.size;
  }
  text += quote;
}

using Append = void (*)(std::string& text, const Value& value);

void append_list(std::string& text, std::span<const Value> items, Append append) {
  text += '[';
  for (const Value& item : items) {
    if (&item != items.data()) text += ", ";
    append(text, item);
  }
  text += ']';
}

void append_map(std::string& text, std::span<const MapEntry> entries, Append append) {
  text += '{';
  for (const MapEntry& entry : entries) {
    if (&entry != entries.data()) text += ", ";
    append(text, entry.key);
    text += ": ";
    append(text, entry.value);
  }
  text += '}';
}

void append_python(std::string& text, const Value& value) {
  switch (value.kind()) {
    case ValueKind::null:
      text += "None";
      return;
    case ValueKind::boolean:
      text += value.as_boolean() ? "True" : "False";
      return;
    case ValueKind::integer:
      text += std::to_string(value.as_integer());
      return;
    case ValueKind::unsigned_integer:
      text += std::to_string(value.as_unsigned());
      return;
    case ValueKind::real:
      text += shortest_real(value.as_real());
      return;
    case ValueKind::string:
      return append_python_quoted(text, value.as_text(), false);
    case ValueKind::bytes:
      text += 'b';
      return append_python_quoted(text, value.as_text(), true);
    case ValueKind::list:
      return append_list(text, value.as_list(), append_python);
    case ValueKind::map:
      return append_map(text, value.as_map(), append_python);
    case ValueKind::type:
      text += value.as_text();
      return;
    case ValueKind::error:
      text += "<error: " + std::string(value.as_text()) + ">";
      return;
    case ValueKind::unknown:
      text += "<unknown>";
  }
}

void append_cel_quoted(std::string& text, std::string_view content, bool is_bytes) {
  text += '"';
  for (std::size_t at = 0; at < content.size();) {
    CodePoint point = code_point_at(content, at);
    if (is_bytes) point = {static_cast<unsigned char>(content[at]), 1, true};
    if (point.value == '"' || point.value == '\\') {
      text += '\\';
      text += static_cast<char>(point.value);
    } else if (is_bytes && (point.value < 0x20 || point.value > 0x7e)) {
      text += fmt::format("\\{:03o}", point.value);
    } else if (!is_printable(point.value) || !point.is_valid) {
      append_escape(text, point.value);
    } else {
      append_code_point(text, point.value);
    }
    at += point.size;
  }
  text += '"';
}

std::string real_literal(double value) {
  const std::string text = shortest_real(value);
  const bool is_number = text.find_first_not_of("-0123456789.e+") == std::string::npos;
  return is_number ? text : "double(\"" + text + "\")";
}

void append_cel(std::string& text, const Value& value) {
  switch (value.kind()) {
    case ValueKind::null:
      text += "null";
      return;
    case ValueKind::boolean:
      text += value.as_boolean() ? "true" : "false";
      return;
    case ValueKind::unsigned_integer:
      text += std::to_string(value.as_unsigned()) + "u";
      return;
    case ValueKind::real:
      text += real_literal(value.as_real());
      return;
    case ValueKind::string:
      return append_cel_quoted(text, value.as_text(), false);
    case ValueKind::bytes:
      text += 'b';
      return append_cel_quoted(text, value.as_text(), true);
    case ValueKind::list:
      return append_list(text, value.as_list(), append_cel);
    case ValueKind::map:
      return append_map(text, value.as_map(), append_cel);
    default:  // as in Python
      return append_python(text, value);
  }
}

}  // namespace

std::string python_str(const Value& value) {
  if (value.is(ValueKind::string)) return std::string(value.as_text());
  return python_repr(value);
}

std::string python_repr(const Value& value) {
  std::string text;
  append_python(text, value);
  return text;
}

std::string cel_literal(const Value& value) {
  std::string text;
  append_cel(text, value);
  return text;
}

}  // namespace assay
