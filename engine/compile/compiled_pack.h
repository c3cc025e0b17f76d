// A pack with its expressions compiled, its rules ordered and indexed. Immutable, safe to share
// between threads.
#pragma once

#include <memory>

#include "engine/model/rule_pack.h"
#include "engine/text/result.h"

namespace assay {

class CompiledPack;
struct CompiledPackDeleter {
  void operator()(const CompiledPack* pack) const;
};
using CompiledPackPtr = std::unique_ptr<const CompiledPack, CompiledPackDeleter>;

// Errors: those of compile_expression at their places, cyclic_derivation (derived facts that need
// each other), invalid_value (a literal that does not fit the fact it is assigned to), bad
// messages. All are reported together.
Result<CompiledPackPtr> compile_pack(RulePack pack, Diagnostics& warnings);
const RulePack& source_pack(const CompiledPack& pack);

}  // namespace assay
