// One rule with its expressions compiled and everything it reads listed. Plain data, immutable
// after compile_pack.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/version.h"
#include "engine/compile/message_template.h"
#include "engine/compile/predicate.h"
#include "engine/model/rule.h"

namespace assay {

inline constexpr std::uint32_t kUnplaced = 0xffffffffu;

struct CompiledLet {
  std::uint32_t slot = 0;
  Predicate predicate;
};

struct CompiledCase {
  const RuleCase* source = nullptr;
  Predicate when;
};

struct CompiledAssignment {
  const Assignment* source = nullptr;
  Assignment::Kind kind = Assignment::Kind::set;
  FactId fact = 0;
  std::vector<std::string> path;  // into the fact's JSON value; empty: the whole value
  Value literal;                  // set; unset without a path: the fact's default
  Predicate computed;             // compute
};

struct CompiledFix {
  const Fix* source = nullptr;
  std::vector<CompiledAssignment> assignments;
};

struct CompiledRule {
  const Rule* source = nullptr;
  std::uint32_t position = kUnplaced;  // in CompiledPack::rules()
  std::uint32_t stage = kUnplaced;     // index into RulePack::stages
  std::uint32_t step = 0;              // ... and of the step in it
  VersionRange versions;
  std::vector<CompiledLet> lets;
  std::optional<Predicate> when;
  std::optional<Predicate> require;
  std::vector<CompiledCase> cases;
  std::vector<CompiledAssignment> effect;
  MessageTemplate message;
  std::vector<CompiledFix> fixes;

  // Slots of facts and their companions that the rule reads itself, in the order of its text.
  std::vector<std::uint32_t> reads;
  // The same to judge it (not for its message), with the slots behind derived facts; sorted. No
  // derived facts in it.
  std::vector<std::uint32_t> inputs;
  // Derived facts it needs, for verdict and message, each after those it is computed from.
  std::vector<FactId> derived;
  // Facts behind all of that whose values may differ from one run of the rule to another.
  std::vector<FactId> base_facts;
  std::unique_ptr<Arena> memory;  // what literals look at that the pack does not hold

  bool is_derivation() const { return source->is_derivation(); }
  bool is_placed() const { return stage != kUnplaced; }
};

}  // namespace assay
