// Checks one launch against a pack: walks the engine's pipeline once, applying derivations and
// judging checks.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "engine/compile/compiled_pack.h"
#include "engine/evaluate/check_report.h"
#include "engine/model/given_fact.h"
#include "engine/text/source.h"

namespace assay {

struct CheckOptions {
  bool use_index = true;  // false: every rule is evaluated (the cross-check in the tests)
};

// What checks of one pack reuse: the facts' memory, and the index's walk for a launch that says
// nothing. Making one costs a check of every rule, so it pays from the second launch on; a check
// without one evaluates every rule. For one thread at a time; the pack must outlive it.
class CheckWorkspace {
 public:
  explicit CheckWorkspace(const CompiledPack& pack);
  CheckWorkspace(CheckWorkspace&&) noexcept;
  CheckWorkspace& operator=(CheckWorkspace&&) noexcept;
  ~CheckWorkspace();

  struct State;
  State& state() { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

// The verdicts alone, for a caller that only wants to know whether and where the launch is refused:
// writing a finding down costs more than finding it. `verdicts` is cleared first; a warm workspace
// and a reused `verdicts` allocate nothing for a launch that breaks nothing.
void judge_launch(const CompiledPack& pack, const Launch& launch, std::span<const GivenFact> facts,
                  CheckWorkspace& workspace, LaunchVerdicts& verdicts);

// No repairs yet; see repair_search.h. The report points into `pack` and `launch`.
//
// A derivation of severity note that changed a value is an adjustment; one of severity warning is a
// finding. `undecided` has the checks that could not be decided and the derivations of severity
// warning. A derivation that applies counts as satisfied. An argument that a resolved launch does
// not mention is unknown.
CheckReport check_launch(const CompiledPack& pack, const Launch& launch,
                         std::span<const GivenFact> facts, const CheckOptions& options = {},
                         CheckWorkspace* workspace = nullptr);

}  // namespace assay
