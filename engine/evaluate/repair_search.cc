// Two searches over sets of changes, both best first and both asking the whole pipeline about every
// set (repair_trial.h). The first combines the fixes that the violated rules' authors wrote; it
// goes on while fixes uncover further violations. Only when it finds nothing, the second tries
// values of the arguments that the violated rules depend on, at most three at a time. Many errors,
// and those for which that gives nothing, are mended one after the other (repair_groups.h); what
// then is still violated makes a partial repair, which says so.
//
// Order of repairs: fewest changes; then fixes in their rules' order; then what intrudes least:
// adding a flag before changing a typed value before removing a typed one; then what leaves less
// undecided and warns less. A set that contains a repair already found is not shown.
#include "engine/evaluate/repair_search.h"

#include <algorithm>
#include <optional>
#include <queue>
#include <tuple>
#include <unordered_set>
#include <utility>

#include "engine/compile/literal.h"
#include "engine/evaluate/release_scope.h"
#include "engine/evaluate/repair_elsewhere.h"
#include "engine/evaluate/repair_flags.h"
#include "engine/evaluate/repair_groups.h"
#include "engine/evaluate/repair_trial.h"
#include "engine/evaluate/value_text.h"
#include "engine/read/launch_rewriter.h"

namespace assay {
namespace {

constexpr std::size_t kMaxChanges = 3;         // of the second search
constexpr std::size_t kMaxFixes = 6;           // fixes combined by the first
constexpr std::size_t kMaxFixTrials = 300;     // ... and how many sets of them are tried
constexpr std::size_t kMaxOpen = 50'000;       // sets waiting to be tried
constexpr std::size_t kMaxGroupTrials = 1500;  // of the third search
constexpr std::size_t kMaxLateTrials = 150;    // of the second where the third came first

struct RepairAttempt {
  std::vector<ArgumentChange> changes;
  std::vector<std::string> whys;
  std::size_t fixes = 0;
  std::uint32_t order = 0;         // sum of the moves' orders
  std::uint32_t intrusion = 0;     // sum over the changes
  std::uint32_t errors_above = 0;  // violations left before the last change
  std::uint32_t serial = 0;        // ties are broken by age, so that results do not vary
};

struct FoundRepair {
  RepairAttempt attempt;
  TrialResult result;
};

bool contains(const std::vector<ArgumentChange>& all, const std::vector<ArgumentChange>& some) {
  return std::all_of(some.begin(), some.end(), [&](const ArgumentChange& change) {
    return std::any_of(all.begin(), all.end(),
                       [&](const ArgumentChange& other) { return is_same_change(change, other); });
  });
}

// Smaller is tried earlier.
auto priority(const RepairAttempt& attempt) {
  return std::make_tuple(attempt.changes.size(), attempt.errors_above, attempt.order,
                         attempt.intrusion, attempt.serial);
}
struct IsLater {
  bool operator()(const RepairAttempt& a, const RepairAttempt& b) const {
    return priority(a) > priority(b);
  }
};
auto rank(const FoundRepair& found) {
  const RepairAttempt& attempt = found.attempt;
  const std::uint32_t doubts = found.result.undecided + found.result.warnings;
  const bool is_of_fixes = attempt.fixes > 0;
  return std::make_tuple(attempt.changes.size(), is_of_fixes ? attempt.order : 0,
                         is_of_fixes ? 0u : doubts, attempt.intrusion, attempt.order, doubts,
                         attempt.serial);
}

// Tells sets of changes apart, whatever their order.
std::string key_of(const std::vector<ArgumentChange>& changes) {
  std::vector<std::string> parts;
  for (const ArgumentChange& change : changes) {
    Arena arena;
    const auto value = literal_value(change.value, arena);
    parts.push_back(std::to_string(change.fact) +
                    (change.is_unset ? "-" : "=" + python_repr(value.value_or(Value()))));
  }
  std::sort(parts.begin(), parts.end());
  std::string key;
  for (const std::string& part : parts) key += part + '\n';
  return key;
}

class RepairSearch {
 public:
  RepairSearch(const CompiledPack& pack, const Launch& launch, std::span<const GivenFact> facts,
               const RepairOptions& options)
      : schema_(pack.schema()), options_(options), trial_(pack, launch, facts, options.keep) {}

  std::vector<FoundRepair> find() {
    first_ = trial_.run({}, MoveKind::all);
    if (first_.errors == 0) return {{{}, first_}};
    search(MoveKind::fixes, kMaxFixes * kMaxChanges, kMaxFixTrials);
    if (found_.empty()) search_further();
    std::sort(found_.begin(), found_.end(),
              [](const FoundRepair& a, const FoundRepair& b) { return rank(a) < rank(b); });
    drop_equivalent();
    if (found_.size() > options_.max_repairs) found_.resize(options_.max_repairs);
    return std::move(found_);
  }

  // The best that leaves something violated, where nothing else was found.
  const std::optional<FoundRepair>& partial() const { return partial_; }
  std::string text_before(FactId fact) { return trial_.text_before(fact); }

  std::string reason() const {
    if (!first_.unmendable.empty())
      return "`" + first_.unmendable.front() +
             "` depends on nothing that an argument changes, so no other command helps";
    if (first_.arguments.empty() && !first_.kept.empty())
      return "every argument that could mend it is to be kept: " + names(first_.kept);
    if (first_.arguments.empty())
      return first_.other_faults.empty()
                 ? "what is wrong is not the value of an argument"
                 : "no change of an argument mends this: " + first_.other_faults.front();
    std::string text =
        "after " + std::to_string(trial_.count()) + " trials no change of up to " +
        std::to_string(kMaxChanges) +
        " of these arguments leaves the launch without a violation: " + names(first_.arguments);
    if (gave_up_) text += " (there are more combinations than were tried)";
    if (!first_.kept.empty()) text += "; to be kept: " + names(first_.kept);
    return text;
  }

 private:
  std::string names(const std::vector<FactId>& facts) const {
    std::string text;
    for (const FactId fact : facts)
      text += (text.empty() ? "`" : ", `") + schema_.facts[fact].name + "`";
    return text;
  }

  // A value that is the default and no value at all do the same: the better ranked one stays.
  void drop_equivalent() {
    std::unordered_set<std::string> seen;
    std::erase_if(found_, [&](const FoundRepair& found) {
      std::vector<ArgumentChange> plain = found.attempt.changes;
      for (ArgumentChange& change : plain) {
        const auto& fallback = trial_.release().fact(change.fact).default_value;
        if (change.is_unset && fallback) change = {change.fact, false, *fallback};
      }
      return !seen.insert(key_of(plain)).second;
    });
  }

  // More errors than changes that are tried together: they are mended one after the other first.
  void search_further() {
    const bool has_many_errors = first_.errors > kMaxChanges;
    if (has_many_errors) search_groups();
    if (found_.empty())
      search(MoveKind::all, kMaxChanges,
             has_many_errors ? kMaxLateTrials : options_.max_candidates);
    if (found_.empty() && !has_many_errors) search_groups();
  }

  void search_groups() {
    if (is_cancelled(options_.cancellation)) return;
    GroupRepair repair = mend_by_groups(trial_, first_, kMaxGroupTrials);
    if (repair.changes.empty()) return;
    FoundRepair found{{}, std::move(repair.result)};
    found.attempt.changes = std::move(repair.changes);
    found.attempt.whys = std::move(repair.whys);
    if (found.result.errors == 0)
      found_.push_back(std::move(found));
    else
      partial_ = std::move(found);
  }

  void search(MoveKind kind, std::size_t max_changes, std::size_t max_trials) {
    std::priority_queue<RepairAttempt, std::vector<RepairAttempt>, IsLater> open;
    std::unordered_set<std::string> seen;
    const std::size_t limit = trial_.count() + max_trials;
    open.push({});
    while (!open.empty()) {
      const RepairAttempt attempt = open.top();
      open.pop();
      // Enough is found, or what is left is longer than what is found by values.
      if (found_.size() >= options_.max_repairs * 2) return;
      if (kind == MoveKind::all && !found_.empty() &&
          attempt.changes.size() > found_.front().attempt.changes.size())
        return;
      if (trial_.count() >= limit || is_cancelled(options_.cancellation)) {
        gave_up_ = true;
        return;
      }
      if (std::any_of(found_.begin(), found_.end(), [&](const FoundRepair& found) {
            return contains(attempt.changes, found.attempt.changes);
          }))
        continue;
      const bool is_leaf = attempt.changes.size() >= max_changes;
      TrialResult result = trial_.run(attempt.changes, is_leaf ? MoveKind::none : kind);
      if (result.errors == 0) {
        found_.push_back({attempt, std::move(result)});
        continue;
      }
      if (!is_leaf) expand(attempt, result, max_changes, seen, open);
    }
  }

  template <class Queue>
  void expand(const RepairAttempt& attempt, const TrialResult& result, std::size_t max_changes,
              std::unordered_set<std::string>& seen, Queue& open) {
    for (const RepairMove& move : result.moves) {
      RepairAttempt next = attempt;
      if (open.size() >= kMaxOpen) return;
      if (!add_move(move, next) || next.changes.size() > max_changes) continue;
      if (!seen.insert(key_of(next.changes)).second) continue;
      next.errors_above = result.errors;
      next.serial = ++serial_;
      open.push(std::move(next));
    }
  }

  // False: the move changes nothing, or contradicts what is changed already.
  bool add_move(const RepairMove& move, RepairAttempt& attempt) const {
    bool is_new = false;
    for (const ArgumentChange& change : move.changes) {
      const auto known =
          std::find_if(attempt.changes.begin(), attempt.changes.end(),
                       [&](const ArgumentChange& other) { return other.fact == change.fact; });
      if (known != attempt.changes.end()) {
        if (!is_same_change(*known, change)) return false;
        continue;
      }
      is_new = true;
      attempt.changes.push_back(change);
      const bool is_typed = trial_.is_typed(change.fact);
      attempt.intrusion += change.is_unset ? 3 : is_typed ? 2 : 1;
    }
    attempt.order += move.order;
    if (move.is_fix) {
      ++attempt.fixes;
      if (!move.why.empty() &&
          std::find(attempt.whys.begin(), attempt.whys.end(), move.why) == attempt.whys.end())
        attempt.whys.push_back(move.why);
    }
    return is_new && attempt.fixes <= kMaxFixes;
  }

  const FactSchema& schema_;
  const RepairOptions& options_;
  RepairTrial trial_;
  TrialResult first_;
  std::vector<FoundRepair> found_;
  std::optional<FoundRepair> partial_;
  std::uint32_t serial_ = 0;
  bool gave_up_ = false;
};

// How the launch spells the flag of an argument; empty where it does not give it.
std::string typed_spelling(const SourceSet& sources, const Launch& launch, FactId fact) {
  std::string typed;
  for (const LaunchArgument& argument : launch.arguments)
    if (argument.fact == fact && argument.flag_span.source == launch.span.source)
      typed = typed_flag(sources, argument);
  return typed;
}

// A launch as it was read, with the text that it stands in.
struct WrittenLaunch {
  const SourceSet& sources;
  const Launch& launch;
};

// `mended` is the launch that the search began with, `written` the one that the user wrote.
Repair make_repair(const FoundRepair& found, const RulePack& pack, const WrittenLaunch& mended,
                   const WrittenLaunch& written, RepairSearch& search) {
  const SourceSet& sources = mended.sources;
  const Launch& launch = mended.launch;
  Repair repair;
  const PackRelease release(pack, launch.release);
  std::vector<LaunchEdit> edits;
  bool is_elsewhere = false;
  for (const ArgumentChange& change : found.attempt.changes) {
    const LaunchEdit edit{change.fact, change.is_unset, change.value};
    const auto elsewhere = change_elsewhere(written.sources, pack, written.launch, change);
    const std::string typed = typed_spelling(sources, launch, change.fact);
    RepairChange shown;
    shown.fact = change.fact;
    shown.name = pack.schema.facts[change.fact].name;
    shown.is_unset = change.is_unset;
    shown.value = change.value;
    shown.before = search.text_before(change.fact);
    shown.flag = elsewhere ? *elsewhere : describe_edit(release, edit, typed);
    repair.changes.push_back(std::move(shown));
    is_elsewhere |= elsewhere.has_value();
    if (!elsewhere || !typed.empty()) edits.push_back(edit);
  }
  for (const std::string& why : found.attempt.whys)
    repair.why += (repair.why.empty() ? "" : " ") + why;
  const bool is_whole = found.result.errors == 0;
  if (repair.why.empty() && !edits.empty() && is_whole)
    repair.why = "Found by trying values: nothing is violated then.";
  if (is_elsewhere) {
    repair.why += (repair.why.empty() ? "" : " ") +
                  std::string(
                      "The config file has to be changed: no flag of the command takes "
                      "back what it gives.");
    repair.is_in_place = false;
    if (!edits.empty()) repair.command = rewrite_launch(sources, pack, launch, edits);
    return repair;
  }
  const auto in_place = rewrite_in_place(sources, pack, launch, edits);
  repair.is_in_place = in_place.has_value();
  repair.command = in_place ? *in_place : rewrite_launch(sources, pack, launch, edits);
  if (in_place) repair.lines = whole_lines(sources, launch, *in_place);
  return repair;
}

// What is violated still: rules by their ids, and the launch's own faults.
std::vector<std::string> names_of(const TrialResult& result, const CompiledPack& pack) {
  std::vector<std::string> names;
  for (const std::uint32_t broken : result.broken)
    if (broken < pack.rules().size()) names.push_back(pack.rules()[broken].source->id);
  if (names.size() < result.errors) names.emplace_back("what the engine's parser refuses");
  return names;
}

// A fault in a config file that the launch names.
const LaunchFault* fault_of_another_file(const Launch& launch) {
  const auto found =
      std::find_if(launch.faults.begin(), launch.faults.end(), [&](const LaunchFault& fault) {
        const bool is_of_name = fault.diagnostic.code == code::unknown_key ||
                                fault.diagnostic.code == code::unknown_flag;
        return fault.diagnostic.severity == Severity::error && is_of_name &&
               fault.diagnostic.span.is_known() &&
               fault.diagnostic.span.source != launch.span.source;
      });
  return found == launch.faults.end() ? nullptr : &*found;
}

std::string reason_of_another_file(const SourceSet& sources, const LaunchFault& fault) {
  const Source& source = sources.get(fault.diagnostic.span.source);
  const auto line = source.position(fault.diagnostic.span.begin).line;
  return fault.diagnostic.message + " (" + source.name() + ":" + std::to_string(line) +
         "): that file is only named by the launch, so mend it there first";
}

}  // namespace

void find_repairs(const CompiledPack& pack, const SourceSet& sources, const Launch& launch,
                  std::span<const GivenFact> facts, CheckReport& report,
                  const RepairOptions& options) {
  report.repairs.clear();
  report.no_repair_reason.clear();
  report.partial_repair.reset();
  if (!report.has_violations()) return;
  auto mended = mend_flags(pack.source(), sources, launch);
  if (mended) allow_unknown_names(pack.source(), facts, mended->launch);
  const Launch& start = mended ? mended->launch : launch;
  const SourceSet& texts = mended ? mended->sources : sources;
  RepairSearch search(pack, start, facts, options);
  const auto repair_of = [&](const FoundRepair& found) {
    Repair repair = make_repair(found, pack.source(), {texts, start}, {sources, launch}, search);
    if (!mended) return repair;
    repair.changes.insert(repair.changes.begin(), mended->changes.begin(), mended->changes.end());
    if (repair.why.empty()) repair.why = "The engine's parser takes the command as it then is.";
    return repair;
  };
  for (const FoundRepair& found : search.find()) report.repairs.push_back(repair_of(found));
  if (!report.repairs.empty()) return;
  if (search.partial()) {
    report.partial_repair = repair_of(*search.partial());
    report.partial_repair->leaves = names_of(search.partial()->result, pack);
  }
  const LaunchFault* elsewhere = fault_of_another_file(launch);
  report.no_repair_reason =
      elsewhere == nullptr ? search.reason() : reason_of_another_file(sources, *elsewhere);
}

}  // namespace assay
