// The rule is judged once more with all arguments unknown that the launch does not show, and those
// that a derivation changed, which may have done so because of one that is not shown. What is
// violated all the same is so whatever the words are that nobody sees.
#include "engine/evaluate/unseen_arguments.h"

#include "engine/evaluate/rule_checker.h"

namespace assay {
namespace {

bool may_differ(FactId fact, const FactTable& table) {
  if (!table.pack().schema().facts[fact].is_argument) return false;
  const bool is_shown = table.is_given(fact);
  const bool is_rewritten =
      table.writer(fact) != kUnplaced && !is_same_value(table.before(fact), table.value(fact));
  return !is_shown || is_rewritten || table.has_candidates(fact);
}

struct Hidden {
  std::uint32_t slot = 0;
  Value value;
};

void put(std::uint32_t slot, const Value& value, FactTable& table) {
  if (slot < table.pack().slots().fact_count)
    table.select(slot, value);
  else
    table.set_slot(slot, value);
}

}  // namespace

bool UnseenArguments::may_mend(const CompiledRule& rule, FactTable& table,
                               std::vector<std::uint32_t>& waits_for) const {
  if (!has_some_) return false;
  const CompiledPack& pack = table.pack();
  std::vector<Hidden> hidden;
  std::vector<std::uint32_t> several;  // values each, of a fact that may have others
  for (const std::uint32_t slot : rule.inputs) {
    if (slot >= pack.slots().size) continue;  // a `let` name
    const FactId fact = pack.slots().meanings[slot].fact;
    if (!may_differ(fact, table)) continue;
    if (table.has_candidates(fact))
      several.push_back(slot);
    else
      hidden.push_back({slot, table.value(slot)});
  }
  if (hidden.empty() && several.empty()) return false;
  for (const Hidden& one : hidden) put(one.slot, pack.unknown_slot(one.slot), table);
  Judgement judgement;
  judge_check(rule, table, judgement);
  for (const Hidden& one : hidden) put(one.slot, one.value, table);
  if (judgement.verdict == Verdict::violated && several.empty()) return false;
  waits_for = std::move(judgement.waits_for);
  add_slots(waits_for, several);
  return true;
}

}  // namespace assay
