// Compiles one rule's expressions against the pack's names.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/compile/compiled_rule.h"
#include "engine/compile/pack_environment.h"
#include "engine/model/rule_pack.h"
#include "engine/text/result.h"

namespace assay {

// What compiling a rule needs besides the rule. `names` gets the rule's own names and loses them
// again.
struct RuleCompilation {
  const FactSchema& schema;
  const PackSlots& slots;
  Environment& names;
  Arena& constants;
  Diagnostics& faults;
};

// The rule without stage, step, inputs, derived and base_facts, which depend on the whole pack.
// Faults are appended; a rule with one is incomplete.
CompiledRule compile_rule(const Rule& rule, const RuleCompilation& context);

// Compiles an expression that stands for itself (a fact's, a step's `stop_when`): it may not read
// `before.` or `label`. Returns an empty predicate after a fault.
Predicate compile_plain(const ExpressionText& text, const Type& expected,
                        const RuleCompilation& context);

// Whether a value of type `actual` can stand where `expected` is declared; `dyn` always can (its
// value is checked when it is computed).
bool fits(const Type& expected, const Type& actual);

// The slots of `predicate` below `slots.size`, in the order in which `text` names them; those that
// are in `order` already are not repeated.
void add_reads(const Predicate& predicate, const std::string& text, const RuleCompilation& context,
               std::vector<std::uint32_t>& order);

}  // namespace assay
