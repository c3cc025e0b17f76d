// The pipeline is walked without writing a report. Where a check is violated, the moves are made on
// the spot, while the facts stand as the rule saw them: a fix may compute its value from them.
// Which arguments a violated rule depends on is found by going from the facts it read through
// derived facts to the arguments behind them, and from an argument that a derivation wrote to what
// that derivation read.
#include "engine/evaluate/repair_trial.h"

#include <algorithm>
#include <utility>

#include "engine/compile/literal.h"
#include "engine/evaluate/launch_facts.h"
#include "engine/evaluate/meant_value.h"
#include "engine/evaluate/pipeline.h"
#include "engine/evaluate/repair_values.h"
#include "engine/evaluate/unseen_arguments.h"
#include "engine/text/diagnostic_rendering.h"

namespace assay {
namespace {

constexpr int kMaxWriterDepth = 3;
constexpr std::uint32_t kFaultBit = 0x80000000u;  // a broken thing that is no rule: of this fact

bool is_same_node(const Node& a, const Node& b) {
  Arena arena;
  const auto left = literal_value(a, arena);
  const auto right = literal_value(b, arena);
  return left && right && is_same_value(*left, *right);
}

class TrialVisit {
 public:
  TrialVisit(FactTable& table, const Launch& launch, const std::set<FactId>& keep, MoveKind kind,
             TrialResult& result)
      : table_(table),
        launch_(launch),
        unseen_(launch),
        keep_(keep),
        kind_(kind),
        result_(result) {}

  void enter(std::uint32_t /*position*/) {}
  void skip(std::uint32_t /*begin*/, std::uint32_t /*end*/) {}

  void leave(std::uint32_t position, const DerivationOutcome& outcome) {
    const CompiledRule& rule = table_.pack().rules()[position];
    const bool is_error = rule.source->severity == Severity::error;
    Verdict verdict = outcome.judgement.verdict;
    std::vector<std::uint32_t> waits_for;
    if (verdict == Verdict::violated && unseen_.may_mend(rule, table_, waits_for))
      verdict = Verdict::undecided;
    if (verdict == Verdict::undecided && is_error) ++result_.undecided;
    const bool fires = rule.is_derivation() && verdict == Verdict::satisfied &&
                       std::any_of(outcome.changes.begin(), outcome.changes.end(),
                                   [](const FactChange& change) { return change.is_change; });
    if (rule.source->severity == Severity::warning && (verdict == Verdict::violated || fires))
      ++result_.warnings;
    if (verdict != Verdict::violated || !is_error) return;
    ++result_.errors;
    result_.broken.push_back(position);
    if (kind_ != MoveKind::none) add_fixes(rule);
    if (kind_ == MoveKind::all) add_values(rule);
  }

 private:
  bool may_change(FactId fact) const {
    return table_.pack().schema().facts[fact].is_argument && !keep_.contains(fact);
  }

  bool is_typed(FactId fact) const {
    return std::any_of(launch_.arguments.begin(), launch_.arguments.end(),
                       [&](const LaunchArgument& argument) { return argument.fact == fact; });
  }

  void add_fixes(const CompiledRule& rule) {
    std::uint32_t order = 0;
    for (const CompiledFix& fix : rule.fixes) {
      RepairMove move;
      move.why = fix.source->why;
      move.is_fix = true;
      move.order = order++;
      if (add_fix_changes(rule, fix, move) && !move.changes.empty())
        result_.moves.push_back(std::move(move));
    }
  }

  // False: the fix cannot be made here.
  bool add_fix_changes(const CompiledRule& rule, const CompiledFix& fix, RepairMove& move) {
    table_.begin_lets(rule);
    std::vector<AssignedValue> values;
    assigned_values(fix.assignments, table_, values);
    for (const AssignedValue& assigned : values) {
      if (!may_change(assigned.fact)) return false;
      const bool is_unset = std::all_of(
          fix.assignments.begin(), fix.assignments.end(), [&](const CompiledAssignment& a) {
            return a.fact != assigned.fact || (a.kind == Assignment::Kind::unset && a.path.empty());
          });
      if (is_unset) {
        if (launch_.stage == LaunchStage::resolved) return false;
        if (is_typed(assigned.fact)) move.changes.push_back({assigned.fact, true, {}});
        continue;
      }
      auto node = value_node(assigned.value);
      if (!node) return false;
      move.changes.push_back({assigned.fact, false, std::move(*node)});
    }
    return true;
  }

  void add_values(const CompiledRule& rule) {
    std::vector<FactId> facts;
    for (const std::uint32_t slot : rule.inputs) add_argument(slot, 0, facts);
    if (facts.empty()) result_.unmendable.push_back(rule.source->id);
    for (const FactId fact : facts) {
      auto& list = keep_.contains(fact) ? result_.kept : result_.arguments;
      if (std::find(list.begin(), list.end(), fact) == list.end()) list.push_back(fact);
      if (!may_change(fact)) continue;
      std::uint32_t order = 0;
      for (ValueToTry& attempt : values_to_try(rule, fact, table_)) {
        order = std::max(order, attempt.order);
        result_.moves.push_back(
            {{{fact, false, std::move(attempt.value)}}, {}, false, attempt.order});
      }
      if (is_typed(fact) && launch_.stage == LaunchStage::raw)
        result_.moves.push_back({{{fact, true, {}}}, {}, false, order});
    }
  }

  // Notes the argument behind a slot, and those behind the derivation that wrote it.
  void add_argument(std::uint32_t slot, int depth, std::vector<FactId>& facts) {
    const FactId fact = table_.pack().slots().meanings[slot].fact;
    if (!table_.pack().schema().facts[fact].is_argument) return;
    if (std::find(facts.begin(), facts.end(), fact) != facts.end()) return;
    facts.push_back(fact);
    const std::uint32_t writer = table_.writer(fact);
    if (writer == kUnplaced || depth == kMaxWriterDepth) return;
    for (const std::uint32_t input : table_.pack().rules()[writer].inputs)
      add_argument(input, depth + 1, facts);
  }

  FactTable& table_;
  const Launch& launch_;
  const UnseenArguments unseen_;
  const std::set<FactId>& keep_;
  const MoveKind kind_;
  TrialResult& result_;
};

bool refuses(const LaunchFault& fault) { return fault.diagnostic.severity == Severity::error; }

// In place of a value that the engine's parser refuses: what it was most likely meant for
// (meant_values), else each choice; taken out where the argument's values are of another kind.
// Sizes that are no numbers stay, with the reason: the default is another launch than was wanted.
void add_fault_moves(const PackRelease& release, const Launch& launch, const LaunchFault& fault,
                     const std::set<FactId>& keep, TrialResult& result) {
  const FactId fact = fact_of_fault(release.pack().schema, launch, fault);
  if (fact == kNoSlot) {
    result.other_faults.push_back(fault.diagnostic.message);
    return;
  }
  if (keep.contains(fact)) {
    result.kept.push_back(fact);
    return;
  }
  const FactDeclaration& declaration = release.fact(fact);
  const auto typed = std::find_if(launch.arguments.rbegin(), launch.arguments.rend(),
                                  [&](const LaunchArgument& a) { return a.fact == fact; });
  const bool is_typed = typed != launch.arguments.rend();
  const std::vector<MeantValue> meant =
      is_typed ? meant_values(declaration, *typed) : std::vector<MeantValue>();
  if (meant.empty() && is_typed && is_number(declaration) && declaration.choices.empty()) {
    result.other_faults.push_back(fault.diagnostic.message);
    return;
  }
  result.arguments.push_back(fact);
  if (!is_typed) return;
  for (const MeantValue& value : meant)
    result.moves.push_back({{{fact, value.is_unset, value.value}}, {}, true, 0});
  if (!meant.empty()) return;
  std::uint32_t order = 0;
  for (const Node& choice : declaration.choices)
    result.moves.push_back({{{fact, false, choice}}, {}, false, order++});
  result.moves.push_back({{{fact, true, {}}}, {}, false, order});
}

}  // namespace

FactId fact_of_fault(const FactSchema& schema, const Launch& launch, const LaunchFault& fault) {
  const auto flag = schema.by_flag.find(fault.flag);
  if (flag != schema.by_flag.end()) return flag->second;
  const auto name = schema.by_name.find(fault.flag);
  if (name != schema.by_name.end()) return name->second;
  // A key that is a prefix of the argument's flag.
  const auto argument = std::ranges::find(launch.arguments, fault.flag, &LaunchArgument::spelling);
  return argument == launch.arguments.end() || fault.flag.empty() ? kNoSlot : argument->fact;
}

bool is_same_change(const ArgumentChange& a, const ArgumentChange& b) {
  return a.fact == b.fact && a.is_unset == b.is_unset &&
         (a.is_unset || is_same_node(a.value, b.value));
}

RepairTrial::RepairTrial(const CompiledPack& pack, const Launch& launch,
                         std::span<const GivenFact> facts, const std::set<FactId>& keep)
    : pack_(pack),
      release_(pack.source(), release_of(launch, facts)),
      launch_(launch),
      facts_(facts),
      keep_(keep),
      workspace_(pack) {
  for (const LaunchArgument& argument : launch.arguments) typed_.insert(argument.fact);
}

TrialResult RepairTrial::run(const std::vector<ArgumentChange>& changes, MoveKind kind) {
  ++count_;
  TrialResult result;
  const Launch launch = change_launch(pack_.schema(), launch_, changes);
  for (const LaunchFault& fault : launch.faults) {
    if (!refuses(fault)) continue;
    ++result.errors;
    result.broken.push_back(kFaultBit | fact_of_fault(pack_.schema(), launch_, fault));
    if (kind != MoveKind::none) add_fault_moves(release_, launch, fault, keep_, result);
  }
  CheckWorkspace::State& state = workspace_.state();
  load_launch(launch, facts_, state.table);
  std::vector<bool> is_enabled;
  WakeSet* wake = prepare_walk(state, launch.stage, {}, is_enabled);
  Pipeline(state.table, is_enabled, wake, state.outcome, {StopRule::as_written, Detail::verdict})
      .run(TrialVisit(state.table, launch, keep_, kind, result));
  std::sort(result.broken.begin(), result.broken.end());
  std::erase_if(result.moves, [&](const RepairMove& move) { return !can_be_made(move); });
  return result;
}

bool RepairTrial::can_be_made(const RepairMove& move) const {
  return std::all_of(move.changes.begin(), move.changes.end(), [&](const ArgumentChange& change) {
    return change.is_unset || (release_.has(change.fact) &&
                               release_.absence_of_choice(change.fact, change.value.text).empty());
  });
}

std::string RepairTrial::text_before(FactId fact) {
  load_launch(launch_, facts_, workspace_.state().table);
  return fact_text(workspace_.state().table, fact);
}

Launch change_launch(const FactSchema& schema, const Launch& launch,
                     const std::vector<ArgumentChange>& changes) {
  const auto is_changed = [&](FactId fact) {
    return std::any_of(changes.begin(), changes.end(),
                       [&](const ArgumentChange& change) { return change.fact == fact; });
  };
  Launch changed = launch;
  std::erase_if(changed.arguments,
                [&](const LaunchArgument& argument) { return is_changed(argument.fact); });
  std::erase_if(changed.faults, [&](const LaunchFault& fault) {
    const FactId fact = fact_of_fault(schema, launch, fault);
    return fact != kNoSlot && is_changed(fact);
  });
  for (const ArgumentChange& change : changes) {
    if (change.is_unset) continue;
    LaunchArgument argument;
    argument.fact = change.fact;
    argument.value = change.value;
    changed.arguments.push_back(std::move(argument));
  }
  return changed;
}

}  // namespace assay
