// Maps are copied one level at a time, along the path only; everything beside it is shared.
#include "engine/evaluate/fact_path.h"

#include <algorithm>
#include <vector>

namespace assay {
namespace {

const Value* find_key(const Value& map, const std::string& key) {
  if (!map.is(ValueKind::map)) return nullptr;
  for (const MapEntry& entry : map.as_map())
    if (entry.key.is(ValueKind::string) && entry.key.as_text() == key) return &entry.value;
  return nullptr;
}

Value make_map(const std::vector<MapEntry>& entries, Arena& arena) {
  auto* memory = arena.allocate_array<MapEntry>(entries.size());
  std::copy(entries.begin(), entries.end(), memory);
  return Value::map({memory, entries.size()});
}

// The entries of `map` without `key`.
std::vector<MapEntry> entries_but(const Value& map, const std::string& key) {
  std::vector<MapEntry> entries;
  if (!map.is(ValueKind::map)) return entries;
  for (const MapEntry& entry : map.as_map())
    if (!entry.key.is(ValueKind::string) || entry.key.as_text() != key) entries.push_back(entry);
  return entries;
}

}  // namespace

std::optional<Value> value_at(const Value& value, std::span<const std::string> path) {
  const Value* at = &value;
  for (const std::string& key : path) {
    at = find_key(*at, key);
    if (at == nullptr) return std::nullopt;
  }
  return *at;
}

Value with_value_at(const Value& value, std::span<const std::string> path, const Value& part,
                    Arena& arena) {
  if (path.empty()) return part;
  const Value* inner = find_key(value, path[0]);
  const Value changed =
      with_value_at(inner == nullptr ? Value() : *inner, path.subspan(1), part, arena);
  std::vector<MapEntry> entries = entries_but(value, path[0]);
  entries.push_back({Value::string(path[0]), changed});
  return make_map(entries, arena);
}

Value without_value_at(const Value& value, std::span<const std::string> path, Arena& arena) {
  if (path.empty() || !value_at(value, path)) return value;
  std::vector<MapEntry> entries = entries_but(value, path[0]);
  if (path.size() > 1)
    entries.push_back({Value::string(path[0]),
                       without_value_at(*find_key(value, path[0]), path.subspan(1), arena)});
  return make_map(entries, arena);
}

void set_node_at(Node& node, std::span<const std::string> path, const Node& part) {
  if (path.empty()) {
    node = part;
    return;
  }
  if (node.kind != NodeKind::mapping) {
    node = Node{};
    node.kind = NodeKind::mapping;
  }
  for (Entry& entry : node.entries)
    if (entry.key == path[0]) return set_node_at(entry.value, path.subspan(1), part);
  node.entries.push_back({path[0], {}, {}});
  set_node_at(node.entries.back().value, path.subspan(1), part);
}

}  // namespace assay
