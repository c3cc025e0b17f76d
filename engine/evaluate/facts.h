// The facts of one launch while its pipeline is walked: their values, where each came from, who
// wrote it last, and the several values a fact may have after a derivation that could not be
// decided.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/compile/compiled_pack.h"
#include "engine/evaluate/check_report.h"

namespace assay {

// A value a fact may have.
struct Candidate {
  Value value;
  std::uint32_t writer =
      kUnplaced;  // position of the derivation; kUnplaced: it came with the launch
  Value before;   // what the writer replaced
};

inline constexpr std::size_t kMaxCandidates = 8;      // of one fact; with more it is unknown
inline constexpr std::size_t kMaxCombinations = 256;  // of facts, for one rule

class FactTable {
 public:
  explicit FactTable(const CompiledPack& pack);

  // As for a launch that says nothing. Costs what was changed since.
  void reset();

  const CompiledPack& pack() const { return pack_; }
  // As it stands: of a derived fact only what `read` found last. A fact with candidates reads as
  // unknown.
  const Value& value(std::uint32_t slot) const { return values_[slot]; }
  // The same with a derived fact brought up to date.
  const Value& read(std::uint32_t slot) {
    if (is_pending_[slot] != 0) compute(slot);
    return values_[slot];
  }
  // The expression's value. Derived facts and `let` names are computed when they are first read.
  Value evaluate(const Predicate& predicate);
  // From now on `let` names are those of `rule`, on the facts as they will stand when one is read;
  // to be called again when a fact has changed since.
  void begin_lets(const CompiledRule& rule);
  // The same rule's, where facts have changed by select_watched alone.
  void renew_lets();
  // For what lives as long as the values: until the next `reset`.
  Arena& memory() { return memory_; }

  // Sets a slot that is not a fact's value: raw, given, presence, before, label.
  void set_slot(std::uint32_t slot, const Value& value);
  // A value that came with the launch or besides it; for a derived fact it replaces the expression.
  void give(FactId fact, const Value& value, Origin origin, Span span);
  // What a derivation wrote. One candidate is a value. `waits_for`: the unknown slots that leave
  // several (sorted); more than kMaxCandidates make the fact unknown.
  void write(FactId fact, std::span<const Candidate> candidates,
             std::span<const std::uint32_t> waits_for);

  // Slots that are not as in a launch that says nothing, each once.
  std::span<const std::uint32_t> touched_slots() const { return touched_slots_; }

  bool has_candidates(FactId fact) const { return states_[fact].candidates != kNone; }
  // The possible values of a fact with candidates.
  std::span<const Candidate> candidates(FactId fact) const;
  // Why the fact has several values: the unknown slots, sorted.
  std::span<const std::uint32_t> waits_for(FactId fact) const;
  // Lets the fact have this value until `select_none`.
  void select(FactId fact, const Value& value);
  // The same for a candidate, with word of whether anything read the fact since (combinations.h).
  void select_watched(FactId fact, const Value& value);
  bool was_read(FactId fact) const { return is_pending_[fact] == 0; }
  void select_none(FactId fact);

  bool is_given(FactId fact) const { return states_[fact].is_given; }
  Origin origin(FactId fact) const;
  Span span(FactId fact) const { return states_[fact].span; }
  Origin first_origin(FactId fact) const;  // before any derivation
  // The derivation that wrote the value, or kUnplaced; and what it replaced.
  std::uint32_t writer(FactId fact) const { return states_[fact].writer; }
  const Value& before(FactId fact) const { return states_[fact].before; }

 private:
  static constexpr std::uint32_t kNone = 0xffffffffu;
  struct State {
    std::uint32_t writer = kUnplaced;
    Value before;
    std::uint32_t candidates = kNone;
    Origin origin = Origin::default_value;  // of the value that came with the launch
    bool is_given = false;
    Span span;
  };
  struct CandidateSet {
    std::vector<Candidate> candidates;
    std::span<const std::uint32_t> waits_for;
  };

  void assign(std::uint32_t slot, const Value& value);
  void touch(std::uint32_t slot) {
    if (is_touched_[slot] != 0) return;
    is_touched_[slot] = 1;
    touched_slots_.push_back(slot);
  }
  // Computes a derived fact or a `let` name that is pending.
  void compute(std::uint32_t slot);
  void compute_derived(FactId fact);
  void compute_let(std::uint32_t at);
  void compute(std::uint32_t slot, const Predicate& predicate);
  void invalidate_dependents(std::uint32_t slot);
  std::span<const std::uint32_t> keep(std::span<const std::uint32_t> slots);

  const CompiledPack& pack_;
  Arena memory_{SIZE_MAX, 16 * 1024};
  std::vector<Value> values_;
  std::vector<State> states_;
  std::vector<std::uint8_t> is_pending_;   // by slot: something has to be done before it is read
  std::vector<std::uint8_t> is_computed_;  // by fact: derived, and not given in this launch
  std::vector<std::uint8_t> is_touched_;   // by slot
  const CompiledRule* lets_of_ = nullptr;
  std::ptrdiff_t pending_lets_ = 0;  // how many of its names were pending
  std::size_t depth_ = 0;            // of computing what is read
  std::vector<CandidateSet> sets_;
  std::size_t used_sets_ = 0;
  std::vector<std::uint32_t> touched_slots_;
  std::vector<FactId> touched_states_;
};

// Whether two values are the same, of the same kind all the way down.
bool is_same_value(const Value& a, const Value& b);

// Adds `slots` to a sorted list without duplicates.
void add_slots(std::vector<std::uint32_t>& list, std::span<const std::uint32_t> slots);

bool has_candidates(const FactTable& table, std::span<const FactId> facts);

}  // namespace assay
