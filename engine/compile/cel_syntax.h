// The syntax tree of an expression: nodes in one array, children by index. The parser makes it with
// macros expanded, the name resolver turns names into slots, locals and types, the type checker and
// the predicate compiler read it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/compile/predicate.h"
#include "engine/model/value.h"

namespace assay {

using NodeIndex = std::uint32_t;
inline constexpr NodeIndex kNoNode = 0xffffffffu;

enum class SyntaxKind : std::uint8_t {
  literal,        // literal
  name,           // text; before name resolution
  slot,           // number: the slot; text: the name
  local,          // number: the node that binds it; small: which of its variables; text: the name
  select,         // child.text
  has,            // has(child.text)
  given,          // given(child); before name resolution
  call,           // text(children...); is_member: the first child is the receiver
  logical_and,    // two children or more
  logical_or,     // two children or more
  conditional,    // three children
  list,           // children
  map,            // children: key, value, key, value, ...
  comprehension,  // loop; variables; children: range, body, and perhaps a filter
  bind,           // cel.bind: variables[0]; children: its value, body
  failure,        // fails with `text` when evaluated (names and functions that are not declared, in
                  // unchecked expressions)
};

struct SyntaxNode {
  SyntaxKind kind = SyntaxKind::literal;
  bool is_member = false;
  bool has_leading_dot = false;
  std::uint8_t small = 0;
  LoopKind loop = LoopKind::all;
  std::uint16_t height = 1;  // of the subtree
  std::uint32_t number = 0;
  std::uint32_t begin = 0;  // byte range in the expression
  std::uint32_t end = 0;
  std::uint32_t place_begin = 0;  // what a fault points at: the operator, the name
  std::uint32_t place_end = 0;
  std::string text;
  Value literal;
  std::vector<NodeIndex> children;
  std::vector<std::string> variables;
};

struct SyntaxTree {
  std::vector<SyntaxNode> nodes;
  NodeIndex root = kNoNode;
  std::unique_ptr<Arena> memory = std::make_unique<Arena>();  // of the literals

  SyntaxNode& operator[](NodeIndex index) { return nodes[index]; }
  const SyntaxNode& operator[](NodeIndex index) const { return nodes[index]; }
};

}  // namespace assay
