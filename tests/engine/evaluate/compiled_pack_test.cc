// What compile_pack refuses, and how it orders rules. Here, above the compile layer, for the sake
// of the packs written as text.
#include "engine/compile/compiled_pack.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <utility>

#include "tests/engine/evaluate/test_pack.h"
#include "tests/support/sample.h"

namespace assay::test {
namespace {

std::string faults_of(const std::string& sections) {
  return make_pack(sections, false).fault_text();
}

TEST(CompilePack, OrdersRulesByStageStepPlaceAndId) {
  const std::string require = "require: page_size == 1\n";
  TestPack pack = make_pack(
      rule_file("z", "error", "early", require) + rule_file("c", "error", "final", require) +
      rule_file("b", "error", "unplaced", require) + rule_file("y", "error", "early", require) +
      rule_file("x", "error", "early", require + "place: 3\n") +
      rule_file("d", "error", "late", require));
  std::string order;
  for (const CompiledRule& rule : pack.pack->rules()) order += rule.source->id.substr(10) + " ";
  EXPECT_EQ(order, "y z x d c b ");
  EXPECT_EQ(pack.pack->first_unplaced(), 5u);
  EXPECT_EQ(pack.pack->find_rule("demo/area/d"), 3u);
  EXPECT_EQ(pack.pack->find_rule("demo/area/none"), kUnplaced);
}

TEST(CompilePack, ReportsTheFaultsOfAllRulesTogether) {
  const std::string faults =
      faults_of(rule_file("a", "error", "late", "require: page_sizes == 1\n") +
                rule_file("b", "error", "late", "require: page_size == \"x\"\n") +
                rule_file("c", "error", "late", "require: page_size ==\n"));
  EXPECT_NE(faults.find("undeclared-name"), std::string::npos) << faults;
  EXPECT_NE(faults.find("type-mismatch"), std::string::npos) << faults;
  EXPECT_NE(faults.find("expression-syntax"), std::string::npos) << faults;
}

// Many rules are compiled by several threads.
TEST(CompilePack, ReportsFaultsOfManyRulesInTheirOrder) {
  std::string sections;
  std::string expected;
  for (int at = 1000; at < 1300; ++at) {
    const std::string name = "page_" + std::to_string(at);
    const bool is_faulty = at % 3 == 0;
    sections += rule_file("r" + std::to_string(at), "error", "late",
                          "require: " + (is_faulty ? name : "page_size") + " == 1\n");
    if (is_faulty) expected += name + " ";
  }
  TestPack pack = make_pack(sections, false);
  std::string found;
  for (const Diagnostic& fault : pack.faults)
    found += fault.message.substr(fault.message.find("page_"), 9) + " ";
  EXPECT_EQ(found, expected);
}

TEST(CompilePack, KeepsWhatEachOfManyRulesSays) {
  std::string sections;
  for (int at = 1000; at < 1300; ++at)
    sections += rule_file("r" + std::to_string(at), "error", "late",
                          "let: {own: page_size + " + std::to_string(at) +
                              "}\nrequire: own != 2000\nmessage: \"{own} in rule " +
                              std::to_string(at) + "\"\n");
  TestPack pack = make_pack(sections);
  const CheckReport report = check(pack, "{page_size: 800}");
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].message, "2000 in rule 1200");
}

// Reading goes from name to name; no chain of them is too long for the stack.
TEST(CompilePack, ReadsLongChainsOfNames) {
  const int shorter = test::sample_step() > 1 ? 4 : 1;  // the time goes with the square
  const int derived = 2000 / shorter;
  const int names = 500 / shorter;
  std::string facts = "=== facts.yaml\nfacts:\n  derived.d0: {type: int, expression: page_size}\n";
  std::string lets = fmt::format("let:\n  l0: derived.d{} + 1\n", derived - 1);
  for (int at = 1; at < derived; ++at)
    facts += fmt::format("  derived.d{}: {{type: int, expression: derived.d{} + 1}}\n", at, at - 1);
  for (int at = 1; at < names; ++at) lets += fmt::format("  l{}: l{} + 1\n", at, at - 1);
  const std::string last = fmt::format("l{}", names - 1);
  TestPack pack =
      make_pack(facts + rule_file("a", "error", "late",
                                  lets + fmt::format("require: {} == {}\nmessage: \"{{{}}}\"\n",
                                                     last, derived + names, last)));
  EXPECT_EQ(check(pack, "{page_size: 1}").findings.size(), 0u);
  const CheckReport report = check(pack, "{page_size: 2}");
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].message, std::to_string(derived + names + 1));
}

TEST(CompilePack, RefusesALiteralOfAnotherType) {
  const std::string faults = faults_of(
      rule_file("a", "note", "late", "when: page_size == 1\neffect: {set: {page_size: many}}\n"));
  EXPECT_EQ(faults, "invalid-value: `page_size` is int, and this value is none\n");
}

TEST(CompilePack, RefusesAComputedValueOfAnotherType) {
  const std::string faults = faults_of(
      rule_file("a", "note", "late",
                "when: page_size == 1\neffect: {compute: {page_size: kv_cache_dtype}}\n"));
  EXPECT_EQ(faults, "type-mismatch: `page_size` is int, and this expression gives string\n");
}

// The reader refuses this as well; a pack may also be made without it.
TEST(CompilePack, RefusesToAssignToADerivedFact) {
  TestPack pack =
      make_pack(rule_file("a", "note", "late",
                          "when: page_size == 1\neffect: {set: {kv_cache_dtype: bf16}}\n"),
                false);
  ASSERT_NE(pack.pack, nullptr) << pack.fault_text();
  RulePack source = pack.source();
  source.rules[0].effect[0].target = "derived.backend";
  Diagnostics warnings;
  const auto compiled = compile_pack(std::move(source), warnings);
  ASSERT_FALSE(compiled);
  EXPECT_EQ(compiled.error()[0].message,
            "`derived.backend` is computed from other facts, so nothing can be assigned to it");
}

TEST(CompilePack, RefusesDerivedFactsThatNeedEachOther) {
  const std::string faults = faults_of(R"(=== facts.yaml
facts:
  derived.a: {type: int, expression: derived.b + 1, documentation: A.}
  derived.b: {type: int, expression: derived.c + 1, documentation: B.}
  derived.c: {type: int, expression: derived.a + 1, documentation: C.}
)");
  EXPECT_EQ(
      faults,
      "cyclic-derivation: derived facts need each other: `derived.a` needs `derived.b`, which "
      "needs `derived.c`, which needs `derived.a`\n");
}

// The reader refuses the names of facts as well; a pack may also be made without it.
TEST(CompilePack, RefusesALetNameThatIsTaken) {
  TestPack pack = make_pack(
      rule_file("a", "error", "late", "let: {limit: '1'}\nrequire: page_size == limit\n"), false);
  ASSERT_NE(pack.pack, nullptr) << pack.fault_text();
  RulePack source = pack.source();
  source.rules[0].lets[0].name = "page_size";
  source.rules[0].require->text = "page_size == 1";
  Diagnostics warnings;
  const auto compiled = compile_pack(std::move(source), warnings);
  ASSERT_FALSE(compiled);
  EXPECT_EQ(compiled.error()[0].message,
            "the `let` name `page_size` is taken by a fact or another name");
}

TEST(CompilePack, KeepsBeforeAndLabelToTheirMessages) {
  EXPECT_NE(faults_of(rule_file("a", "error", "late", "require: before.page_size == 1\n"))
                .find("`before.page_size` is there in messages only"),
            std::string::npos);
  EXPECT_NE(faults_of(rule_file("a", "error", "late",
                                "require: page_size == 1\nmessage: \"{before.page_size}\"\n"))
                .find("in a derivation's message only"),
            std::string::npos);
  EXPECT_NE(
      faults_of(rule_file("a", "error", "late", "require: page_size == 1\nmessage: \"{label}\"\n"))
          .find("in the message of a rule with `cases` only"),
      std::string::npos);
}

TEST(CompilePack, LetNamesOfOneRuleAreNotThoseOfAnother) {
  const std::string faults = faults_of(
      rule_file("a", "error", "late", "let: {limit: page_size + 1}\nrequire: limit == 2\n") +
      rule_file("b", "error", "late", "require: limit == 2\n"));
  EXPECT_NE(faults.find("undeclared-name"), std::string::npos) << faults;
}

TEST(CompilePack, ReadsFactsInTheOrderOfTheText) {
  TestPack pack = make_pack(rule_file(
      "a", "error", "late",
      "when: tp_size > 1 && derived.backend == \"fa3\"\nrequire: chunk_size > page_size\n"));
  std::string names;
  for (const std::uint32_t slot : pack.pack->rules()[0].reads)
    names += slot_name(pack.source().schema, pack.pack->slots(), slot) + " ";
  EXPECT_EQ(names, "tp_size derived.backend chunk_size page_size ");
}

}  // namespace
}  // namespace assay::test
