// Counts the verdicts of a walk and finds the rule at which the engine stops.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/evaluate/check_report.h"
#include "engine/evaluate/wake_set.h"

namespace assay {

class WalkTally {
 public:
  // As for Pipeline.
  WalkTally(const CompiledPack& pack, const std::vector<bool>& is_enabled, WakeSet* wake)
      : pack_(pack), is_enabled_(is_enabled), wake_(wake) {
    if (wake == nullptr) {
      for (const bool enabled : is_enabled) counts_.checked += enabled ? 1u : 0u;
    } else {
      counts_ = {wake->enabled_count(), wake->sleeping_satisfied(),
                 wake->sleeping_not_applicable()};
    }
  }

  void enter(std::uint32_t position) { take_out_sleeping(position); }

  void leave(std::uint32_t position, Verdict verdict) {
    const CompiledRule& rule = pack_.rules()[position];
    count(verdict, rule.source->severity, rule.is_placed());
  }
  void count(Verdict verdict, Severity severity, bool is_placed) {
    if (verdict == Verdict::not_applicable) ++counts_.not_applicable;
    if (verdict == Verdict::satisfied) ++counts_.satisfied;
    if (verdict == Verdict::undecided && severity == Severity::error && is_placed)
      was_undecided_ = true;
  }

  void skip(std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t at = begin; at < end; ++at) {
      const bool is_enabled = wake_ != nullptr ? wake_->is_enabled(at) : is_enabled_[at];
      if (!is_enabled) continue;
      take_out_sleeping(at);
      ++counts_.not_applicable;
    }
  }

  // Whether the engine stops at a violated rule.
  StopsHere stops_at(const CompiledRule& rule) {
    return stops_at(rule.source->severity, rule.is_placed());
  }
  // ... or at a fault of the launch.
  StopsHere stops_at(Severity severity, bool is_placed = true) {
    if (severity != Severity::error || !is_placed || is_stopped_) return StopsHere::no;
    is_stopped_ = true;
    return was_undecided_ ? StopsHere::at_the_latest : StopsHere::yes;
  }

  const RuleCounts& counts() const { return counts_; }

 private:
  // Takes a sleeping rule's verdict out of the counts.
  void take_out_sleeping(std::uint32_t position) {
    if (wake_ == nullptr || wake_->is_always_visited(position)) return;
    --(wake_->sleeping_verdict(position) == Verdict::satisfied ? counts_.satisfied
                                                               : counts_.not_applicable);
  }

  const CompiledPack& pack_;
  const std::vector<bool>& is_enabled_;
  const WakeSet* wake_;
  RuleCounts counts_;
  bool is_stopped_ = false;
  bool was_undecided_ = false;
};

}  // namespace assay
