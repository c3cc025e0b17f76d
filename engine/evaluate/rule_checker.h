// Judges one rule on the facts as they stand.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/evaluate/facts.h"

namespace assay {

// What judging a rule gave. Reused from rule to rule.
struct Judgement {
  Verdict verdict = Verdict::not_applicable;
  std::uint32_t row = kUnplaced;         // violated: index of the case that is true
  std::vector<std::uint32_t> waits_for;  // undecided: unknown slots, sorted
  std::string_view error;                // undecided and nothing is unknown: what failed

  void clear() {
    verdict = Verdict::not_applicable;
    row = kUnplaced;
    waits_for.clear();
    error = {};
  }
};

// A truth value with a third one: neither, and why not.
struct Truth {
  enum class Kind : std::uint8_t { no, yes, undecided };
  Kind kind = Kind::no;
  Value reason;  // undecided: unknown or an error

  bool is_yes() const { return kind == Kind::yes; }
  bool is_no() const { return kind == Kind::no; }
};
Truth evaluate_truth(const Predicate& predicate, FactTable& table);
// Both; a `no` wins over a reason, an unknown over an error.
Truth both(const Truth& a, const Truth& b);
Truth either(const Truth& a, const Truth& b);
Truth negate(const Truth& a);

// Adds why something is undecided to the judgement.
void add_reason(const Value& reason, Judgement& judgement);

// Whether a guard of the rule (rule_index.h) holds for one of the values its fact may have: false
// says that the rule does not apply, whatever the combination. True for a rule without guards.
bool may_apply(const CompiledRule& rule, FactTable& table);

// The verdict of a check: the join over the combinations of values that its facts may have. All
// violated: violated. None violated, none undecided: satisfied, or not applicable if all are. Else
// undecided, waiting for what the undecided ones and the several values wait for. With
// more than kMaxCombinations, what the rule gives with these facts unknown. `detail`: whether the
// judgement says why something is undecided, for which every combination has to be gone through.
// `witness`: without reasons, the number of the combination to try first, since it was undecided
// another time; becomes that of one that is undecided now.
enum class Detail : std::uint8_t { verdict, reasons };
inline constexpr std::uint32_t kNoWitness = 0xffffffffu;
void judge_check(const CompiledRule& rule, FactTable& table, Judgement& judgement,
                 Detail detail = Detail::reasons, std::uint32_t* witness = nullptr);

// The rule's message with its expressions filled in, as the facts stand; where they have several
// values, each placeholder names all of its own, or its expression (message_text.cc). `row`: the
// case that is true.
std::string render_message(const CompiledRule& rule, std::uint32_t row, FactTable& table);

}  // namespace assay
