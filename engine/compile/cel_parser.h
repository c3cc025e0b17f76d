// From the text of an expression to its syntax tree, macros expanded.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "engine/compile/cel_lexer.h"
#include "engine/compile/cel_syntax.h"

namespace assay {

struct ExpressionLimits;

struct ParseFaults {
  std::vector<SyntaxFault> syntax;  // all lexical faults, or the first fault of the grammar
  std::vector<SyntaxFault> size;    // a limit that was passed
  bool any() const { return !syntax.empty() || !size.empty(); }
};

// The tree, or nothing with at least one fault. Recursion is bounded by `limits.max_depth`.
std::optional<SyntaxTree> parse_expression(std::string_view text, const ExpressionLimits& limits,
                                           ParseFaults& faults);

}  // namespace assay
