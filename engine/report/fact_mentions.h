// Which declared facts an expression or a text names.
#pragma once

#include <string_view>
#include <vector>

#include "engine/model/rule.h"
#include "engine/model/rule_pack.h"

namespace assay {

// Adds the facts that a CEL expression reads, `raw.x` and `given(x)` as `x`; what is in string
// literals does not count.
void add_expression_facts(std::string_view expression, const FactSchema& schema,
                          std::vector<FactId>& facts);

// The facts that a rule names in its conditions, effects, message and fixes; sorted, each once.
std::vector<FactId> facts_of_rule(const Rule& rule, const FactSchema& schema);

// Adds the arguments that prose or a command names: by a flag (`--tp-size`, `--tp-size=8`), or by a
// name with an underscore in it, since "host" and "port" are words as well.
void add_text_arguments(std::string_view text, const FactSchema& schema,
                        std::vector<FactId>& facts);

void sort_and_unite(std::vector<FactId>& facts);

}  // namespace assay
