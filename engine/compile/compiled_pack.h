// A pack with its expressions compiled, its rules ordered and indexed. Immutable, safe to share
// between threads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/base/grouped_list.h"
#include "engine/base/lazy_list.h"
#include "engine/base/name_index.h"
#include "engine/compile/compiled_rule.h"
#include "engine/compile/pack_environment.h"
#include "engine/compile/rule_index.h"
#include "engine/model/rule_pack.h"
#include "engine/text/result.h"

namespace assay {

struct BundleReading;
class BundleReader;
class CompiledPack;
struct CompiledPackDeleter {
  void operator()(const CompiledPack* pack) const;
};
using CompiledPackPtr = std::unique_ptr<const CompiledPack, CompiledPackDeleter>;

// Errors: those of compile_expression at their places, cyclic_derivation (derived facts that need
// each other), invalid_value (a literal that does not fit the fact it is assigned to, a range of
// versions that is none, a `let` name that is taken), unknown_fact, bad messages. All are reported
// together.
Result<CompiledPackPtr> compile_pack(RulePack pack, Diagnostics& warnings);
const RulePack& source_pack(const CompiledPack& pack);

// A fact that is computed when it is read.
struct DerivedFact {
  FactId fact = kNoSlot;
  Predicate expression;
  std::vector<std::uint32_t> reads;   // slots its expression reads, in the order of its text
  std::vector<std::uint32_t> inputs;  // all slots behind it that are not derived facts; sorted
  std::vector<FactId> needs;      // derived facts it needs, itself last, each after what it needs
  std::unique_ptr<Arena> memory;  // what literals look at that the expression does not hold
};

// The steps of a stage up to one that may end it, or to its last one: the rules in them are
// rules()[first_rule] up to but without rules()[end_rule]. `stop_when` is asked after them.
struct CompiledStretch {
  std::uint32_t first_rule = 0;
  std::uint32_t end_rule = 0;
  std::optional<Predicate> stop_when;
  bool assume_not_when_unresolved = false;
  std::vector<FactId> base_facts;  // behind stop_when
};
struct CompiledStage {
  std::vector<CompiledStretch> stretches;
  std::uint32_t end_rule = 0;
};

class CompiledPack {
 public:
  const RulePack& source() const { return source_; }
  const FactSchema& schema() const { return source_.schema; }
  const PackSlots& slots() const { return slots_; }
  // Slots of the base environment and of the rule with the most `let` names.
  std::uint32_t slot_count() const { return slot_count_; }

  // In the engine's order: stage, step, place, id; unplaced ones at the end, by id.
  const LazyList<CompiledRule>& rules() const { return rules_; }
  std::span<const CompiledStage> stages() const { return stages_; }
  std::uint32_t first_unplaced() const { return first_unplaced_; }
  // Position of a rule in rules(), or kUnplaced when the pack has no such rule.
  std::uint32_t find_rule(std::string_view id) const;

  bool is_derived(FactId fact) const { return derived_of_fact_[fact] != kUnplaced; }
  const DerivedFact* derived(FactId fact) const {
    return derived_of_fact_[fact] == kUnplaced ? nullptr : &derived_[derived_of_fact_[fact]];
  }
  // Derived facts whose value may change with `slot`, each after what it needs.
  std::span<const FactId> dependents(std::uint32_t slot) const { return dependents_[slot]; }

  // The values of all slots of a launch that says nothing; derived facts are null.
  std::span<const Value> initial_values() const { return initial_values_; }
  // What is in the slot when nobody said: unknown, naming the slot itself.
  Value unknown_slot(std::uint32_t slot) const {
    return Value::unknown(std::span(&slot_numbers_[slot], 1));
  }
  FactId version_fact() const { return version_fact_; }  // version.engine, or kNoSlot
  // Whether the rule is one of the engine's default version.
  bool is_of_default_version(std::uint32_t rule) const { return is_of_default_version_[rule]; }
  const RuleIndex& index() const { return index_; }

  // Of a pack from a bundle that holds it: what WakeSet wrote of its first walk.
  std::unique_ptr<BundleReader> stored_walk() const;
  bool has_stored_walk() const { return reading_ != nullptr; }

 private:
  friend class PackCompiler;
  friend class PackBundle;  // compile/pack_bundle.h
  CompiledPack() = default;

  RulePack source_;
  PackSlots slots_;
  Arena constants_;
  std::uint32_t slot_count_ = 0;
  LazyList<CompiledRule> rules_;
  std::vector<CompiledStage> stages_;
  std::uint32_t first_unplaced_ = 0;
  NameIndex<std::uint32_t> by_id_;
  LazyList<DerivedFact> derived_;
  std::vector<std::uint32_t> derived_of_fact_;
  GroupedList<FactId> dependents_;
  std::vector<Value> initial_values_;
  std::vector<std::uint32_t> slot_numbers_;
  FactId version_fact_ = kNoSlot;
  std::vector<bool> is_of_default_version_;
  RuleIndex index_;
  // Where the rest of a pack from a bundle is read from.
  std::unique_ptr<const BundleReading> reading_;
  std::unique_ptr<Arena> constants_owned_;
  std::uint32_t number_in_bundle_ = 0;
};

}  // namespace assay
