// Which rules a launch has to run. The pipeline is walked once for a launch that says nothing; a
// launch that differs from it in few facts wakes only the rules that these facts can change. The
// others keep the verdict of that walk, and what they did in it is repeated without running them.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/grouped_list.h"
#include "engine/evaluate/derivation.h"
#include "engine/evaluate/late_writes.h"
#include "engine/evaluate/rule_event.h"

namespace assay {

struct BundleWriting;

// What a rule found or did in the walk for a launch that says nothing.
struct RuleMemo {
  DerivationOutcome outcome;
  // What a report says about it, written when one first asks.
  std::shared_ptr<const Finding> finding;
  std::optional<SharedList<Adjustment>> adjustments;
};

// When the walk repeats what a sleeping rule did in the first walk: each in its turn, or what it
// wrote when something comes to be run that reads it.
enum class Repeats : std::uint8_t { all, when_read };

class WakeSet {
 public:
  // Walks the pipeline of `table`'s pack on its initial values; `table` is reset before and after.
  // A pack from a bundle brings the walk along: nothing is walked then.
  explicit WakeSet(FactTable& table);
  // What a bundle holds of the walk.
  std::string stored(const BundleWriting& writing) const;

  // All rules sleep.
  void begin(FactTable& table, Repeats repeats);
  // Wakes what the value that `slot` has now can change.
  void wake(FactTable& table, std::uint32_t slot);
  // For a slot of the launch: wakes what it can change, or, where the launch only says what holds
  // anyway, notes that reports have to say where it stands.
  void wake_given(FactTable& table, std::uint32_t slot);
  // For a slot that got the value it had in the first walk: wakes what the derived facts can change
  // that differ from that walk, because something else behind them does.
  void wake_dependents(FactTable& table, std::uint32_t slot);
  // The walk is at that position: rules before it cannot be woken any more.
  void come_to(std::uint32_t position) { here_ = position; }
  // No rule from here on repeats what it did in the first walk.
  void forget_repeats();
  // The rule at `position`, from here on, does not come to do what it did in the first walk.
  void leave_out(FactTable& table, std::uint32_t position);
  // Repeats what the rule that the walk is at did.
  void repeat(FactTable& table, const DerivationOutcome& outcome);
  // Brings the facts up to date that the rule that the walk is at, or anything else, reads.
  void catch_up(FactTable& table, const CompiledRule& rule);
  void catch_up(FactTable& table, std::span<const FactId> facts);
  // Repeats::when_read: what the rules found that the walk does not visit unless they are awake.
  std::span<const RuleEvent> passed_over() const {
    return repeats_ == Repeats::all ? std::span<const RuleEvent>() : events_;
  }

  // The first rule at or after `position` that is awake or has something to repeat, or kUnplaced.
  std::uint32_t next(std::uint32_t position) const {
    std::size_t word = position / 64;
    if (word >= visited_.size()) return kUnplaced;
    std::uint64_t bits = visited_[word] & (~std::uint64_t{0} << (position % 64));
    while (bits == 0) {
      if (++word == visited_.size()) return kUnplaced;
      bits = visited_[word];
    }
    return static_cast<std::uint32_t>(word * 64) +
           static_cast<std::uint32_t>(std::countr_zero(bits));
  }
  // Whether the rule did something in the first walk, or that walk did not come to it.
  bool is_always_visited(std::uint32_t position) const { return has(always_, position); }
  bool is_enabled(std::uint32_t position) const { return has(enabled_, position); }
  bool is_awake(std::uint32_t position) const { return has(awake_, position); }
  // Whether what a report says about a rule that is repeated is what the memo holds.
  bool is_told_as_in_memo(std::uint32_t position) const { return !has(reworded_, position); }
  // What to repeat, or what waking has to be compared with; null for a rule that did nothing.
  RuleMemo* memo(std::uint32_t position) {
    return memo_of_rule_[position] == kUnplaced ? nullptr : &memos_[memo_of_rule_[position]];
  }
  // See judge_check.
  std::uint32_t& witness(std::uint32_t position) { return witnesses_[position]; }
  // The verdict of a rule that is not visited: satisfied or not applicable.
  Verdict sleeping_verdict(std::uint32_t position) const { return verdicts_[position]; }
  // How many rules there are, and how many are satisfied and not applicable while all sleep.
  std::uint32_t enabled_count() const { return enabled_count_; }
  std::uint32_t sleeping_satisfied() const { return sleeping_satisfied_; }
  std::uint32_t sleeping_not_applicable() const { return sleeping_not_applicable_; }

 private:
  struct FirstWalk;
  template <class Archive>
  void visit(Archive& archive);
  bool read_stored(const CompiledPack& pack);
  using Bits = std::vector<std::uint64_t>;
  static bool has(const Bits& bits, std::uint32_t at) {
    return (bits[at / 64] >> (at % 64) & 1) != 0;
  }
  static void set(Bits& bits, std::uint32_t at) { bits[at / 64] |= std::uint64_t{1} << (at % 64); }

  void walk(FactTable& table, std::vector<bool>& is_open);
  void add_memo(std::uint32_t position, const DerivationOutcome& outcome);
  void subscribe(const CompiledPack& pack, const std::vector<bool>& is_open);
  void wake_guarded_by(FactTable& table, FactId derived);
  void disturb(const CompiledPack& pack, FactId derived);
  void list_writes(const CompiledPack& pack);
  void wake_rule(std::uint32_t position) {
    if (position < here_ || !is_enabled(position)) return;
    set(awake_, position);
    set(visited_, position);
  }

  Bits awake_;     // to run
  Bits visited_;   // to run or to repeat
  Bits reworded_;  // repeated, but a fact it read was written in the launch
  Bits always_;
  Bits enabled_;
  std::vector<Verdict> verdicts_;
  Arena memory_;                          // of the memos
  std::unique_ptr<Arena> stored_memory_;  // of memos from a bundle
  std::vector<RuleMemo> memos_;
  std::vector<std::uint32_t> memo_of_rule_;
  std::vector<std::uint32_t> witnesses_;
  GroupedList<std::uint32_t> readers_;      // by slot: rules to wake whatever its value
  GroupedList<FactId> guarded_dependents_;  // by slot: derived facts with guards
  std::vector<char> is_disturbed_;  // by fact: something behind it differs from the first walk
  std::vector<FactId> disturbed_;
  Repeats repeats_ = Repeats::all;
  std::uint32_t here_ = 0;
  LateWrites writes_;  // of the memos; empty until they are first wanted
  std::vector<RuleEvent> events_;
  std::uint32_t enabled_count_ = 0;
  std::uint32_t sleeping_satisfied_ = 0;
  std::uint32_t sleeping_not_applicable_ = 0;
};

}  // namespace assay
