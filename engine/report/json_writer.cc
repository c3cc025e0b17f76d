// A writer of 100 lines in place of a library's: keys stay in the order in which a format documents
// them, and nothing is built in memory first. Numbers of type double are printed with the digits
// that read back as the same number.
#include "engine/report/json_writer.h"

#include <fmt/format.h>

#include <cmath>

#include "engine/report/utf8_text.h"

namespace assay {
namespace {

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : valid_utf8(text)) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\b':
        out += "\\b";
        break;
      case '\f':
        out += "\\f";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
        } else {
          out += c;
        }
    }
  }
  out += '"';
}

}  // namespace

void JsonWriter::new_line() {
  if (layout_ == Layout::compact) return;
  out_ += '\n';
  out_.append(2 * levels_.size(), ' ');
}

void JsonWriter::start_value() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (levels_.empty()) return;
  if (levels_.back().has_items) out_ += ',';
  levels_.back().has_items = true;
  new_line();
}

void JsonWriter::close(char bracket) {
  const bool had_items = levels_.back().has_items;
  levels_.pop_back();
  if (had_items) new_line();
  out_ += bracket;
}

JsonWriter& JsonWriter::begin_object() {
  start_value();
  out_ += '{';
  levels_.emplace_back();
  return *this;
}

JsonWriter& JsonWriter::end_object() {
  close('}');
  return *this;
}

JsonWriter& JsonWriter::begin_array() {
  start_value();
  out_ += '[';
  levels_.emplace_back();
  return *this;
}

JsonWriter& JsonWriter::end_array() {
  close(']');
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  start_value();
  append_quoted(out_, name);
  out_ += layout_ == Layout::compact ? ":" : ": ";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::text(std::string_view value) {
  start_value();
  append_quoted(out_, value);
  return *this;
}

JsonWriter& JsonWriter::integer(std::int64_t value) {
  start_value();
  out_ += fmt::format("{}", value);
  return *this;
}

JsonWriter& JsonWriter::boolean(bool value) {
  start_value();
  out_ += value ? "true" : "false";
  return *this;
}

JsonWriter& JsonWriter::null() {
  start_value();
  out_ += "null";
  return *this;
}

JsonWriter& JsonWriter::member(std::string_view name, const std::vector<std::string>& values) {
  key(name).begin_array();
  for (const std::string& value : values) text(value);
  return end_array();
}

JsonWriter& JsonWriter::node(const Node& value) {
  switch (value.kind) {
    case NodeKind::null:
      return null();
    case NodeKind::boolean:
      return boolean(value.boolean);
    case NodeKind::integer:
      return integer(value.integer);
    case NodeKind::real:
      if (!std::isfinite(value.real)) return null();
      start_value();
      out_ += fmt::format("{}", value.real);
      return *this;
    case NodeKind::string:
      return text(value.text);
    case NodeKind::sequence:
      begin_array();
      for (const Node& item : value.items) node(item);
      return end_array();
    case NodeKind::mapping:
      begin_object();
      for (const Entry& entry : value.entries) key(entry.key).node(entry.value);
      return end_object();
  }
  return *this;
}

}  // namespace assay
