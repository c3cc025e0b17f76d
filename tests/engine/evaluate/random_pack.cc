#include "tests/engine/evaluate/random_pack.h"

#include <utility>

namespace assay::test {
namespace {

const char* const kChoices[] = {"a", "b", "c", "d"};

FactDeclaration declare(std::string name, Type type, bool is_argument) {
  FactDeclaration fact;
  fact.name = std::move(name);
  fact.type = std::move(type);
  fact.is_argument = is_argument;
  return fact;
}

void add(FactSchema& schema, FactDeclaration fact) {
  schema.by_name.emplace(fact.name, static_cast<FactId>(schema.facts.size()));
  schema.facts.push_back(std::move(fact));
}

std::string number(std::uint32_t value) { return std::to_string(value); }

GivenFact given(std::string name, Node value) {
  return {std::move(name), std::move(value), Origin::command_line_fact, {}, {}};
}

}  // namespace

Node string_node(std::string text) {
  Node node;
  node.kind = NodeKind::string;
  node.text = std::move(text);
  return node;
}
Node integer_node(std::int64_t value) {
  Node node;
  node.kind = NodeKind::integer;
  node.integer = value;
  node.real = static_cast<double>(value);
  node.text = std::to_string(value);
  return node;
}
Node boolean_node(bool value) {
  Node node;
  node.kind = NodeKind::boolean;
  node.boolean = value;
  node.text = value ? "true" : "false";
  return node;
}

std::string RandomWorld::atom() {
  const std::string s = "s" + number(below(4));
  const std::string i = "i" + number(below(4));
  switch (below(14)) {
    case 0:
      if (has_lets_) return let_atom();
      [[fallthrough]];
    case 1:
    case 2:
      return s + " == \"" + kChoices[below(4)] + "\"";
    case 3:
      return s + " in [\"" + kChoices[below(4)] + "\", \"" + kChoices[below(4)] + "\"]";
    case 4:
      return s + " != \"" + kChoices[below(4)] + "\"";
    case 5:
      return i + " > " + number(below(4));
    case 6:
      return i + " == " + number(below(4));
    case 7:
      return "b" + number(below(3));
    case 8:
      return "!b" + number(below(3));
    case 9:
      return "gpu.sm >= " + number(80 + 10 * below(3));
    case 10:
      return "model.is_mla";
    case 11:
      return "derived.d" + number(below(3)) + " == \"" + kChoices[below(4)] + "\"";
    case 12:
      return below(2) == 0 ? "given(" + s + ")" : "raw." + s + " == \"" + kChoices[below(4)] + "\"";
    default:
      return "has(env.E0) || " + i + " % (1 + i0) == 0";
  }
}

std::string RandomWorld::condition(int depth) {
  if (depth == 0 || below(3) == 0) return "(" + atom() + ")";
  const std::string a = condition(depth - 1);
  const std::string b = condition(depth - 1);
  switch (below(6)) {
    case 0:
      return "!(" + a + ")";
    case 1:
    case 2:
      return "(" + a + " || " + b + ")";
    default:
      return "(" + a + " && " + b + ")";
  }
}

std::string RandomWorld::let_atom() {
  switch (below(3)) {
    case 0:
      return "x > " + number(below(4));
    case 1:
      return "y == " + number(below(3));
    default:
      return "z";
  }
}

// Each name is read by one after it or by the condition; `y` fails where its divisor is 0.
void RandomWorld::add_lets(Rule& rule) {
  has_lets_ = false;
  rule.lets = {
      {"x", {"i" + number(below(4)) + " + i" + number(below(4)), {}, false}},
      {"y", {"x % i" + number(below(4)), {}, false}},
      {"z", {"derived.d" + number(below(3)) + " == \"a\" || y > 1 && " + atom(), {}, false}}};
  has_lets_ = true;
  const char* const ways[] = {" && (z || ", " || (z && "};
  rule.when = ExpressionText{condition(1) + ways[below(2)] + condition(1) + ")", {}, false};
}

Assignment RandomWorld::assignment() {
  Assignment result;
  const std::uint32_t at = below(4);
  switch (below(5)) {
    case 0:
      result.target = "i" + number(at);
      result.literal = integer_node(below(4));
      break;
    case 1:
      result.target = "b" + number(below(3));
      result.literal = boolean_node(below(2) == 0);
      break;
    case 2:
      result.target = "i" + number(at);
      result.kind = Assignment::Kind::compute;
      result.expression.text = has_lets_ ? "x % 4" : "(i" + number(below(4)) + " + 1) % 4";
      break;
    case 3:
      result.target = "s" + number(at);
      result.kind = Assignment::Kind::compute;
      result.expression.text = "gpu.sm >= 90 ? \"a\" : s" + number(below(4));
      break;
    default:
      result.target = "s" + number(at);
      result.literal = string_node(kChoices[below(4)]);
  }
  return result;
}

Rule RandomWorld::rule(std::uint32_t index) {
  Rule rule;
  rule.id = "random/r" + number(index);
  rule.step = below(12) == 0 ? "unplaced" : "t" + number(below(9));
  rule.place = below(3);
  rule.severity = below(4) == 0 ? Severity::warning : Severity::error;
  rule.message = "r" + number(index) + " sees {s0} {i1!r}";
  has_lets_ = false;
  if (below(3) == 0)
    add_lets(rule);
  else if (below(8) != 0)
    rule.when = ExpressionText{condition(2), {}, false};
  switch (below(4)) {
    case 0:
    case 1:
      rule.severity = below(3) == 0 ? Severity::warning : Severity::note;
      rule.effect.push_back(assignment());
      if (below(3) == 0) rule.effect.push_back(assignment());
      if (rule.effect.back().target == rule.effect.front().target) rule.effect.resize(1);
      break;
    case 2:
      rule.cases = {{"first", {condition(1), {}, false}}, {"second", {condition(1), {}, false}}};
      rule.message += " {label}";
      break;
    default:
      rule.require = ExpressionText{"i1 > " + number(below(4)) + " || " + condition(1), {}, false};
  }
  return rule;
}

RulePack RandomWorld::pack(std::size_t rules) {
  RulePack pack;
  pack.name = "random";
  pack.versions = {"1.0", "2.0"};
  for (std::uint32_t at = 0; at < 4; ++at) {
    FactDeclaration fact = declare("s" + number(at), Type::of(TypeKind::string), true);
    fact.default_value = string_node(kChoices[below(2)]);
    for (const char* choice : kChoices) fact.choices.push_back(string_node(choice));
    add(pack.schema, std::move(fact));
    fact = declare("i" + number(at), Type::of(TypeKind::integer), true);
    fact.default_value = integer_node(below(3));
    add(pack.schema, std::move(fact));
    if (at == 3) break;
    fact = declare("b" + number(at), Type::of(TypeKind::boolean), true);
    fact.default_value = boolean_node(false);
    add(pack.schema, std::move(fact));
    fact = declare("derived.d" + number(at), Type::of(TypeKind::string), false);
    const std::string other = at == 0 ? "s3" : "derived.d" + number(at - 1);
    fact.expression = ExpressionText{
        "b" + number(below(3)) + " ? s" + number(below(4)) + " : " + other, {}, false};
    add(pack.schema, std::move(fact));
  }
  add(pack.schema, declare("gpu.sm", Type::of(TypeKind::integer), false));
  add(pack.schema, declare("model.is_mla", Type::of(TypeKind::boolean), false));
  FactDeclaration variable = declare("env.E0", Type::of(TypeKind::string), false);
  variable.type.is_nullable = true;
  add(pack.schema, std::move(variable));
  add(pack.schema, declare("version.engine", Type::of(TypeKind::string), false));
  for (std::uint32_t stage = 0; stage < 3; ++stage) {
    pack.stages.push_back({"stage" + number(stage), "", {}});
    for (std::uint32_t step = 0; step < 3; ++step) {
      PipelineStep part;
      part.name = "t" + number(stage * 3 + step);
      if (below(5) == 0) {
        part.stop_when = ExpressionText{condition(1), {}, false};
        part.assume_not_when_unresolved = below(3) == 0;
      }
      pack.stages.back().steps.push_back(std::move(part));
    }
  }
  for (std::uint32_t at = 0; at < rules; ++at) {
    pack.rules.push_back(rule(at));
    if (below(10) == 0) pack.rules.back().versions = below(2) == 0 ? "<2" : ">=2";
  }
  return pack;
}

Launch RandomWorld::launch(const RulePack& pack) {
  Launch launch;
  launch.pack = pack.name;
  for (FactId id = 0; id < pack.schema.facts.size(); ++id) {
    const FactDeclaration& fact = pack.schema.facts[id];
    if (!fact.is_argument || below(4) != 0) continue;
    LaunchArgument argument;
    argument.fact = id;
    if (fact.type.kind == TypeKind::string) argument.value = string_node(kChoices[below(4)]);
    if (fact.type.kind == TypeKind::integer) argument.value = integer_node(below(4));
    if (fact.type.kind == TypeKind::boolean) argument.value = boolean_node(below(2) == 0);
    argument.is_known = below(12) != 0;
    launch.arguments.push_back(std::move(argument));
  }
  if (below(5) == 0) launch.environment.push_back({"E0", "x", {}, true});
  return launch;
}

std::vector<GivenFact> RandomWorld::some_facts() {
  std::vector<GivenFact> facts;
  if (below(2) == 0) facts.push_back(given("gpu.sm", integer_node(80 + 10 * below(3))));
  if (below(2) == 0) facts.push_back(given("model.is_mla", boolean_node(below(2) == 0)));
  if (below(10) == 0) facts.push_back(given("version.engine", string_node("1.0")));
  if (below(10) == 0) facts.push_back(given("derived.d1", string_node(kChoices[below(4)])));
  return facts;
}

std::vector<std::vector<GivenFact>> RandomWorld::all_facts() {
  std::vector<std::vector<GivenFact>> all;
  for (const std::int64_t sm : {80, 90, 100})
    for (const bool is_mla : {false, true})
      all.push_back(
          {given("gpu.sm", integer_node(sm)), given("model.is_mla", boolean_node(is_mla))});
  return all;
}

}  // namespace assay::test
