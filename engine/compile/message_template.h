// A rule's message: literal text with expressions in braces. `{x}` prints as Python's str does,
// `{x!r}` as repr, `{{` and `}}` are braces.
#pragma once

#include <string>
#include <vector>

#include "engine/compile/expression_compiler.h"

namespace assay {

struct MessageSegment {
  std::string text;  // literal text, or the expression as written
  bool is_expression = false;
  bool is_repr = false;  // {x!r}
  Predicate predicate;   // is_expression
};

struct MessageTemplate {
  std::vector<MessageSegment> segments;  // no two literal ones in a row
  bool empty() const { return segments.empty(); }
};

// A piece of a template before its expressions are compiled.
struct TemplatePiece {
  std::string text;
  bool is_expression = false;
  bool is_repr = false;
  std::size_t offset = 0;  // of the expression in the template's text
};
struct TemplateFault {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string message;
};
// Cuts a template into its pieces; faults are appended.
std::vector<TemplatePiece> split_template(const std::string& text,
                                          std::vector<TemplateFault>& faults);

// Errors: expression_syntax (braces that do not close or open, an empty pair) and those of
// compile_expression; all are appended to `faults`, each at its place.
MessageTemplate compile_message(const ExpressionText& message, const Environment& names,
                                Diagnostics& faults);

}  // namespace assay
