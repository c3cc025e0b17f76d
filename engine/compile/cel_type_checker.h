// Deduces the type of an expression and finds what would fail whatever the values are.
#pragma once

#include "engine/compile/cel_faults.h"
#include "engine/compile/cel_syntax.h"
#include "engine/compile/expression_compiler.h"

namespace assay {

// The type of the whole expression, after name resolution. Faults: type_mismatch; all of them.
Type check_types(const SyntaxTree& tree, const Environment& environment, ExpressionFaults& faults);

}  // namespace assay
