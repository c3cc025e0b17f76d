// The inverse of argument_conversion and of the YAML reader, for values that fit on one line.
#include "engine/read/argument_words.h"

#include <fmt/format.h>

#include "engine/read/python_text.h"
#include "engine/text/yaml_scalar.h"

namespace assay {
namespace {

bool stores(const Flag& flag, const Node& value) {
  return flag.stores && is_same_value(*flag.stores, value);
}

}  // namespace

bool is_same_value(const Node& a, const Node& b) {
  const auto is_number = [](const Node& node) {
    return node.kind == NodeKind::integer || node.kind == NodeKind::real;
  };
  if (is_number(a) && is_number(b)) {
    if (a.kind == NodeKind::integer && b.kind == NodeKind::integer) return a.integer == b.integer;
    return a.real == b.real;
  }
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case NodeKind::boolean:
      return a.boolean == b.boolean;
    case NodeKind::string:
      return a.text == b.text;
    case NodeKind::sequence:
      if (a.items.size() != b.items.size()) return false;
      for (std::size_t i = 0; i < a.items.size(); ++i)
        if (!is_same_value(a.items[i], b.items[i])) return false;
      return true;
    case NodeKind::mapping:
      if (a.entries.size() != b.entries.size()) return false;
      for (const Entry& entry : a.entries) {
        const Node* other = b.find(entry.key);
        if (other == nullptr || !is_same_value(entry.value, *other)) return false;
      }
      return true;
    default:
      return true;
  }
}

ArgumentWords write_argument(const FactDeclaration& fact, const Node& value,
                             std::string_view spelling) {
  if (value.kind == NodeKind::null) return {};
  const Flag* chosen = nullptr;
  const Flag* taking_value = nullptr;
  // The first flag is a deprecated one only where there is no other.
  const bool is_all_deprecated = !fact.flags.empty() && fact.flags[0].is_deprecated;
  for (const Flag& flag : fact.flags) {
    if (flag.is_deprecated && !is_all_deprecated) continue;
    if (stores(flag, value) && (chosen == nullptr || flag.spelling == spelling)) chosen = &flag;
    const bool takes_values = !flag.stores && flag.word_values.empty();
    if (takes_values && (taking_value == nullptr || flag.spelling == spelling))
      taking_value = &flag;
  }
  if (chosen != nullptr) return {chosen->spelling, {}};
  if (taking_value == nullptr) return {};
  ArgumentWords words{taking_value->spelling, {}};
  if (value.kind == NodeKind::sequence && !fact.is_json) {
    for (const Node& item : value.items) words.values.push_back(write_value(item));
    if (words.values.empty()) return {};
  } else {
    words.values.push_back(write_value(value));
  }
  return words;
}

std::string write_value(const Node& value) {
  return value.kind == NodeKind::string ? value.text : write_json(value);
}

std::string write_json_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (c == '\n') {
      result += "\\n";
    } else if (c == '\t') {
      result += "\\t";
    } else if (byte < 0x20 || byte == 0x7f) {
      result += fmt::format("\\u{:04x}", byte);
    } else {
      result += c;
    }
  }
  return result + '"';
}

std::string write_json(const Node& value) {
  switch (value.kind) {
    case NodeKind::null:
      return "null";
    case NodeKind::boolean:
      return value.boolean ? "true" : "false";
    case NodeKind::integer:
      return std::to_string(value.integer);
    case NodeKind::real:
      return python_float(value.real);
    case NodeKind::string:
      return write_json_string(value.text);
    case NodeKind::sequence:
    case NodeKind::mapping:
      break;
  }
  std::string result;
  for (const Node& item : value.items) result += (result.empty() ? "" : ", ") + write_json(item);
  for (const Entry& entry : value.entries) {
    if (!result.empty()) result += ", ";
    result += write_json_string(entry.key) + ": " + write_json(entry.value);
  }
  return value.kind == NodeKind::sequence ? "[" + result + "]" : "{" + result + "}";
}

bool is_plain_yaml(std::string_view text, bool is_in_flow) {
  if (text.empty() || text.front() == ' ' || text.back() == ' ' || text.back() == ':') return false;
  for (const char c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return false;
  const bool is_dash = text.front() == '-';
  if (is_dash && (text.size() == 1 || text[1] == ' ')) return false;
  if (text == "---" || text == "...") return false;
  if (std::string_view("?:,[]{}#&*!|>'\"%@`").find(text.front()) != std::string_view::npos)
    return false;
  if (text.find(": ") != std::string_view::npos || text.find(" #") != std::string_view::npos)
    return false;
  if (is_in_flow && text.find_first_of(",[]{}?") != std::string_view::npos) return false;
  if (is_in_flow && text.find(':') != std::string_view::npos) return false;
  Node node;
  node.text = text;
  resolve_plain_scalar(node);
  return node.kind == NodeKind::string && !is_ambiguous_boolean(text);
}

std::string write_yaml(const Node& value) {
  if (value.kind == NodeKind::string)
    return is_plain_yaml(value.text, false) ? value.text : write_json_string(value.text);
  if (value.kind == NodeKind::real) {
    const std::string text = python_float(value.real);
    if (text == "inf" || text == "-inf" || text == "nan")
      return text == "-inf" ? "-.inf" : "." + text;
    return text;
  }
  return write_json(value);
}

}  // namespace assay
