// The names a pack's expressions may use, and the slots behind them: every fact, and for every
// argument also `raw.<argument>`, what `given(<argument>)` reads, and `before.<argument>`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/compile/expression_compiler.h"
#include "engine/model/rule_pack.h"

namespace assay {

// What one slot below PackSlots::size stands for.
struct SlotMeaning {
  enum class Kind : std::uint8_t { value, raw, given, before, presence, label };
  Kind kind = Kind::value;
  FactId fact = 0;  // not for label
};

// Facts come first: the value of fact f is in slot f. A rule's `let` names stand from `size` on.
struct PackSlots {
  std::uint32_t fact_count = 0;
  std::uint32_t size = 0;
  std::uint32_t label = kNoSlot;
  std::vector<SlotMeaning> meanings;  // by slot
  std::vector<std::uint32_t> raw;     // by FactId; kNoSlot where there is none, as in all of these
  std::vector<std::uint32_t> given;   // arguments
  std::vector<std::uint32_t> before;  // arguments
  std::vector<std::uint32_t> presence;  // environment variables: has(env.X)
};

struct PackEnvironment {
  Environment names;
  PackSlots slots;
};

PackEnvironment declare_facts(const FactSchema& schema);

// "has(env.X)" and the like: what a person calls the slot.
std::string slot_name(const FactSchema& schema, const PackSlots& slots, std::uint32_t slot);

// Whether the fact is an environment variable of the engine (env.X): unset unless it is given.
bool is_environment_fact(const FactDeclaration& fact);

// A target as effects, fixes and examples write it: a declared fact, or one followed by a path
// into its JSON value.
struct FactPath {
  FactId fact = 0;
  std::vector<std::string> path;
  bool is_known = false;  // false: no prefix of the text is a declared fact
};
FactPath find_fact_path(const FactSchema& schema, std::string_view dotted);

}  // namespace assay
