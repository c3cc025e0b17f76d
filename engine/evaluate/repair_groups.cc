// Greedy: errors that have nothing to do with each other are mended by changes that have nothing to
// do with each other, so a step for one of them is never in the way of the next. A step never
// begins a violation; so every step brings the launch nearer to a clean one, and what is reached
// when it cannot go on is the best partial repair. In the end each change is left out once: what a
// later step made superfluous goes.
#include "engine/evaluate/repair_groups.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

namespace assay {
namespace {

constexpr std::size_t kMaxSteps = 16;
constexpr std::size_t kMaxFirstMoves = 24;  // that a second move is put beside

struct Step {
  std::vector<ArgumentChange> added;
  std::vector<std::string> whys;
  bool is_fix = true;
  std::uint32_t order = 0;
  std::uint32_t intrusion = 0;
  TrialResult result;
};

auto rank(const Step& step) {
  return std::make_tuple(step.result.broken.size(), step.added.size(), !step.is_fix, step.order,
                         step.intrusion, step.result.undecided + step.result.warnings);
}

class GroupSearch {
 public:
  GroupSearch(RepairTrial& trial, std::size_t max_trials)
      : trial_(trial), limit_(trial.count() + max_trials) {}

  GroupRepair mend(const TrialResult& first) {
    GroupRepair repair;
    repair.result = first;
    for (std::size_t steps = 0; steps < kMaxSteps && repair.result.errors > 0; ++steps) {
      auto step = best_step(repair);
      if (!step) break;
      repair.changes.insert(repair.changes.end(), step->added.begin(), step->added.end());
      for (std::string& why : step->whys)
        if (std::find(repair.whys.begin(), repair.whys.end(), why) == repair.whys.end())
          repair.whys.push_back(std::move(why));
      repair.result = trial_.run(repair.changes, MoveKind::all);
    }
    leave_out_superfluous(repair);
    return repair;
  }

 private:
  bool is_over() const { return trial_.count() >= limit_; }

  // The step with the move besides; none when it contradicts what is changed already.
  std::optional<Step> with(const GroupRepair& repair, Step step, const RepairMove& move) const {
    const auto changes_it = [](const std::vector<ArgumentChange>& all, FactId fact) {
      return std::any_of(all.begin(), all.end(),
                         [&](const ArgumentChange& one) { return one.fact == fact; });
    };
    for (const ArgumentChange& change : move.changes) {
      if (changes_it(repair.changes, change.fact) || changes_it(step.added, change.fact))
        return std::nullopt;
      step.added.push_back(change);
      step.intrusion += change.is_unset ? 3 : trial_.is_typed(change.fact) ? 2 : 1;
    }
    if (move.changes.empty()) return std::nullopt;
    step.is_fix = step.is_fix && move.is_fix;
    step.order += move.order;
    if (!move.why.empty()) step.whys.push_back(move.why);
    return step;
  }

  // Runs it; better than `best`: becomes it. False: it ends nothing, or begins something.
  bool try_step(const GroupRepair& repair, Step& step, MoveKind kind, std::optional<Step>& best) {
    std::vector<ArgumentChange> all = repair.changes;
    all.insert(all.end(), step.added.begin(), step.added.end());
    step.result = trial_.run(all, kind);
    const auto& before = repair.result.broken;
    const auto& after = step.result.broken;
    const bool is_progress =
        step.result.errors < repair.result.errors &&
        std::includes(before.begin(), before.end(), after.begin(), after.end());
    if (is_progress && (!best || rank(step) < rank(*best))) best = step;
    return is_progress;
  }

  std::optional<Step> best_step(const GroupRepair& repair) {
    std::optional<Step> best;
    std::vector<Step> firsts;
    for (const RepairMove& move : repair.result.moves) {
      if (is_over()) return best;
      auto step = with(repair, {}, move);
      if (!step) continue;
      if (!try_step(repair, *step, MoveKind::none, best)) firsts.push_back(std::move(*step));
    }
    if (best) return best;
    std::stable_sort(firsts.begin(), firsts.end(),
                     [](const Step& a, const Step& b) { return rank(a) < rank(b); });
    if (firsts.size() > kMaxFirstMoves) firsts.resize(kMaxFirstMoves);
    for (Step& first : firsts) {
      if (is_over()) return best;
      std::optional<Step> ignored;
      try_step(repair, first, MoveKind::all, ignored);
      for (const RepairMove& move : first.result.moves) {
        if (is_over()) return best;
        auto step = with(repair, first, move);
        if (step) try_step(repair, *step, MoveKind::none, best);
      }
    }
    return best;
  }

  void leave_out_superfluous(GroupRepair& repair) {
    for (std::size_t at = 0; at < repair.changes.size();) {
      std::vector<ArgumentChange> fewer = repair.changes;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(at));
      TrialResult result = trial_.run(fewer, MoveKind::none);
      if (result.errors > repair.result.errors || result.broken != repair.result.broken) {
        ++at;
        continue;
      }
      repair.changes = std::move(fewer);
      repair.whys.clear();  // which of them were its reasons is not known
      repair.result = std::move(result);
    }
  }

  RepairTrial& trial_;
  const std::size_t limit_;
};

}  // namespace

GroupRepair mend_by_groups(RepairTrial& trial, const TrialResult& first, std::size_t max_trials) {
  return GroupSearch(trial, max_trials).mend(first);
}

}  // namespace assay
