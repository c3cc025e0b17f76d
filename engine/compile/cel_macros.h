// Macros: calls that bind a name or do not evaluate their argument. has(e.f), given(x),
// e.all(x, p), e.exists(x, p), e.exists_one(x, p), e.map(x, t), e.map(x, p, t), e.filter(x, p),
// their forms with two variables, transformList, transformMap, transformMapEntry, cel.bind(x, v,
// e).
#pragma once

#include <vector>

#include "engine/compile/cel_lexer.h"
#include "engine/compile/cel_syntax.h"

namespace assay {

// Turns `call` into what its macro stands for, where it is one. A fault (has() of something that
// selects no field, a variable that is no simple name) is appended.
void expand_macro(const SyntaxTree& tree, SyntaxNode& call, std::vector<SyntaxFault>& faults);

}  // namespace assay
