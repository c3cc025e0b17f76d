// A derivation is run for every combination of the values its facts may have. For each target that
// gives the new value where `when` holds, the value it had where `when` does not hold, and both
// where that cannot be told. So two facts that are written together may later seem to vary
// independently: that can only make a verdict undecided, never wrong.
#include "engine/evaluate/derivation.h"

#include <algorithm>
#include <memory>

#include "engine/evaluate/combinations.h"
#include "engine/evaluate/fact_path.h"
#include "engine/evaluate/value_text.h"

namespace assay {
namespace {

using Target = DerivationScratch::Target;

void add_candidate(std::vector<Candidate>& list, const Candidate& candidate) {
  for (const Candidate& known : list)
    if (is_same_value(known.value, candidate.value)) return;
  list.push_back(candidate);
}

bool has_kind(const Value& value, const Type& type) {
  switch (type.kind) {
    case TypeKind::dynamic:
      return true;
    case TypeKind::boolean:
      return value.is(ValueKind::boolean);
    case TypeKind::integer:
      return value.is(ValueKind::integer);
    case TypeKind::unsigned_integer:
      return value.is(ValueKind::unsigned_integer);
    case TypeKind::real:
      return value.is(ValueKind::real);
    case TypeKind::string:
      return value.is(ValueKind::string);
    case TypeKind::bytes:
      return value.is(ValueKind::bytes);
    case TypeKind::list:
      return value.is(ValueKind::list);
    case TypeKind::map:
      return value.is(ValueKind::map);
    case TypeKind::null:
    case TypeKind::type:
      break;
  }
  return false;
}

// A computed value as its fact takes it; an error when it has another type.
Value checked(const Value& value, const Type& type) {
  if (value.is(ValueKind::unknown) || value.is(ValueKind::error) || has_kind(value, type))
    return value;
  if (value.is(ValueKind::null) && type.is_nullable) return value;
  if (value.is(ValueKind::integer) && type.kind == TypeKind::real)
    return Value::real(static_cast<double>(value.as_integer()));
  return Value::error("the computed value has not the fact's type");
}

class Application {
 public:
  Application(std::uint32_t position, FactTable& table, const Judgement* doubt,
              DerivationOutcome& outcome)
      : rule_(table.pack().rules()[position]),
        position_(position),
        table_(table),
        doubt_(doubt),
        outcome_(outcome),
        scratch_(outcome.scratch) {}

  void run() {
    outcome_.judgement.clear();
    outcome_.changes.clear();
    scratch_.target_count = 0;
    table_.begin_lets(rule_);
    is_combining_ = has_candidates(table_, rule_.base_facts);
    // What is so with the facts unknown is so for every combination.
    if (are_many_combinations(table_, rule_.base_facts) && applies().is_no()) return;
    const bool is_complete = for_each_combination(table_, rule_.base_facts, [&] {
      run_once();
      return true;
    });
    if (!is_complete && !may_apply(rule_, table_)) return;
    Judgement& judgement = outcome_.judgement;
    if (is_complete && applied_ == 0 && undecided_ == 0) return;
    if (doubt_ != nullptr) {
      add_slots(judgement.waits_for, doubt_->waits_for);
      if (judgement.error.empty()) judgement.error = doubt_->error;
    }
    wait_for_candidates();
    const bool applies = is_complete && doubt_ == nullptr && applied_ == combinations_;
    judgement.verdict = applies ? Verdict::satisfied : Verdict::undecided;
    if (!judgement.waits_for.empty()) judgement.error = {};
    write(is_complete);
    if (applies) judgement.waits_for.clear();
  }

 private:
  Truth applies() {
    return rule_.when ? evaluate_truth(*rule_.when, table_) : Truth{Truth::Kind::yes, {}};
  }

  void run_once() {
    ++combinations_;
    const Truth applies = this->applies();
    // The targets' own values are kept or replaced.
    if (is_combining_)
      for (const CompiledAssignment& assignment : rule_.effect) table_.read(assignment.fact);
    if (applies.is_no() && !is_combining_) return;  // the usual case: nothing to remember
    if (scratch_.target_count == 0) name_targets();
    if (applies.is_no()) return keep_values();
    if (applies.is_yes()) ++applied_;
    if (!applies.is_yes()) {
      ++undecided_;
      add_reason(applies.reason, outcome_.judgement);
    }
    if (!applies.is_yes() || doubt_ != nullptr) keep_values();
    assigned_values(rule_.effect, table_, scratch_.values);
    for (const AssignedValue& assigned : scratch_.values) {
      if (assigned.value.is(ValueKind::error)) add_reason(assigned.value, outcome_.judgement);
      add_candidate(target(assigned.fact).results,
                    {assigned.value, position_, table_.value(assigned.fact)});
    }
  }

  void name_targets() {
    for (const CompiledAssignment& assignment : rule_.effect) {
      if (find_target(assignment.fact) != nullptr) continue;
      if (scratch_.target_count == scratch_.targets.size()) scratch_.targets.emplace_back();
      Target& target = scratch_.targets[scratch_.target_count++];
      target.fact = assignment.fact;
      target.results.clear();
    }
  }

  std::span<Target> targets() { return {scratch_.targets.data(), scratch_.target_count}; }

  Target* find_target(FactId fact) {
    for (Target& target : targets())
      if (target.fact == fact) return &target;
    return nullptr;
  }

  Target& target(FactId fact) { return *find_target(fact); }

  // What the targets are where the derivation does not apply.
  void keep_values() {
    for (Target& target : targets()) {
      if (!table_.has_candidates(target.fact)) {
        add_candidate(target.results, {table_.value(target.fact), table_.writer(target.fact),
                                       table_.before(target.fact)});
        continue;
      }
      const bool is_selected = std::find(rule_.base_facts.begin(), rule_.base_facts.end(),
                                         target.fact) != rule_.base_facts.end();
      for (const Candidate& candidate : table_.candidates(target.fact))
        if (!is_selected || is_same_value(candidate.value, table_.value(target.fact)))
          add_candidate(target.results, candidate);
    }
  }

  void wait_for_candidates() {
    for (const FactId fact : rule_.base_facts)
      if (table_.has_candidates(fact))
        add_slots(outcome_.judgement.waits_for, table_.waits_for(fact));
  }

  void write(bool is_complete) {
    if (!is_complete && scratch_.target_count == 0) name_targets();
    for (Target& target : targets()) {
      const bool had_several = table_.has_candidates(target.fact);
      FactChange change;
      change.fact = target.fact;
      change.before = table_.value(target.fact);
      if (had_several) change.before_values = keep_candidate_values(target.fact);
      std::vector<std::uint32_t>& waits = scratch_.waits;
      waits = outcome_.judgement.waits_for;
      if (had_several) add_slots(waits, table_.waits_for(target.fact));
      bool is_known = is_complete;
      for (const Candidate& candidate : target.results) {
        if (candidate.value.is(ValueKind::unknown)) add_slots(waits, candidate.value.as_unknown());
        is_known = is_known && !candidate.value.is(ValueKind::unknown) &&
                   !candidate.value.is(ValueKind::error);
      }
      if (is_known) {
        change.written = keep(std::span<const Candidate>(target.results));
        if (target.results.size() > 1)
          change.waits_for = keep(std::span<const std::uint32_t>(waits));
      } else {
        const Candidate unknown{unknown_value(target.fact, waits), position_, change.before};
        change.written = keep(std::span(&unknown, 1));
      }
      table_.write(change.fact, change.written, change.waits_for);
      change.is_change = had_several || table_.has_candidates(target.fact) ||
                         !is_same_value(change.before, table_.value(target.fact));
      outcome_.changes.push_back(change);
    }
  }

  template <class T>
  std::span<const T> keep(std::span<const T> items) {
    T* memory = table_.memory().allocate_array<T>(items.size());
    std::uninitialized_copy(items.begin(), items.end(), memory);
    return {memory, items.size()};
  }

  std::span<const Value> keep_candidate_values(FactId fact) {
    const auto candidates = table_.candidates(fact);
    Value* memory = table_.memory().allocate_array<Value>(candidates.size());
    for (std::size_t at = 0; at < candidates.size(); ++at) memory[at] = candidates[at].value;
    return {memory, candidates.size()};
  }

  Value unknown_value(FactId fact, const std::vector<std::uint32_t>& waits) {
    if (waits.empty()) return table_.pack().unknown_slot(fact);
    return Value::unknown(keep(std::span<const std::uint32_t>(waits)));
  }

  const CompiledRule& rule_;
  const std::uint32_t position_;
  FactTable& table_;
  const Judgement* doubt_;
  DerivationOutcome& outcome_;
  DerivationScratch& scratch_;
  bool is_combining_ = false;  // some fact it reads has several values
  std::size_t combinations_ = 0;
  std::size_t applied_ = 0;
  std::size_t undecided_ = 0;
};

}  // namespace

void apply_derivation(std::uint32_t position, FactTable& table, const Judgement* doubt,
                      DerivationOutcome& outcome) {
  Application(position, table, doubt, outcome).run();
}

void assigned_values(const std::vector<CompiledAssignment>& assignments, FactTable& table,
                     std::vector<AssignedValue>& values) {
  values.clear();
  for (const CompiledAssignment& assignment : assignments) {
    Value part = assignment.literal;
    const Type& type = table.pack().schema().facts[assignment.fact].type;
    if (assignment.kind == Assignment::Kind::compute) {
      part = table.evaluate(assignment.computed);
      if (assignment.path.empty()) part = checked(part, type);
    }
    auto found = std::find_if(values.begin(), values.end(), [&](const AssignedValue& value) {
      return value.fact == assignment.fact;
    });
    if (found == values.end())
      found = values.insert(values.end(), {assignment.fact, table.value(assignment.fact)});
    const bool is_open = found->value.is(ValueKind::unknown) || found->value.is(ValueKind::error);
    if (assignment.path.empty() || part.is(ValueKind::unknown) || part.is(ValueKind::error)) {
      found->value = part;
    } else if (!is_open && assignment.kind == Assignment::Kind::unset) {
      found->value = without_value_at(found->value, assignment.path, table.memory());
    } else if (!is_open) {
      found->value = with_value_at(found->value, assignment.path, part, table.memory());
    }
  }
}

void repeat_changes(std::span<const FactChange> changes, FactTable& table) {
  for (const FactChange& change : changes)
    table.write(change.fact, change.written, change.waits_for);
}

bool is_same_outcome(const DerivationOutcome& a, const DerivationOutcome& b) {
  const auto same_candidate = [](const Candidate& x, const Candidate& y) {
    return x.writer == y.writer && is_same_value(x.value, y.value) &&
           is_same_value(x.before, y.before);
  };
  const auto same_change = [&](const FactChange& x, const FactChange& y) {
    return x.fact == y.fact && std::ranges::equal(x.written, y.written, same_candidate) &&
           std::ranges::equal(x.waits_for, y.waits_for);
  };
  return a.judgement.verdict == b.judgement.verdict &&
         std::ranges::equal(a.changes, b.changes, same_change);
}

namespace {

std::string joined_text(std::span<const Value> values) {
  std::string text;
  for (const Value& value : values) {
    if (!text.empty()) text += " or ";
    text += value.is(ValueKind::unknown) ? "unknown" : python_repr(value);
  }
  return text;
}

}  // namespace

std::string text_before(const FactChange& change) {
  return joined_text(change.before_values.empty() ? std::span(&change.before, 1)
                                                  : change.before_values);
}

std::string fact_text(const FactTable& table, FactId fact) {
  if (!table.has_candidates(fact)) return joined_text({&table.value(fact), 1});
  std::vector<Value> values;
  for (const Candidate& candidate : table.candidates(fact)) values.push_back(candidate.value);
  return joined_text(values);
}

}  // namespace assay
