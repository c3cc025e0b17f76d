// No attempt is made to solve a condition: values are proposed from what the rule's predicates
// mention, and the pipeline says which of them help. Numbers are ordered by their distance from the
// value in force, so that a repair changes a size as little as it can.
#include "engine/evaluate/repair_values.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "engine/compile/literal.h"

namespace assay {
namespace {

constexpr std::int64_t kLargest = std::int64_t{1} << 40;

// Calls `visit(constant)` for every constant of the conditions that judge the rule.
template <class Visit>
void for_each_constant(const CompiledRule& rule, Visit&& visit) {
  const auto visit_all = [&](const Predicate& predicate) {
    for (const Value& constant : predicate.constants()) {
      visit(constant);
      if (constant.is(ValueKind::list))
        for (const Value& item : constant.as_list()) visit(item);
    }
  };
  for (const CompiledLet& let : rule.lets) visit_all(let.predicate);
  if (rule.when) visit_all(*rule.when);
  for (const CompiledCase& row : rule.cases) visit_all(row.when);
  if (rule.require) visit_all(*rule.require);
}

class Proposals {
 public:
  Proposals(const CompiledRule& rule, FactId fact, FactTable& table)
      : rule_(rule), fact_(fact), table_(table), declaration_(table.pack().schema().facts[fact]) {}

  std::vector<ValueToTry> make() {
    switch (declaration_.type.kind) {
      case TypeKind::boolean:
        add(Value::boolean(true));
        add(Value::boolean(false));
        break;
      case TypeKind::integer:
        add_integers();
        break;
      case TypeKind::real:
        add_reals();
        break;
      case TypeKind::string:
        add_strings();
        break;
      default:
        break;  // lists and maps: only their defaults
    }
    if (values_.size() > kMaxValues) values_.resize(kMaxValues);
    return std::move(values_);
  }

 private:
  void add(const Value& value) {
    if (is_same_value(value, table_.value(fact_))) return;
    if (std::any_of(tried_.begin(), tried_.end(),
                    [&](const Value& known) { return is_same_value(known, value); }))
      return;
    if (auto node = value_node(value)) {
      tried_.push_back(value);
      values_.push_back({std::move(*node), distance(value)});
    }
  }

  std::uint32_t distance(const Value& value) const {
    const auto number = [](const Value& of) {
      if (of.is(ValueKind::integer)) return static_cast<double>(of.as_integer());
      return of.is(ValueKind::real) ? of.as_real() : 0.0;
    };
    if (!value.is(ValueKind::integer) && !value.is(ValueKind::real))
      return static_cast<std::uint32_t>(values_.size());
    const double current = number(table_.value(fact_));
    const double change = std::fabs(number(value) - current) / std::max(std::fabs(current), 1.0);
    return static_cast<std::uint32_t>(std::min(10 * change, 1000.0));
  }

  bool is_choice(std::string_view text) const {
    return declaration_.choices.empty() || declaration_.has_open_choices ||
           std::any_of(declaration_.choices.begin(), declaration_.choices.end(),
                       [&](const Node& choice) { return choice.text == text; });
  }

  void add_strings() {
    // Without a list of choices a constant may be anything: a name, a prefix. Only what the rule
    // compares this fact with would do, and the guards do not tell; so the check decides.
    for_each_constant(rule_, [&](const Value& constant) {
      if (constant.is(ValueKind::string) && !constant.as_text().empty() &&
          is_choice(constant.as_text()) && !declaration_.choices.empty())
        add(constant);
    });
    for (const Node& choice : declaration_.choices)
      if (choice.is_string()) add(Value::string(choice.text));
  }

  // A size below one: only where the default is no size either, and zero only where it is a number.
  bool is_special_value(std::int64_t number) const {
    const Value& fallback = table_.pack().initial_values()[fact_];
    return fallback.is(ValueKind::integer) ? fallback.as_integer() <= 0 : number < 0;
  }

  void add_integers() {
    std::vector<std::int64_t> bases;
    const auto note = [&](const Value& value) {
      if (value.is(ValueKind::integer) && std::abs(value.as_integer()) < kLargest)
        bases.push_back(value.as_integer());
    };
    for_each_constant(rule_, note);
    for (const std::uint32_t slot : rule_.inputs)
      if (slot != fact_) note(table_.read(slot));
    note(table_.pack().initial_values()[fact_]);
    std::sort(bases.begin(), bases.end());
    bases.erase(std::unique(bases.begin(), bases.end()), bases.end());

    const Value& value = table_.value(fact_);
    const bool has_value = value.is(ValueKind::integer) && std::abs(value.as_integer()) < kLargest;
    const std::int64_t current = has_value ? value.as_integer() : 0;
    std::vector<std::int64_t> found;
    for (const std::int64_t base : bases) {
      for (const std::int64_t near : {base - 1, base, base + 1}) found.push_back(near);
      if (base < 2) continue;
      const std::int64_t below = current / base * base;
      for (const std::int64_t near : {below, below + base}) found.push_back(near);
      for (std::int64_t divisor = base; divisor > 1; divisor /= 2)
        if (base % divisor == 0) found.push_back(divisor);
    }
    for (const Node& choice : declaration_.choices)
      if (choice.kind == NodeKind::integer) found.push_back(choice.integer);
    std::sort(found.begin(), found.end(), [&](std::int64_t a, std::int64_t b) {
      return std::abs(a - current) != std::abs(b - current)
                 ? std::abs(a - current) < std::abs(b - current)
                 : a > b;
    });
    for (const std::int64_t number : found) {
      const bool is_listed =
          declaration_.choices.empty() ||
          std::any_of(declaration_.choices.begin(), declaration_.choices.end(),
                      [&](const Node& choice) { return choice.integer == number; });
      const bool is_plausible =
          number > 0 ||
          (is_special_value(number) && std::binary_search(bases.begin(), bases.end(), number));
      if (is_listed && is_plausible) add(Value::integer(number));
    }
  }

  void add_reals() {
    std::vector<double> found;
    const auto note = [&](const Value& value) {
      if (value.is(ValueKind::real) && std::isfinite(value.as_real()))
        found.push_back(value.as_real());
      if (value.is(ValueKind::integer)) found.push_back(static_cast<double>(value.as_integer()));
    };
    for_each_constant(rule_, note);
    for (const std::uint32_t slot : rule_.inputs)
      if (slot != fact_) note(table_.read(slot));
    // A bound may be excluded: what lies between two of them is tried as well.
    std::sort(found.begin(), found.end());
    const std::size_t bounds = found.size();
    for (std::size_t i = 0; i + 1 < bounds; ++i) found.push_back((found[i] + found[i + 1]) / 2);
    for (const double number : found) add(Value::real(number));
  }

  const CompiledRule& rule_;
  const FactId fact_;
  FactTable& table_;
  const FactDeclaration& declaration_;
  std::vector<ValueToTry> values_;
  std::vector<Value> tried_;
};

}  // namespace

std::vector<ValueToTry> values_to_try(const CompiledRule& rule, FactId fact, FactTable& table) {
  return Proposals(rule, fact, table).make();
}

}  // namespace assay
