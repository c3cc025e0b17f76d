// Goes through the combinations of the values that facts with candidates may have.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>

#include "engine/evaluate/facts.h"

namespace assay {

// The combinations one after the other, the first fact's values fastest. What is found for one
// depends on the facts that were read for it alone, so those that differ in other facts only are
// left out: their result is known.
class Combinations {
 public:
  // False: there are more than kMaxCombinations.
  bool begin(const FactTable& table, std::span<const FactId> facts);
  // Nothing has several values: one combination, with nothing to select.
  bool is_single() const { return count_ == 0; }
  // Lets the facts have the values of this combination. `let` names that depend on them are
  // computed anew.
  void select(FactTable& table) const;
  // The combination's number; and the one of that number, or another where there are fewer.
  std::uint32_t number() const { return at_; }
  void go_to(std::uint32_t number) {
    at_ = number % all_;
    set_digits();
  }
  // Goes to the next combination that may differ from all before it; false: there is none.
  bool next(const FactTable& table);
  void end(FactTable& table) const;

 private:
  // Four bits a fact: which candidate it has, or all ones where it was read.
  struct Seen {
    std::uint64_t digits = 0;
    std::uint64_t read = 0;
  };
  static constexpr std::size_t kMaxOpen = std::bit_width(kMaxCombinations);  // two values at least
  static_assert(kMaxCandidates <= 16 && 4 * kMaxOpen <= 64);

  void set_digits();
  void pass_over(std::uint64_t read);
  const Seen* find_seen() const;

  std::array<FactId, kMaxOpen> facts_;
  std::array<std::uint32_t, kMaxOpen> sizes_;
  std::size_t count_ = 0;
  std::uint32_t all_ = 1;
  std::uint32_t at_ = 0;
  std::uint64_t digits_ = 0;
  std::array<Seen, 16> seen_;  // the first ones; comparing with more would cost what it saves
  std::size_t seen_count_ = 0;
};

// Whether there are so many that it pays to ask first what holds with all these facts unknown.
bool are_many_combinations(const FactTable& table, std::span<const FactId> facts);

// Calls `visit()` for the combinations of the values that the facts among `facts` with candidates
// may have, with these selected, until it returns false; once where combinations differ only in
// what `visit` did not read through the table. Returns false, without a call, when there are more
// than kMaxCombinations.
template <class Visit>
bool for_each_combination(FactTable& table, std::span<const FactId> facts, Visit&& visit) {
  Combinations combinations;
  if (!combinations.begin(table, facts)) return false;
  if (combinations.is_single()) {
    visit();
    return true;
  }
  do {
    combinations.select(table);
  } while (visit() && combinations.next(table));
  combinations.end(table);
  return true;
}

}  // namespace assay
