// Which rules a launch has to run. The pipeline is walked once for a launch that says nothing; a
// launch that differs from it in few facts wakes only the rules that these facts can change, and
// the others keep the verdict of that walk.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "engine/evaluate/facts.h"

namespace assay {

class WakeSet {
 public:
  // Walks the pipeline of `table`'s pack on its initial values; `table` is reset before and after.
  explicit WakeSet(FactTable& table);

  // All rules sleep, but for those that find or do something in every launch.
  void begin() { awake_ = always_; }
  // Wakes what the value that `slot` has now can change.
  void wake(FactTable& table, std::uint32_t slot);

  // The first awake rule at or after `position`, or kUnplaced.
  std::uint32_t next(std::uint32_t position) const {
    std::size_t word = position / 64;
    if (word >= awake_.size()) return kUnplaced;
    std::uint64_t bits = awake_[word] & (~std::uint64_t{0} << (position % 64));
    while (bits == 0) {
      if (++word == awake_.size()) return kUnplaced;
      bits = awake_[word];
    }
    return static_cast<std::uint32_t>(word * 64) +
           static_cast<std::uint32_t>(std::countr_zero(bits));
  }
  bool is_always_awake(std::uint32_t position) const { return has(always_, position); }
  bool is_enabled(std::uint32_t position) const { return has(enabled_, position); }
  // The verdict of a rule that sleeps: satisfied or not applicable.
  Verdict sleeping_verdict(std::uint32_t position) const { return verdicts_[position]; }
  // How many rules there are, and how many are satisfied and not applicable while all sleep.
  std::uint32_t enabled_count() const { return enabled_count_; }
  std::uint32_t sleeping_satisfied() const { return sleeping_satisfied_; }
  std::uint32_t sleeping_not_applicable() const { return sleeping_not_applicable_; }

 private:
  using Bits = std::vector<std::uint64_t>;
  static bool has(const Bits& bits, std::uint32_t at) {
    return (bits[at / 64] >> (at % 64) & 1) != 0;
  }
  static void set(Bits& bits, std::uint32_t at) { bits[at / 64] |= std::uint64_t{1} << (at % 64); }

  void walk(FactTable& table, std::vector<bool>& is_open);
  void subscribe(const CompiledPack& pack, const std::vector<bool>& is_open);
  void wake_rule(std::uint32_t position) {
    if (is_enabled(position)) set(awake_, position);
  }

  Bits awake_;
  Bits always_;
  Bits enabled_;
  std::vector<Verdict> verdicts_;
  std::vector<std::vector<std::uint32_t>> readers_;  // by slot: rules to wake whatever its value
  std::vector<std::vector<FactId>> guarded_dependents_;  // by slot: derived facts with guards
  std::uint32_t enabled_count_ = 0;
  std::uint32_t sleeping_satisfied_ = 0;
  std::uint32_t sleeping_not_applicable_ = 0;
};

}  // namespace assay
