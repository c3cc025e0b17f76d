// The slow half of checking a call, run only when the fast half (kernel_call.cc) does not say yes:
// every clause and every demand of the tensor table by itself, with words. The two are written
// apart and held against each other, and against a third, in the tests.
#include "engine/evaluate/contract_checker.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "engine/evaluate/tensor_law.h"
#include "engine/evaluate/value_text.h"
#include "engine/model/tensor_text.h"

namespace assay {
namespace {

using State = IntegerResult::State;

constexpr ContractProfile kNoProfile{};

ContractProfile operator|(ContractProfile a, ContractProfile b) {
  return static_cast<ContractProfile>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}

// What a clause's profile adds is the engine's order and words: the table itself is always safety.
ContractProfile profile_of(const ContractClause& clause, TensorProperty property) {
  return property == TensorProperty::device ? clause.profile
                                            : clause.profile | ContractProfile::safety;
}

class CallChecker {
 public:
  CallChecker(const CompiledContract& contract, const KernelCall& call, ContractProfile profile)
      : contract_(contract),
        call_(call),
        profile_(profile),
        values_(contract, call),
        law_(contract, call, values_) {}

  std::vector<ContractViolation> run() {
    for (std::size_t i = 0; i < contract_.source.tensors.size(); ++i)
      ranges_.push_back(law_.range_if_lawful(i));
    for (const ContractStep& step : contract_.plan.steps) {
      const ContractClause& clause = contract_.source.clauses[step.clause];
      if (!applies_to(clause, call_.back_end)) continue;
      if (step.tensor != ContractStep::kNoTensor)
        judge_properties(step.clause, step.tensor);
      else if (clause.require)
        judge_require(step.clause);
      else
        judge_aliases(step.clause);
    }
    judge_table();
    for (ContractViolation& violation : violations_) {
      if (!includes(violation.profile, ContractProfile::engine)) continue;
      violation.is_first_in_engine = true;
      break;
    }
    return std::move(violations_);
  }

 private:
  void judge_properties(std::uint32_t index, std::size_t tensor) {
    const ContractClause& clause = contract_.source.clauses[index];
    ContractViolation violation;
    violation.profile = kNoProfile;
    std::vector<std::string> expected;
    std::vector<std::string> found;
    std::vector<std::string> words;
    for (const TensorProperty property : clause.properties) {
      auto breach = law_.judge(property, tensor);
      if (!breach) continue;
      violation.profile = violation.profile | profile_of(clause, property);
      expected.push_back(std::move(breach->expected));
      found.push_back(std::move(breach->found));
      words.push_back(std::move(breach->words));
    }
    if (words.empty()) return;
    violation.argument = contract_.source.tensors[tensor].name;
    violation.expected = fmt::format("{}", fmt::join(expected, "; "));
    violation.found = fmt::format("{}", fmt::join(found, "; "));
    violation.message = fmt::format("{}", fmt::join(words, "; "));
    add_clause(index, std::move(violation), &tensor);
  }

  void judge_require(std::uint32_t index) {
    const ContractClause& clause = contract_.source.clauses[index];
    const Predicate& require = *contract_.clauses[index].require;
    const CallValues::Verdict verdict = values_.judge(contract_.plan.requires_[index], require);
    // What cannot be computed is refused: that is how extents near 2^63 would slip through.
    if (verdict.state == State::unknown || (verdict.state == State::value && verdict.holds)) return;
    ContractViolation violation;
    violation.profile = clause.profile;
    std::vector<std::string> names;
    std::vector<std::string> found;
    for (const std::uint32_t slot : require.slots()) {
      names.push_back(contract_.names.variable(slot).name);
      found.push_back(fmt::format("{} = {}", names.back(), values_.text_of(slot)));
    }
    violation.argument = fmt::format("{}", fmt::join(names, ", "));
    violation.expected = clause.require->text;
    violation.found = fmt::format("{}", fmt::join(found, ", "));
    if (verdict.state == State::error) violation.found += fmt::format(" ({})", verdict.fault);
    violation.message = fmt::format("{} must hold, got {}", violation.expected, violation.found);
    add_clause(index, std::move(violation), nullptr);
  }

  // The engine compares base addresses; for safety no byte may be shared with what is written.
  void judge_aliases(std::uint32_t index) {
    const ContractClause& clause = contract_.source.clauses[index];
    for (std::size_t i = 0; i < clause.tensors.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const std::size_t a = find_tensor(contract_.source, clause.tensors[j]);
        const std::size_t b = find_tensor(contract_.source, clause.tensors[i]);
        if (call_.tensors[a] == nullptr || call_.tensors[b] == nullptr) continue;
        ContractViolation violation;
        violation.profile = kNoProfile;
        if (call_.tensors[a]->address() == call_.tensors[b]->address())
          violation.profile = clause.profile;
        if (shares_written_bytes(a, b))
          violation.profile = violation.profile | ContractProfile::safety;
        if (!includes(violation.profile, profile_)) continue;
        describe_overlap(a, b, violation);
        violation.expected = "no memory in common";
        add_clause(index, std::move(violation), nullptr);
        return;
      }
    }
  }

  bool shares_written_bytes(std::size_t a, std::size_t b) const {
    const std::vector<ContractTensor>& tensors = contract_.source.tensors;
    return (tensors[a].is_output || tensors[b].is_output) && ranges_[a] && ranges_[b] &&
           overlap(*ranges_[a], *ranges_[b]);
  }

  void describe_overlap(std::size_t a, std::size_t b, ContractViolation& violation) const {
    const std::string& first = contract_.source.tensors[a].name;
    const std::string& second = contract_.source.tensors[b].name;
    violation.argument = fmt::format("{}, {}", first, second);
    violation.found = fmt::format("{} at {:#x}, {} at {:#x}", first, call_.tensors[a]->address(),
                                  second, call_.tensors[b]->address());
    violation.message = fmt::format("{} must not overlap {}", first, second);
  }

  // What no clause words, in the order of the call.
  void judge_table() {
    static constexpr TensorProperty kTable[] = {
        TensorProperty::is_tensor, TensorProperty::rank,       TensorProperty::dtype,
        TensorProperty::shape,     TensorProperty::contiguous, TensorProperty::same_device};
    const std::vector<ContractTensor>& tensors = contract_.source.tensors;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      for (const TensorProperty property : kTable)
        if (!is_worded(i, property)) add_table(to_string(property), i, law_.judge(property, i));
      if (call_.tensors[i] == nullptr) continue;
      if (!tensors[i].is_contiguous)
        add_table("negative_stride", i, law_.judge_negative_strides(i));
      add_table("extents", i, law_.judge_extents(i));
      add_table("null", i, law_.judge_null(i));
      if (!is_worded(i, TensorProperty::aligned))
        add_table("aligned", i, law_.judge(TensorProperty::aligned, i));
    }
    judge_scalars();
    judge_overlaps();
  }

  // A clause that is limited to other back ends words nothing here.
  bool is_worded(std::size_t tensor, TensorProperty property) const {
    if (!contract_.plan.tensors[tensor].is_worded(property)) return false;
    for (const ContractStep& step : contract_.plan.steps) {
      const ContractClause& clause = contract_.source.clauses[step.clause];
      const bool checks = std::find(clause.properties.begin(), clause.properties.end(), property) !=
                          clause.properties.end();
      if (step.tensor == tensor && checks && applies_to(clause, call_.back_end)) return true;
    }
    return false;
  }

  void judge_scalars() {
    for (std::size_t i = 0; i < contract_.source.scalars.size(); ++i) {
      const ContractScalar& scalar = contract_.source.scalars[i];
      if (!scalar_value(scalar, call_.scalars[i]).is(ValueKind::null)) continue;
      ContractViolation violation;
      violation.id = "table/scalar";
      violation.argument = scalar.name;
      violation.expected = to_string(scalar.type);
      violation.found = python_repr(call_.scalars[i]);
      violation.message = fmt::format("{} must be given as {}, got {}", scalar.name,
                                      violation.expected, violation.found);
      violation.profile = ContractProfile::safety;
      violation.span = scalar.span;
      add(std::move(violation));
    }
  }

  void judge_overlaps() {
    const std::vector<ContractTensor>& tensors = contract_.source.tensors;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      if (!tensors[i].is_output) continue;
      for (std::size_t other = 0; other < tensors.size(); ++other) {
        const bool is_seen = tensors[other].is_output && other <= i;
        if (is_seen || !shares_written_bytes(i, other) || is_alias_reported(i, other)) continue;
        ContractViolation violation;
        violation.id = "table/overlap";
        violation.profile = ContractProfile::safety;
        violation.expected = "no memory in common";
        violation.span = tensors[i].span;
        describe_overlap(i, other, violation);
        add(std::move(violation));
      }
    }
  }

  bool is_alias_reported(std::size_t a, std::size_t b) const {
    const auto names = [&](const ContractClause& clause, std::size_t tensor) {
      return std::find(clause.tensors.begin(), clause.tensors.end(),
                       contract_.source.tensors[tensor].name) != clause.tensors.end();
    };
    return std::any_of(violations_.begin(), violations_.end(), [&](const ContractViolation& one) {
      return one.clause != nullptr && !one.clause->properties.empty() &&
             one.clause->properties[0] == TensorProperty::no_alias && names(*one.clause, a) &&
             names(*one.clause, b);
    });
  }

  void add_clause(std::uint32_t index, ContractViolation violation, const std::size_t* tensor) {
    const ContractClause& clause = contract_.source.clauses[index];
    violation.clause = &clause;
    violation.id = clause.id;
    violation.error = clause.error;
    violation.raises = clause.raises.empty() ? contract_.source.source.raises : clause.raises;
    violation.span = clause.span;
    if (auto message = values_.render(contract_.clauses[index].message, tensor)) {
      violation.message = std::move(*message);
      violation.is_worded = true;
    }
    add(std::move(violation));
  }

  void add_table(std::string_view what, std::size_t tensor, std::optional<Breach> breach) {
    if (!breach) return;
    ContractViolation violation;
    violation.id = fmt::format("table/{}", what);
    violation.argument = contract_.source.tensors[tensor].name;
    violation.expected = std::move(breach->expected);
    violation.found = std::move(breach->found);
    violation.message = std::move(breach->words);
    violation.profile = ContractProfile::safety;
    violation.span = contract_.source.tensors[tensor].span;
    add(std::move(violation));
  }

  void add(ContractViolation violation) {
    if (includes(violation.profile, profile_)) violations_.push_back(std::move(violation));
  }

  const CompiledContract& contract_;
  const KernelCall& call_;
  ContractProfile profile_;
  CallValues values_;
  TensorLaw law_;
  std::vector<std::optional<ByteRange>> ranges_;  // by tensor
  std::vector<ContractViolation> violations_;
};

}  // namespace

std::vector<ContractViolation> check_contract(const CompiledContract& contract,
                                              const KernelCall& call, ContractProfile profile) {
  if (is_plainly_legal(contract, call, profile)) return {};
  return CallChecker(contract, call, profile).run();
}

std::uint32_t find_tensor(const TensorContract& contract, std::string_view name) {
  for (std::uint32_t i = 0; i < contract.tensors.size(); ++i)
    if (contract.tensors[i].name == name) return i;
  return ContractStep::kNoTensor;
}

}  // namespace assay
