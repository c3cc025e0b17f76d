// Finds the guards of an expression (see predicate_guards.h) in its checked syntax tree.
#pragma once

#include <vector>

#include "engine/compile/cel_syntax.h"
#include "engine/compile/expression_compiler.h"

namespace assay {

// The literals look at the tree's memory.
std::vector<SlotGuard> find_guards(const SyntaxTree& tree, const Environment& environment);

}  // namespace assay
