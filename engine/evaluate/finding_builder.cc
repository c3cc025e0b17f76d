// Facts are listed in the order in which the rule's text names them. A derived fact is followed by
// the facts it is computed from, because those are what a user can change.
#include "engine/evaluate/finding_builder.h"

#include <algorithm>

#include "engine/evaluate/value_text.h"

namespace assay {
namespace {

using SlotKind = SlotMeaning::Kind;

std::string text_of(const Value& value) {
  return value.is(ValueKind::unknown) ? "unknown" : python_repr(value);
}

const Rule* rule_at(const CompiledPack& pack, std::uint32_t position) {
  return position == kUnplaced ? nullptr : pack.rules()[position].source;
}

FactUse use_of_slot(FactTable& table, std::uint32_t slot) {
  const CompiledPack& pack = table.pack();
  const SlotMeaning meaning = pack.slots().meanings[slot];
  FactUse use;
  use.name = slot_name(pack.schema(), pack.slots(), slot);
  use.value = text_of(table.read(slot));
  use.span = table.span(meaning.fact);
  use.origin = table.first_origin(meaning.fact);
  if (meaning.kind != SlotKind::value) return use;
  use.origin = table.origin(slot);
  use.rule = rule_at(pack, table.writer(slot));
  if (use.rule != nullptr) use.before = text_of(table.before(slot));
  if (!table.has_candidates(slot)) return use;
  use.value = fact_text(table, slot);
  for (const Candidate& candidate : table.candidates(slot)) {
    use.candidates.push_back(python_repr(candidate.value));
    if (use.rule != nullptr || candidate.writer == kUnplaced) continue;
    use.origin = Origin::rule;  // one of the values is a derivation's: say whose
    use.rule = rule_at(pack, candidate.writer);
    use.before = text_of(candidate.before);
  }
  return use;
}

class UseList {
 public:
  explicit UseList(FactTable& table) : table_(table) {}

  void add(std::uint32_t slot) {
    const CompiledPack& pack = table_.pack();
    if (slot >= pack.slots().size || pack.slots().meanings[slot].kind == SlotKind::before) return;
    if (std::find(seen_.begin(), seen_.end(), slot) != seen_.end()) return;
    seen_.push_back(slot);
    const DerivedFact* derived = slot < pack.slots().fact_count ? pack.derived(slot) : nullptr;
    uses.push_back(use_of_slot(table_, slot));
    if (derived == nullptr || table_.is_given(slot)) return;
    for (const std::uint32_t input : derived->reads) add(input);
  }

  std::vector<FactUse> uses;

 private:
  FactTable& table_;
  std::vector<std::uint32_t> seen_;
};

}  // namespace

Finding make_finding(std::uint32_t position, const DerivationOutcome& outcome, FactTable& table) {
  const CompiledRule& rule = table.pack().rules()[position];
  const Judgement& judgement = outcome.judgement;
  Finding finding;
  finding.rule = rule.source;
  finding.severity = rule.source->severity;
  finding.verdict = judgement.verdict;
  if (judgement.verdict == Verdict::undecided) {
    finding.waits_for = slot_names(table.pack(), judgement.waits_for);
    finding.evaluation_error = judgement.error;
  } else if (rule.is_derivation()) {
    finding.verdict = Verdict::violated;
    finding.message = derivation_message(position, outcome, table);
  } else {
    finding.message = render_message(rule, judgement.row, table);
    if (judgement.row != kUnplaced) finding.label = rule.cases[judgement.row].source->label;
  }
  UseList list(table);
  for (const std::uint32_t slot : rule.reads) list.add(slot);
  for (const CompiledAssignment& assignment : rule.effect) list.add(assignment.fact);
  finding.facts = std::move(list.uses);
  for (const FactUse& use : finding.facts) {
    if (!use.span.is_known()) continue;
    finding.span = use.span;
    break;
  }
  return finding;
}

std::string derivation_message(std::uint32_t position, const DerivationOutcome& outcome,
                               FactTable& table) {
  const CompiledRule& rule = table.pack().rules()[position];
  const PackSlots& slots = table.pack().slots();
  for (const MessageSegment& segment : rule.message.segments) {
    for (const std::uint32_t slot : segment.predicate.slots()) {
      if (slot >= slots.size || slots.meanings[slot].kind != SlotKind::before) continue;
      const FactId fact = slots.meanings[slot].fact;
      const auto change =
          std::find_if(outcome.changes.begin(), outcome.changes.end(),
                       [&](const FactChange& candidate) { return candidate.fact == fact; });
      table.set_slot(slot, change == outcome.changes.end() ? table.value(fact) : change->before);
    }
  }
  return render_message(rule, kUnplaced, table);
}

std::vector<std::string> slot_names(const CompiledPack& pack,
                                    const std::vector<std::uint32_t>& slots) {
  std::vector<std::string> names;
  for (const std::uint32_t slot : slots)
    names.push_back(slot_name(pack.schema(), pack.slots(), slot));
  return names;
}

}  // namespace assay
