// Applies a derivation to the facts: what the engine's resolution does at that step.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/evaluate/rule_checker.h"

namespace assay {

// One fact that a derivation assigned. Looks at the table's memory, until its next `reset`.
struct FactChange {
  FactId fact = 0;
  Value before;                          // unknown when it had several values
  std::span<const Value> before_values;  // the several
  bool is_change = false;                // false: it had that value already
  // What FactTable::write was given.
  std::span<const Candidate> written;
  std::span<const std::uint32_t> waits_for;
};

struct AssignedValue {
  FactId fact = 0;
  Value value;
};

// Working memory of apply_derivation, kept from one derivation to the next.
struct DerivationScratch {
  struct Target {
    FactId fact = 0;
    std::vector<Candidate> results;
  };
  std::vector<Target> targets;
  std::size_t target_count = 0;
  std::vector<AssignedValue> values;
  std::vector<std::uint32_t> waits;
};

// What applying a derivation gave. The judgement's verdict is not_applicable (it does not apply),
// satisfied (it applies) or undecided (its facts have several values now).
struct DerivationOutcome {
  Judgement judgement;
  std::vector<FactChange> changes;  // of a derivation that applies
  DerivationScratch scratch;
};

// Applies the rule at `position`. `doubt`: reasons to doubt that the engine comes here at all (a
// step before it may have ended the stage); an effect is then undecided.
void apply_derivation(std::uint32_t position, FactTable& table, const Judgement* doubt,
                      DerivationOutcome& outcome);

// The values that a rule's assignments give their facts, on the facts as they stand. A computed
// value that cannot be computed is an error or unknown.
void assigned_values(const std::vector<CompiledAssignment>& assignments, FactTable& table,
                     std::vector<AssignedValue>& values);

// Writes what the derivation wrote in `changes` once more.
void repeat_changes(std::span<const FactChange> changes, FactTable& table);
bool is_same_outcome(const DerivationOutcome& a, const DerivationOutcome& b);

// "'bf16'", "'bf16' or 'fp8_e4m3'", "unknown".
std::string fact_text(const FactTable& table, FactId fact);
std::string text_before(const FactChange& change);

}  // namespace assay
