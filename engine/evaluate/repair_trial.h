// Tries a set of changes: runs the whole pipeline on the changed launch and says what is still
// violated, and which changes may mend that.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "engine/evaluate/check_workspace.h"
#include "engine/model/given_fact.h"
#include "engine/model/launch.h"
#include "engine/read/pack_release.h"

namespace assay {

// One argument set to a value, or back to its default.
struct ArgumentChange {
  FactId fact = 0;
  bool is_unset = false;
  Node value;
};
// The argument that a fault of the launch is about, or kNoSlot.
FactId fact_of_fault(const FactSchema& schema, const Launch& launch, const LaunchFault& fault);
bool is_same_change(const ArgumentChange& a, const ArgumentChange& b);

// Changes that belong together: a rule's fix, or one value to try.
struct RepairMove {
  std::vector<ArgumentChange> changes;
  std::string why;  // a fix's reason
  bool is_fix = false;
  std::uint32_t order = 0;  // among the moves of the rule: fixes in the order of its file
};

struct TrialResult {
  std::uint32_t errors = 0;               // violated rules and faults that refuse the launch
  std::vector<std::uint32_t> broken;      // sorted: which these are, rules by position
  std::uint32_t warnings = 0;             // fired
  std::uint32_t undecided = 0;            // rules of severity error
  std::vector<RepairMove> moves;          // if asked for: what may mend the errors
  std::vector<FactId> arguments;          // if asked for: those the violated rules depend on
  std::vector<FactId> kept;               // ... and among them those that must not change
  std::vector<std::string> unmendable;    // ... violated rules that depend on no argument
  std::vector<std::string> other_faults;  // ... faults of the launch that no argument's value mends
};

enum class MoveKind : std::uint8_t { none, fixes, all };

class RepairTrial {
 public:
  RepairTrial(const CompiledPack& pack, const Launch& launch, std::span<const GivenFact> facts,
              const std::set<FactId>& keep);

  TrialResult run(const std::vector<ArgumentChange>& changes, MoveKind kind);
  // What the argument is worth in the unchanged launch, as repr prints it.
  std::string text_before(FactId fact);
  bool is_typed(FactId fact) const { return typed_.contains(fact); }
  std::size_t count() const { return count_; }
  const PackRelease& release() const { return release_; }

 private:
  // Does the engine's release have what the move sets?
  bool can_be_made(const RepairMove& move) const;

  const CompiledPack& pack_;
  const PackRelease release_;
  const Launch& launch_;
  std::span<const GivenFact> facts_;
  const std::set<FactId>& keep_;
  CheckWorkspace workspace_;
  std::set<FactId> typed_;
  std::size_t count_ = 0;
};

// The launch with the changes made; faults of changed arguments are gone.
Launch change_launch(const FactSchema& schema, const Launch& launch,
                     const std::vector<ArgumentChange>& changes);

}  // namespace assay
