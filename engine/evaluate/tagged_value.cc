// Numbers are strings in the tagged form, so that 64 bits survive any JSON reader. A map's entries
// are written in the order of their keys: the language gives them none.
#include "engine/evaluate/tagged_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "engine/compile/code_points.h"
#include "engine/compile/real_text.h"
#include "engine/compile/value_comparison.h"
#include "engine/evaluate/eval_case.h"

namespace assay {
namespace {

template <class T>
std::optional<T> read_number(const Node& node) {
  T number{};
  const char* end = node.text.data() + node.text.size();
  const auto read = std::from_chars(node.text.data(), end, number);
  if (!node.is_scalar() || read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return number;
}

std::optional<Value> read_bytes(const Node& node, Arena& arena) {
  if (node.kind != NodeKind::sequence) return std::nullopt;
  std::string bytes;
  for (const Node& item : node.items) {
    if (item.kind != NodeKind::integer || item.integer < 0 || item.integer > 255)
      return std::nullopt;
    bytes.push_back(static_cast<char>(item.integer));
  }
  return Value::bytes(arena.copy(bytes));
}

std::optional<Value> read_list(const Node& node, Arena& arena) {
  if (node.kind != NodeKind::sequence) return std::nullopt;
  auto* items = arena.allocate_array<Value>(node.items.size());
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const std::optional<Value> item = read_tagged(node.items[i], arena);
    if (!item) return std::nullopt;
    items[i] = *item;
  }
  return Value::list({items, node.items.size()});
}

std::optional<Value> read_map(const Node& node, Arena& arena) {
  if (node.kind != NodeKind::sequence) return std::nullopt;
  auto* entries = arena.allocate_array<MapEntry>(node.items.size());
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const Node& pair = node.items[i];
    if (pair.kind != NodeKind::sequence || pair.items.size() != 2) return std::nullopt;
    const std::optional<Value> key = read_tagged(pair.items[0], arena);
    const std::optional<Value> value = read_tagged(pair.items[1], arena);
    if (!key || !value || !is_map_key(*key)) return std::nullopt;
    std::uint64_t budget = UINT64_MAX;
    if (find_entry(Value::map({entries, i}), *key, budget) != nullptr) return std::nullopt;
    entries[i] = {*key, *value};
  }
  return Value::map({entries, node.items.size()});
}

class TaggedWriter {
 public:
  void append(const Value& value) {
    switch (value.kind()) {
      case ValueKind::null:
        text_ += R"({"null": null})";
        return;
      case ValueKind::boolean:
        text_ += value.as_boolean() ? R"({"bool": true})" : R"({"bool": false})";
        return;
      case ValueKind::integer:
        text_ += fmt::format(R"({{"int": "{}"}})", value.as_integer());
        return;
      case ValueKind::unsigned_integer:
        text_ += fmt::format(R"({{"uint": "{}"}})", value.as_unsigned());
        return;
      case ValueKind::real:
        text_ += R"({"double": ")" + shortest_real(value.as_real()) + "\"}";
        return;
      case ValueKind::string:
        text_ += R"({"string": )" + json_string(value.as_text()) + "}";
        return;
      case ValueKind::type:
        text_ += R"({"type": )" + json_string(value.as_text()) + "}";
        return;
      case ValueKind::bytes:
        return append_bytes(value.as_text());
      case ValueKind::list:
        text_ += R"({"list": [)";
        for (const Value& item : value.as_list()) {
          if (&item != value.as_list().data()) text_ += ", ";
          append(item);
        }
        text_ += "]}";
        return;
      case ValueKind::map:
        return append_map(value);
      case ValueKind::error:
        text_ += R"({"error": )" + json_string(value.as_text()) + "}";
        return;
      case ValueKind::unknown:
        text_ += R"({"unknown": []})";
    }
  }

  std::string take() { return std::move(text_); }

 private:
  void append_bytes(std::string_view bytes) {
    text_ += R"({"bytes": [)";
    for (std::size_t i = 0; i < bytes.size(); ++i)
      text_ += fmt::format("{}{}", i > 0 ? ", " : "", static_cast<unsigned char>(bytes[i]));
    text_ += "]}";
  }

  void append_map(const Value& value) {
    std::vector<MapEntry> entries(value.as_map().begin(), value.as_map().end());
    std::stable_sort(entries.begin(), entries.end(), [](const MapEntry& a, const MapEntry& b) {
      if (a.key.kind() != b.key.kind()) return a.key.kind() < b.key.kind();
      return *compare_values(a.key, b.key) < 0;
    });
    text_ += R"({"map": [)";
    for (std::size_t i = 0; i < entries.size(); ++i) {
      text_ += i > 0 ? ", [" : "[";
      append(entries[i].key);
      text_ += ", ";
      append(entries[i].value);
      text_ += "]";
    }
    text_ += "]}";
  }

  std::string text_;
};

}  // namespace

std::optional<Value> read_tagged(const Node& node, Arena& arena) {
  if (node.kind != NodeKind::mapping || node.entries.size() != 1) return std::nullopt;
  const std::string& tag = node.entries[0].key;
  const Node& content = node.entries[0].value;
  if (tag == "null") return Value::null();
  if (tag == "bool" && content.kind == NodeKind::boolean) return Value::boolean(content.boolean);
  if (tag == "string" && content.is_string()) return Value::string(arena.copy(content.text));
  if (tag == "type" && content.is_string()) return Value::type(arena.copy(content.text));
  if (tag == "bytes") return read_bytes(content, arena);
  if (tag == "list") return read_list(content, arena);
  if (tag == "map") return read_map(content, arena);
  if (tag == "int") {
    const auto number = read_number<std::int64_t>(content);
    return number ? std::optional(Value::integer(*number)) : std::nullopt;
  }
  if (tag == "uint") {
    const auto number = read_number<std::uint64_t>(content);
    return number ? std::optional(Value::unsigned_integer(*number)) : std::nullopt;
  }
  if (tag == "double") {
    const auto number = read_number<double>(content);
    return number ? std::optional(Value::real(*number)) : std::nullopt;
  }
  return std::nullopt;
}

std::string json_string(std::string_view text) {
  std::string quoted = "\"";
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point_at(text, at);
    at += point.size;
    if (point.value == '"' || point.value == '\\') {
      quoted += '\\';
      quoted += static_cast<char>(point.value);
    } else if (point.value < 0x20 || point.value == 0x7f) {
      quoted += fmt::format("\\u{:04x}", point.value);
    } else {
      append_code_point(quoted, point.is_valid ? point.value : 0xfffd);
    }
  }
  return quoted + "\"";
}

std::string tagged_json(const Value& value) {
  TaggedWriter writer;
  writer.append(value);
  return writer.take();
}

}  // namespace assay
