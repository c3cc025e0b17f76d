// Reads one rule file as rules/FORMAT.md describes it.
#pragma once

#include <set>
#include <string>

#include "engine/model/fact_schema.h"
#include "engine/model/rule.h"
#include "engine/text/result.h"
#include "engine/text/source.h"

namespace assay {

inline constexpr std::size_t kMaxRuleBytes = 1u << 20;

// What the rest of the pack says. A null pointer: not known (it did not load), names are taken as
// they are.
struct RuleReading {
  const FactSchema* schema = nullptr;
  const std::set<std::string, std::less<>>* steps = nullptr;
  std::string id;  // what the file's path says the id is; empty: any
};

// Errors: those of read_yaml and of a strict mapping; id_differs_from_path, unknown_step,
// unknown_fact (a key of an example, a fix, an effect or the mapping shorthand), invalid_value.
// Expressions are not parsed.
Result<Rule> read_rule(const SourceSet& sources, SourceId source, const RuleReading& reading);

}  // namespace assay
