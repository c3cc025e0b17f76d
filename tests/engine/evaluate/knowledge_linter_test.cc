#include "engine/evaluate/knowledge_linter.h"

#include <gtest/gtest.h>

#include "engine/read/contract_reader.h"
#include "tests/engine/evaluate/test_pack.h"

namespace assay::test {
namespace {

const std::string kExamples = R"(examples:
  - violates: {page_size: 2}
  - passes: {}
)";

Dataset with_record(const std::string& message, const std::string& pattern) {
  Dataset dataset;
  ErrorRecord record;
  record.id = "0123456789abcdef";
  record.slug = "page-size";
  record.error_message = message;
  record.message_pattern = pattern;
  record.error_class = "ValueError";
  dataset.records.push_back(std::move(record));
  dataset.by_id.emplace("0123456789abcdef", 0);
  return dataset;
}

std::string lint(const std::string& sections, const Dataset& dataset = {}) {
  TestPack pack = make_pack(sections);
  if (pack.pack == nullptr) return "does not compile";
  std::string text;
  for (const Diagnostic& fault : lint_rules(*pack.pack, dataset))
    text += std::string(fault.code.name) + ": " + fault.message + "\n";
  return text;
}

std::string rule(const std::string& rest) {
  return rule_file(
      "page", "error", "late",
      "require: page_size == 1\nmessage: \"page_size must be 1, got {page_size}.\"\n" + rest);
}

std::string lint_clause(const std::string& clause, const Dataset& dataset) {
  SourceSet sources;
  const SourceId source = sources.add("scale.yaml",
                                      "kernel: scale\ntitle: Scale\nrepository: toy/engine\n"
                                      "summary: Scales rows.\n"
                                      "source: {file: a.py, sha: 0123abcd, raises: TypeError}\n"
                                      "dimensions: {rows: rows}\n"
                                      "tensors: {x: {dtype: float32, shape: [rows]}}\n"
                                      "clauses:\n  - " +
                                          clause + "\n");
  auto contract = read_contract(sources, source);
  if (!contract) return contract.error()[0].message;
  const auto compiled = compile_contract(std::move(*contract));
  if (!compiled) return compiled.error()[0].message;
  std::string text;
  for (const Diagnostic& fault : lint_contract(*compiled, dataset))
    text += std::string(fault.code.name) + ": " + fault.message + "\n";
  return text;
}

TEST(KnowledgeLinter, HoldsAClauseAgainstItsRecord) {
  const Dataset dataset = with_record("x must be {}", "x must be (.+?)");
  EXPECT_EQ(lint_clause("{id: a, check: dtype, of: x, raises: ValueError, message: \"x must be "
                        "{x.dtype}\", error: 0123456789abcdef}",
                        dataset),
            "");
  EXPECT_EQ(lint_clause("{id: a, check: dtype, of: x, message: \"x is {x.dtype}\", error: "
                        "0123456789abcdef}",
                        dataset),
            "record-differs: `a` raises TypeError, and its record `page-size` is about "
            "ValueError\n"
            "message-does-not-match: the message is \"x is {}\", and its record's errorMessage "
            "\"x must be {}\"\n"
            "message-does-not-match: the message is \"x is {}\", and its record's "
            "messagePattern finds \"x must be {}\"\n");
  EXPECT_EQ(
      lint_clause("{id: a, check: rank, of: x, message: m, error: 1123456789abcdef}", dataset),
      "unknown-record: no record has the id `1123456789abcdef`\n");
}

TEST(KnowledgeLinter, IsSilentAboutARuleThatAgreesWithItsRecord) {
  EXPECT_EQ(
      lint(rule("error: 0123456789abcdef\n" + kExamples),
           with_record("page_size must be 1, got {}.", R"(page_size must be 1, got (.+?)\.)")),
      "");
}

TEST(KnowledgeLinter, FindsAJoinToNoRecord) {
  EXPECT_EQ(lint(rule("error: 0123456789abcdef\n" + kExamples)),
            "unknown-record: no record has the id `0123456789abcdef`\n");
}

TEST(KnowledgeLinter, FindsAMessageThatItsRecordDoesNotDescribe) {
  EXPECT_EQ(
      lint(rule("error: 0123456789abcdef\n" + kExamples),
           with_record("page_size must be one, got {}.", R"(page_size must be one, got (.+?)\.)")),
      "message-does-not-match: the message is \"page_size must be 1, got {}.\", and its record's "
      "errorMessage \"page_size must be one, got {}.\"\n"
      "message-does-not-match: the message is \"page_size must be 1, got {}.\", and its record's "
      "messagePattern finds \"page_size must be one, got {}.\"\n"
      "message-does-not-match: this example's message, \"page_size must be 1, got 2.\", is not "
      "found by the pattern of its record\n");
}

TEST(KnowledgeLinter, ProvesAPatternWithoutShapeByTheExamples) {
  EXPECT_EQ(lint(rule("error: 0123456789abcdef\n" + kExamples),
                 with_record("page_size must be 1, got {}.", "page sizes?|pages")),
            "message-does-not-match: this example's message, \"page_size must be 1, got 2.\", is "
            "not found by the pattern of its record\n");
}

TEST(KnowledgeLinter, ComparesTheExceptionClass) {
  Dataset dataset =
      with_record("page_size must be 1, got {}.", R"(page_size must be 1, got (.+?)\.)");
  dataset.records[0].error_class = "AssertionError";
  EXPECT_EQ(
      lint(rule("error: 0123456789abcdef\n" + kExamples), dataset),
      "record-differs: `demo/area/page` raises ValueError, and its record `page-size` is about "
      "AssertionError\n");
}

TEST(KnowledgeLinter, MissesExamples) {
  EXPECT_EQ(lint(rule("")),
            "no-example: `demo/area/page` has no example that says `violates`\n"
            "no-example: `demo/area/page` has no example that says `passes`\n");
}

TEST(KnowledgeLinter, FindsARuleOfNoVersion) {
  EXPECT_EQ(lint(rule("versions: \">=2\"\n" + kExamples)),
            "unreachable-rule: `>=2` names no version of the pack (1.0 to 1.1)\n");
}

TEST(KnowledgeLinter, FindsAFixThatRepairsNothing) {
  EXPECT_EQ(lint(rule(R"(fix:
  - set: {tp_size: 2}
    why: It is larger.
  - set: {page_size: 1}
    why: It is small.
)" + kExamples)),
            "fix-does-not-repair: this fix repairs none of the violating examples\n");
}

TEST(KnowledgeLinter, FindsAnExampleThatNothingRepairs) {
  EXPECT_EQ(lint(rule_file("never", "error", "late", R"(when: gpu.sm < 90
require: page_size < 0 && page_size > 0
examples:
  - violates: {gpu.sm: 80}
  - passes: {gpu.sm: 90}
)")),
            "fix-does-not-repair: neither a fix nor a change of its arguments repairs this "
            "example\n");
}

TEST(KnowledgeLinter, FindsAConditionThatFailsOnTheDefaults) {
  const std::string text =
      lint(rule_file("fails", "error", "late", R"(require: 8 % (tp_size - 1) == 0
examples:
  - passes: {tp_size: 3}
  - violates: {tp_size: 4}
)"));
  EXPECT_NE(text.find("evaluation-failed: the condition of `demo/area/fails` fails on the default "
                      "values"),
            std::string::npos)
      << text;
}

TEST(KnowledgeLinter, FindsWeakAndBrokenPatterns) {
  Dataset dataset = with_record("{} of {}", "(.+) of (.+)");
  EXPECT_EQ(lint_records(dataset)[0].code, code::weak_pattern);
  dataset.records[0].context = "ERROR";  // on too many lines to look for
  EXPECT_EQ(lint_records(dataset)[0].code, code::weak_pattern);
  dataset.records[0].context = "ValueError: ";
  EXPECT_TRUE(lint_records(dataset).empty());
  dataset.records[0].context = "(";
  EXPECT_EQ(lint_records(dataset)[0].code, code::bad_pattern);
  dataset.records[0].message_pattern = "(";
  EXPECT_EQ(lint_records(dataset)[0].code, code::bad_pattern);
}

TEST(KnowledgeLinter, AsksWhereTheEngineMakesTheCheck) {
  TestPack pack = make_pack(rule(kExamples));
  RulePack source = pack.source();
  source.rules[0].source = {};
  Diagnostics warnings;
  const auto compiled = compile_pack(source, warnings);
  ASSERT_TRUE(compiled);
  const Diagnostics faults = lint_rules(**compiled, {});
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].code, code::missing_key);
}

}  // namespace
}  // namespace assay::test
