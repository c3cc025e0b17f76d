// A check is violated when `when` holds, one of its cases holds (if it has any) and `require` does
// not. The three parts are joined as `&&` joins its operands: a part that is false decides whatever
// is wrong with the others, and an unknown outweighs an error. So a rule whose `require` holds is
// never undecided because of its `when`.
#include "engine/evaluate/rule_checker.h"

#include "engine/evaluate/combinations.h"

namespace assay {
namespace {

struct Single {
  Verdict verdict = Verdict::not_applicable;
  std::uint32_t row = kUnplaced;
  bool applies = false;  // for certain
  Value reason;
};

// Whether a case holds; `row` becomes the first that does.
Truth any_case(const CompiledRule& rule, FactTable& table, std::uint32_t& row) {
  Truth any;
  for (std::uint32_t at = 0; at < rule.cases.size(); ++at) {
    const Truth truth = evaluate_truth(rule.cases[at].when, table);
    any = either(any, truth);
    if (!truth.is_yes()) continue;
    row = at;
    return truth;
  }
  return any;
}

// The verdict on the values as they stand, without regard to candidates. The table's `let` names
// are the rule's.
Single judge_once(const CompiledRule& rule, FactTable& table) {
  Single result;
  const Truth yes{Truth::Kind::yes, {}};
  Truth applies = rule.when ? evaluate_truth(*rule.when, table) : yes;
  if (applies.is_no()) return result;
  if (!rule.cases.empty()) applies = both(applies, any_case(rule, table, result.row));
  if (applies.is_no()) return result;
  result.applies = applies.is_yes();
  const Truth violates = rule.require ? negate(evaluate_truth(*rule.require, table)) : yes;
  const Truth verdict = both(applies, violates);
  if (verdict.is_no()) {
    result.verdict = Verdict::satisfied;
  } else if (verdict.is_yes()) {
    result.verdict = Verdict::violated;
  } else {
    result.verdict = Verdict::undecided;
    result.reason = verdict.reason;
  }
  return result;
}

struct VerdictCounts {
  std::size_t satisfied = 0;
  std::size_t violated = 0;
  std::size_t undecided = 0;
  std::size_t all = 0;

  void add(Verdict verdict) {
    ++all;
    if (verdict == Verdict::satisfied) ++satisfied;
    if (verdict == Verdict::violated) ++violated;
    if (verdict == Verdict::undecided) ++undecided;
  }
  // Whether more combinations can change what `join` gives.
  bool is_open() const { return undecided == 0 && (violated == 0 || violated == all); }
};

Verdict join(const VerdictCounts& counts) {
  if (counts.violated == counts.all) return Verdict::violated;
  if (counts.violated + counts.undecided > 0) return Verdict::undecided;
  return counts.satisfied > 0 ? Verdict::satisfied : Verdict::not_applicable;
}

void wait_for_candidates(const CompiledRule& rule, const FactTable& table, Judgement& judgement) {
  for (const FactId fact : rule.base_facts)
    if (table.has_candidates(fact)) add_slots(judgement.waits_for, table.waits_for(fact));
}

// The verdict with every fact that has candidates unknown: where it is decided, it is so for every
// combination.
Verdict judge_unknown(const CompiledRule& rule, FactTable& table, Judgement& judgement) {
  if (!may_apply(rule, table)) return Verdict::not_applicable;
  const Single single = judge_once(rule, table);
  judgement.row = single.row;
  add_reason(single.reason, judgement);
  return single.verdict;
}

// What is so with every fact that has candidates unknown is so for every combination: one run in
// place of many. False when it does not tell; `row` and the reasons are not looked for.
bool judge_all_at_once(const CompiledRule& rule, FactTable& table, Verdict& verdict) {
  if (!are_many_combinations(table, rule.base_facts)) return false;
  const Single single = judge_once(rule, table);
  verdict = single.verdict;
  return verdict == Verdict::not_applicable || (verdict == Verdict::satisfied && single.applies) ||
         (verdict == Verdict::violated && rule.cases.empty());
}

bool is_still_undecided(const CompiledRule& rule, FactTable& table, std::uint32_t witness) {
  Combinations combinations;
  if (!combinations.begin(table, rule.base_facts) || combinations.is_single()) return false;
  combinations.go_to(witness);
  combinations.select(table);
  const Single single = judge_once(rule, table);
  combinations.end(table);
  table.begin_lets(rule);
  return single.verdict == Verdict::undecided;
}

// Without reasons: the verdict on all combinations. False: there are too many.
bool judge_combinations(const CompiledRule& rule, FactTable& table, Verdict& verdict,
                        std::uint32_t* witness) {
  Combinations combinations;
  if (!combinations.begin(table, rule.base_facts)) return false;
  VerdictCounts counts;
  do {
    combinations.select(table);
    const Single single = judge_once(rule, table);
    counts.add(single.verdict);
    if (single.verdict == Verdict::undecided && witness != nullptr)
      *witness = combinations.number();
  } while (counts.is_open() && combinations.next(table));
  combinations.end(table);
  verdict = join(counts);
  return true;
}

}  // namespace

bool may_apply(const CompiledRule& rule, FactTable& table) {
  const CompiledPack& pack = table.pack();
  if (!pack.index().is_guarded(rule.position)) return true;
  for (const SlotGuard& guard : pack.index().guards(rule.position)) {
    const bool is_fact = guard.slot < pack.slots().fact_count;
    if (is_fact && table.has_candidates(guard.slot)) {
      for (const Candidate& candidate : table.candidates(guard.slot))
        if (holds(guard, candidate.value)) return true;
      continue;
    }
    if (holds(guard, table.read(guard.slot))) return true;
  }
  return false;
}

Truth evaluate_truth(const Predicate& predicate, FactTable& table) {
  const Value value = table.evaluate(predicate);
  if (value.is_true()) return {Truth::Kind::yes, {}};
  if (value.is_false()) return {Truth::Kind::no, {}};
  if (value.is(ValueKind::unknown) || value.is(ValueKind::error))
    return {Truth::Kind::undecided, value};
  return {Truth::Kind::undecided, Value::error("the condition gives no bool")};
}

Truth both(const Truth& a, const Truth& b) {
  if (a.is_no() || b.is_yes()) return a;
  if (b.is_no() || a.is_yes()) return b;
  return a.reason.is(ValueKind::unknown) ? a : b;
}

Truth either(const Truth& a, const Truth& b) { return negate(both(negate(a), negate(b))); }

Truth negate(const Truth& a) {
  if (a.kind == Truth::Kind::undecided) return a;
  return {a.is_yes() ? Truth::Kind::no : Truth::Kind::yes, {}};
}

void add_reason(const Value& reason, Judgement& judgement) {
  if (reason.is(ValueKind::unknown))
    add_slots(judgement.waits_for, reason.as_unknown());
  else if (reason.is(ValueKind::error) && judgement.error.empty())
    judgement.error = reason.as_text();
}

void judge_check(const CompiledRule& rule, FactTable& table, Judgement& judgement, Detail detail,
                 std::uint32_t* witness) {
  judgement.clear();
  table.begin_lets(rule);
  if (witness != nullptr && *witness != kNoWitness && is_still_undecided(rule, table, *witness)) {
    judgement.verdict = Verdict::undecided;
    return;
  }
  if (judge_all_at_once(rule, table, judgement.verdict)) return;
  if (detail == Detail::verdict && judge_combinations(rule, table, judgement.verdict, witness))
    return;
  VerdictCounts counts;
  const bool is_complete = for_each_combination(table, rule.base_facts, [&] {
    const Single single = judge_once(rule, table);
    counts.add(single.verdict);
    if (single.verdict == Verdict::violated && judgement.row == kUnplaced)
      judgement.row = single.row;
    if (single.verdict == Verdict::undecided) add_reason(single.reason, judgement);
    return true;
  });
  judgement.verdict = is_complete ? join(counts) : judge_unknown(rule, table, judgement);
  if (judgement.verdict == Verdict::undecided) wait_for_candidates(rule, table, judgement);
  if (judgement.verdict != Verdict::undecided || !judgement.waits_for.empty()) judgement.error = {};
  if (judgement.verdict != Verdict::violated) judgement.row = kUnplaced;
}

}  // namespace assay
