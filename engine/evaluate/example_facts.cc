#include "engine/evaluate/example_facts.h"

#include "engine/compile/literal.h"
#include "engine/evaluate/fact_path.h"
#include "engine/evaluate/launch_facts.h"

namespace assay {

void load_example(const RuleExample& example, FactTable& table, Diagnostics& faults) {
  table.reset();
  for (const FactValue& fact : example.facts)
    if (fact.name == "version.engine") take_defaults_of(fact.value.text, table);
  const FactSchema& schema = table.pack().schema();
  for (const FactValue& fact : example.facts) {
    const FactPath target = find_fact_path(schema, fact.name);
    if (!target.is_known) {
      faults.push_back(
          make_error(code::unknown_fact, fact.name_span, "no fact is called `" + fact.name + "`"));
      continue;
    }
    const FactDeclaration& declaration = schema.facts[target.fact];
    const Type type = target.path.empty() ? declaration.type : Type{};
    const auto part = literal_value(fact.value, table.memory(), type);
    if (!part) {
      const Span span = fact.value.span.is_known() ? fact.value.span : fact.name_span;
      faults.push_back(make_error(
          code::invalid_value, span,
          "`" + fact.name + "` is " + to_string(declaration.type) + ", and this value is none"));
      continue;
    }
    const Value value = with_value_at(table.value(target.fact), target.path, *part, table.memory());
    if (declaration.is_argument)
      give_argument(table, target.fact, value, Origin::argument, fact.name_span);
    else
      give_fact(table, target.fact, value, Origin::command_line_fact, fact.name_span);
  }
  lay_overrides_over(table);
}

}  // namespace assay
