// What a YAML or JSON text says, as one tree with places: the readers of text/ make it, the readers
// of read/ turn it into structs. Both formats give the same tree, so nothing above this file knows
// which it was.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/span.h"

namespace assay {

enum class NodeKind : std::uint8_t { null, boolean, integer, real, string, sequence, mapping };
std::string_view to_string(NodeKind kind);  // "null", "a boolean", "an integer", "a number", "a
                                            // string", "a list", "a mapping"

struct Entry;

struct Node {
  NodeKind kind = NodeKind::null;
  bool quoted = false;  // a string in quotes or a block scalar: never a number, null or boolean
  Span span;
  bool boolean = false;      // kind boolean
  std::int64_t integer = 0;  // kind integer; one that does not fit 64 bits is kind real
  double real = 0;           // kind real, and integer converted
  std::string
      text;  // scalar: the characters (of a string: after unescaping; of others: as written)
  std::vector<Node> items;     // sequence
  std::vector<Entry> entries;  // mapping, in the order of the text; keys are unique

  bool is_scalar() const { return kind < NodeKind::sequence; }
  bool is_string() const { return kind == NodeKind::string; }
  // The value under `key`, or null when this is no mapping or has no such key.
  const Node* find(std::string_view key) const;
};

struct Entry {
  std::string key;
  Span key_span;
  Node value;
};

inline const Node* Node::find(std::string_view key) const {
  for (const Entry& entry : entries)
    if (entry.key == key) return &entry.value;
  return nullptr;
}

}  // namespace assay
