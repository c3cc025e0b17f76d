// Proves the examples that rules and records carry.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/compile/compiled_pack.h"
#include "engine/evaluate/check_report.h"
#include "engine/model/dataset.h"
#include "engine/text/diagnostic.h"

namespace assay {

struct ExampleCounts {
  std::size_t run = 0;
  std::size_t failed = 0;
};

// Every example of every rule, as rules/FORMAT.md says. A failed one is an error example_fails at
// the example: what was expected, what came out, and the values the rule read. invalid_value: a
// value that its fact cannot have.
Diagnostics run_rule_examples(const CompiledPack& pack, ExampleCounts& counts);

// Messages that must match their record's pattern, and messages that must not: example_fails;
// bad_pattern.
Diagnostics run_record_examples(const Dataset& dataset, ExampleCounts& counts);

// What one example came to.
struct ExampleResult {
  Verdict verdict = Verdict::not_applicable;  // a derivation that applies: satisfied
  std::string message;                        // violated, or a derivation that applies
  std::string label;
  std::vector<std::string> waits_for;
  std::string evaluation_error;
  std::vector<FactUse> facts;
  std::vector<std::string> wrong_values;  // of `to`: "`page_size` is 1, not 64"
};
// `rule`: its position in pack.rules(). Faults of the example's values are appended to `faults`.
ExampleResult run_example(const CompiledPack& pack, std::uint32_t rule, const RuleExample& example,
                          Diagnostics& faults);

}  // namespace assay
