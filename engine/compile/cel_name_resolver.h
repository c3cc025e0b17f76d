// Gives the names of a syntax tree their meaning: slots, variables of macros, types, functions.
#pragma once

#include "engine/compile/cel_faults.h"
#include "engine/compile/cel_syntax.h"
#include "engine/compile/expression_compiler.h"

namespace assay {

// After this no node is of kind `name` or `given`, `has` has a child, and a call's `number` is its
// FunctionId unless it is an operator's. Names that mean nothing: with options.check_types a fault
// (undeclared_name), else a node that fails when it is evaluated.
void resolve_names(SyntaxTree& tree, const Environment& environment, const CompileOptions& options,
                   ExpressionFaults& faults);

// Whether a call node is that of an operator: its text is no name then.
bool is_operator(const SyntaxNode& call);

}  // namespace assay
