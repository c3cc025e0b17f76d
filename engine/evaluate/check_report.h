// What checking one launch found. Plain data: report/ shows it, repair_* adds the repairs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/shared_list.h"
#include "engine/model/given_fact.h"
#include "engine/model/launch.h"
#include "engine/model/rule.h"

namespace assay {

enum class Verdict : std::uint8_t { not_applicable, satisfied, violated, undecided };
std::string_view to_string(Verdict verdict);  // "not applicable", ...

// Whether the engine would stop at a rule or a fault: at it, or there at the latest because a rule
// before it is undecided.
enum class StopsHere : std::uint8_t { no, yes, at_the_latest };

// How many rules a check went through; the rest of the checked ones are findings or undecided.
struct RuleCounts {
  std::uint32_t checked = 0;  // rules of this version
  std::uint32_t satisfied = 0;
  std::uint32_t not_applicable = 0;
};

// What the rules say about a launch, without the words (launch_checker.h, judge_launch).
struct RuleVerdict {
  const Rule* rule = nullptr;          // null: `fault`
  const LaunchFault* fault = nullptr;  // owned by the launch
  StopsHere stops = StopsHere::no;
};
struct LaunchVerdicts {
  std::vector<RuleVerdict> violated;   // violated checks and fired warnings, in the engine's order
  std::vector<const Rule*> undecided;  // in the engine's order
  RuleCounts counts;
  bool is_refused = false;  // something of severity error is violated

  void clear() {
    violated.clear();
    undecided.clear();
    counts = {};
    is_refused = false;
  }
};

// A fact as a finding read it.
struct FactUse {
  std::string name;
  std::string value;  // as Python's repr prints it; "unknown"
  Origin origin = Origin::unknown;
  Span span;                            // where it was written, if it was
  const Rule* rule = nullptr;           // origin rule: the derivation that wrote it
  std::string before;                   // origin rule: the value it replaced
  std::vector<std::string> candidates;  // more than one possible value: all of them, repr
};

struct Finding {
  const Rule* rule = nullptr;          // null: a fault of the argument parser, see `fault`
  const LaunchFault* fault = nullptr;  // owned by the launch
  Verdict verdict = Verdict::violated;
  Severity severity = Severity::error;
  std::string message;                 // as the engine words it, filled in
  std::string label;                   // of the case that is true
  std::vector<FactUse> facts;          // what it read, in order of first use
  std::vector<std::string> waits_for;  // undecided: the unknown facts
  std::string evaluation_error;        // undecided because of an error
  // Undecided: violated unless an argument that the launch does not show mends it. `message` says
  // how, with the values that would be in force.
  bool is_violated_as_seen = false;
  bool stops_here = false;                // the engine would stop at this one
  bool stops_here_at_the_latest = false;  // ... or at an undecided rule before it
  Span span;  // the place in the input to point at: the first fact it read that was written
};

// A derivation that changed a value.
struct Adjustment {
  const Rule* rule = nullptr;
  std::string fact;
  std::string before;   // repr
  std::string after;    // repr
  std::string message;  // what the engine logs; may be empty
};

inline constexpr FactId kNoFact = 0xffffffffu;

struct RepairChange {
  FactId fact = 0;  // kNoFact: a flag the engine does not know is renamed to `value` or removed
  std::string name;
  bool is_unset = false;
  Node value;          // not is_unset
  std::string before;  // repr; the value in force
  std::string
      flag;  // as text on a command line: "--kv-cache-dtype fp8_e4m3", "remove --attention-backend"
};

struct Repair {
  std::vector<RepairChange> changes;  // fewest and least intrusive first
  std::string why;
  std::string command;  // the whole repaired launch, ready to paste; written in the form it came in
  // `command` as whole lines of the file that it stands in, from the key or instruction on that
  // gives it, less their indent; empty: `command` is whole already.
  std::string lines;
  bool is_in_place = true;  // `command` takes the place of the launch's text; false: it is made
                            // afresh, without what stood around the arguments
  std::vector<std::string> leaves;  // of a partial repair: the ids of the rules still violated
};

struct CheckReport {
  std::string pack;
  std::string engine_version;
  std::vector<Finding> findings;         // violated rules and fired warnings, in the engine's order
  SharedList<Finding> undecided;         // in the engine's order
  SharedList<Adjustment> adjustments;    // notes: derivations that changed a value, in order
  std::vector<Repair> repairs;           // best first; each leaves no violation
  std::string no_repair_reason;          // violations but no repair: why
  std::optional<Repair> partial_repair;  // no repair: the best that leaves less violated, if any
  std::uint32_t rules_checked = 0;       // rules of this version
  std::uint32_t rules_satisfied = 0;
  std::uint32_t rules_not_applicable = 0;

  bool has_violations() const {
    for (const Finding& f : findings)
      if (f.severity == Severity::error) return true;
    return false;
  }
};

}  // namespace assay
