// Conversion is exact or refused: 1 is 1.0 where a double is expected, 2^53 + 1 is not.
#include "engine/compile/literal.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/compile/real_text.h"

namespace assay {
namespace {

class LiteralReader {
 public:
  explicit LiteralReader(Arena& arena) : arena_(arena) {}

  std::optional<Value> read(const Node& node, const Type& type) {
    const bool is_any = type.kind == TypeKind::dynamic;
    switch (node.kind) {
      case NodeKind::null:
        if (is_any || type.is_nullable || type.kind == TypeKind::null) return Value::null();
        return std::nullopt;
      case NodeKind::boolean:
        if (is_any || type.kind == TypeKind::boolean) return Value::boolean(node.boolean);
        return std::nullopt;
      case NodeKind::integer:
        return read_integer(node, type);
      case NodeKind::real:
        if (is_any || type.kind == TypeKind::real) return Value::real(node.real);
        return std::nullopt;
      case NodeKind::string:
        if (is_any || type.kind == TypeKind::string) return Value::string(arena_.copy(node.text));
        if (type.kind == TypeKind::bytes) return Value::bytes(arena_.copy(node.text));
        return std::nullopt;
      case NodeKind::sequence:
        return is_any || type.kind == TypeKind::list ? read_list(node, type) : std::nullopt;
      case NodeKind::mapping:
        break;
    }
    return is_any || type.kind == TypeKind::map ? read_map(node, type) : std::nullopt;
  }

 private:
  static std::optional<Value> read_integer(const Node& node, const Type& type) {
    switch (type.kind) {
      case TypeKind::dynamic:
      case TypeKind::integer:
        return Value::integer(node.integer);
      case TypeKind::unsigned_integer:
        if (node.integer < 0) return std::nullopt;
        return Value::unsigned_integer(static_cast<std::uint64_t>(node.integer));
      case TypeKind::real: {
        const auto real = static_cast<double>(node.integer);
        const bool is_exact = std::fabs(real) < 9223372036854775808.0 &&
                              static_cast<std::int64_t>(real) == node.integer;
        return is_exact ? std::optional(Value::real(real)) : std::nullopt;
      }
      default:
        return std::nullopt;
    }
  }

  std::optional<Value> read_list(const Node& node, const Type& type) {
    const Type element = type.parameters.empty() ? Type() : type.parameters[0];
    auto* items = arena_.allocate_array<Value>(node.items.size());
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      const std::optional<Value> item = read(node.items[i], element);
      if (!item) return std::nullopt;
      items[i] = *item;
    }
    return Value::list({items, node.items.size()});
  }

  std::optional<Value> read_map(const Node& node, const Type& type) {
    const Type key = type.parameters.size() == 2 ? type.parameters[0] : Type();
    const Type value = type.parameters.size() == 2 ? type.parameters[1] : Type();
    if (key.kind != TypeKind::string && key.kind != TypeKind::dynamic) return std::nullopt;
    auto* entries = arena_.allocate_array<MapEntry>(node.entries.size());
    for (std::size_t i = 0; i < node.entries.size(); ++i) {
      const std::optional<Value> entry = read(node.entries[i].value, value);
      if (!entry) return std::nullopt;
      entries[i] = {Value::string(arena_.copy(node.entries[i].key)), *entry};
    }
    return Value::map({entries, node.entries.size()});
  }

  Arena& arena_;
};

std::optional<std::string> key_text(const Value& key) {
  switch (key.kind()) {
    case ValueKind::string:
      return std::string(key.as_text());
    case ValueKind::boolean:
      return key.as_boolean() ? "true" : "false";
    case ValueKind::integer:
      return std::to_string(key.as_integer());
    case ValueKind::unsigned_integer:
      return std::to_string(key.as_unsigned());
    default:
      return std::nullopt;
  }
}

Node number_node(std::int64_t integer) {
  Node node;
  node.kind = NodeKind::integer;
  node.integer = integer;
  node.real = static_cast<double>(integer);
  node.text = std::to_string(integer);
  return node;
}

}  // namespace

std::optional<Value> literal_value(const Node& node, Arena& arena, const Type& type) {
  return LiteralReader(arena).read(node, type);
}

std::optional<Node> value_node(const Value& value) {
  Node node;
  switch (value.kind()) {
    case ValueKind::null:
      node.text = "null";
      return node;
    case ValueKind::boolean:
      node.kind = NodeKind::boolean;
      node.boolean = value.as_boolean();
      node.text = node.boolean ? "true" : "false";
      return node;
    case ValueKind::integer:
      return number_node(value.as_integer());
    case ValueKind::unsigned_integer:
      if (value.as_unsigned() > INT64_MAX) return std::nullopt;
      return number_node(static_cast<std::int64_t>(value.as_unsigned()));
    case ValueKind::real:
      node.kind = NodeKind::real;
      node.real = value.as_real();
      node.text = shortest_real(node.real);
      return node;
    case ValueKind::string:
      node.kind = NodeKind::string;
      node.quoted = true;
      node.text = value.as_text();
      return node;
    case ValueKind::list:
      node.kind = NodeKind::sequence;
      for (const Value& item : value.as_list()) {
        std::optional<Node> child = value_node(item);
        if (!child) return std::nullopt;
        node.items.push_back(std::move(*child));
      }
      return node;
    case ValueKind::map:
      node.kind = NodeKind::mapping;
      for (const MapEntry& entry : value.as_map()) {
        std::optional<std::string> key = key_text(entry.key);
        std::optional<Node> child = value_node(entry.value);
        if (!key || !child) return std::nullopt;
        node.entries.push_back({std::move(*key), {}, std::move(*child)});
      }
      return node;
    default:
      return std::nullopt;
  }
}

Value copy_value(const Value& value, Arena& arena) {
  switch (value.kind()) {
    case ValueKind::string:
      return Value::string(arena.copy(value.as_text()));
    case ValueKind::bytes:
      return Value::bytes(arena.copy(value.as_text()));
    case ValueKind::type:
      return Value::type(arena.copy(value.as_text()));
    case ValueKind::error:
      return Value::error(arena.copy(value.as_text()));
    case ValueKind::list: {
      auto* items = arena.allocate_array<Value>(value.as_list().size());
      std::transform(value.as_list().begin(), value.as_list().end(), items,
                     [&](const Value& item) { return copy_value(item, arena); });
      return Value::list({items, value.as_list().size()});
    }
    case ValueKind::map: {
      auto* entries = arena.allocate_array<MapEntry>(value.as_map().size());
      std::transform(value.as_map().begin(), value.as_map().end(), entries, [&](const MapEntry& e) {
        return MapEntry{copy_value(e.key, arena), copy_value(e.value, arena)};
      });
      return Value::map({entries, value.as_map().size()});
    }
    case ValueKind::unknown: {
      auto* slots = arena.allocate_array<std::uint32_t>(value.as_unknown().size());
      std::copy(value.as_unknown().begin(), value.as_unknown().end(), slots);
      return Value::unknown({slots, value.as_unknown().size()});
    }
    default:
      return value;
  }
}

}  // namespace assay
