// An example without `from` holds at the rule's own step, so a fix is proven there: its assignments
// are made and the rule is judged again, alone. Where no fix serves, the whole search is asked, on
// a launch that types the example's arguments.
#include "engine/evaluate/rule_fixes.h"

#include <set>
#include <utility>

#include "engine/compile/literal.h"
#include "engine/evaluate/check_workspace.h"
#include "engine/evaluate/derivation.h"
#include "engine/evaluate/example_facts.h"
#include "engine/evaluate/launch_facts.h"
#include "engine/evaluate/repair_trial.h"

namespace assay {
namespace {

constexpr std::size_t kMaxTrials = 400;

// The example as somebody would type it.
Launch launch_of(const CompiledPack& pack, const RuleExample& example, const FactTable& loaded,
                 std::vector<GivenFact>& given) {
  Launch launch;
  launch.pack = pack.source().name;
  for (const FactValue& fact : example.facts) {
    const FactPath target = find_fact_path(pack.schema(), fact.name);
    if (!target.is_known) continue;
    const auto node = value_node(loaded.value(target.fact));
    if (!node) continue;
    if (pack.schema().facts[target.fact].is_argument) {
      std::erase_if(launch.arguments,
                    [&](const LaunchArgument& a) { return a.fact == target.fact; });
      LaunchArgument argument;
      argument.fact = target.fact;
      argument.value = *node;
      launch.arguments.push_back(std::move(argument));
    } else {
      given.push_back(
          {pack.schema().facts[target.fact].name, *node, Origin::command_line_fact, {}, {}});
    }
  }
  return launch;
}

class FixProof {
 public:
  FixProof(const CompiledPack& pack, std::uint32_t position)
      : pack_(pack), rule_(pack.rules()[position]), state_(pack) {}

  bool is_repaired_by(const CompiledFix& fix, const RuleExample& example) {
    Diagnostics ignored;
    load_example(example, state_.table, ignored);
    FactTable& table = state_.table;
    table.begin_lets(rule_);
    std::vector<AssignedValue> values;
    assigned_values(fix.assignments, table, values);
    for (const AssignedValue& assigned : values) {
      const auto& fact = pack_.schema().facts[assigned.fact];
      if (fact.is_argument)
        give_argument(table, assigned.fact, assigned.value, Origin::argument, {});
      else
        give_fact(table, assigned.fact, assigned.value, Origin::command_line_fact, {});
    }
    for (const CompiledAssignment& assignment : fix.assignments)
      if (assignment.kind == Assignment::Kind::unset && assignment.path.empty() &&
          pack_.slots().given[assignment.fact] != kNoSlot)
        table.set_slot(pack_.slots().given[assignment.fact], Value::boolean(false));
    Judgement judgement;
    judge_check(rule_, table, judgement);
    return judgement.verdict != Verdict::violated;
  }

  bool is_repaired_by_search(const RuleExample& example) {
    Diagnostics ignored;
    load_example(example, state_.table, ignored);
    std::vector<GivenFact> given;
    const Launch launch = launch_of(pack_, example, state_.table, given);
    const std::set<FactId> keep;
    RepairTrial trial(pack_, launch, given, keep);
    const TrialResult first = trial.run({}, MoveKind::all);
    if (first.errors == 0) return true;
    std::vector<std::vector<ArgumentChange>> open;
    for (const RepairMove& move : first.moves) open.push_back(move.changes);
    for (std::size_t at = 0; at < open.size() && trial.count() < kMaxTrials; ++at) {
      const TrialResult result = trial.run(open[at], MoveKind::fixes);
      if (result.errors == 0) return true;
      for (const RepairMove& move : result.moves) {
        open.push_back(open[at]);
        open.back().insert(open.back().end(), move.changes.begin(), move.changes.end());
      }
    }
    return false;
  }

 private:
  const CompiledPack& pack_;
  const CompiledRule& rule_;
  CheckWorkspace::State state_;
};

}  // namespace

void lint_fixes(const CompiledPack& pack, std::uint32_t position, Diagnostics& faults) {
  const CompiledRule& rule = pack.rules()[position];
  if (rule.is_derivation() || rule.source->severity != Severity::error) return;
  FixProof proof(pack, position);
  std::vector<bool> is_of_use(rule.fixes.size(), false);
  bool has_violating = false;
  for (const RuleExample& example : rule.source->examples) {
    if (example.kind != RuleExample::Kind::violates) continue;
    has_violating = true;
    bool is_repaired = false;
    for (std::size_t i = 0; i < rule.fixes.size(); ++i) {
      if (!proof.is_repaired_by(rule.fixes[i], example)) continue;
      is_of_use[i] = true;
      is_repaired = true;
    }
    if (is_repaired || rule.base_facts.empty() || proof.is_repaired_by_search(example)) continue;
    faults.push_back({Severity::warning,
                      code::fix_does_not_repair,
                      example.span,
                      "neither a fix nor a change of its arguments repairs this example",
                      "Write a fix that does.",
                      {}});
  }
  for (std::size_t i = 0; has_violating && i < rule.fixes.size(); ++i)
    if (!is_of_use[i])
      faults.push_back({Severity::warning,
                        code::fix_does_not_repair,
                        rule.fixes[i].source->span,
                        "this fix repairs none of the violating examples",
                        "Change it, or add the example that it is for.",
                        {}});
}

}  // namespace assay
