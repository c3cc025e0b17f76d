#include "engine/evaluate/example_fix_prover.h"

#include <gtest/gtest.h>

#include "engine/evaluate/example_fix.h"
#include "tests/engine/evaluate/test_pack.h"

namespace assay::test {
namespace {

constexpr std::string_view kRecord = "00000000000000a1";
const std::string kPage = R"(when: kv_cache_dtype == "fp8_e4m3" && gpu.sm < 90
require: page_size >= 64
error: 00000000000000a1
examples:
  - violates: {kv_cache_dtype: fp8_e4m3, gpu.sm: 80}
)";
const std::string kNodes = R"(require: tp_size % nnodes == 0
examples:
  - violates: {nnodes: 3}
)";
const std::string kPackFile = R"(=== pack.yaml
pack: demo
title: Demo
repository: demo/demo
versions: ["1.0", "1.1"]
launchers: [[python, -m, demo]]
example_fixes:
  command: python -m demo --model-path m
  gpus: [New, Old]
  model: owner/plain
  facts: {model.dtype: float16}
stages:
  - stage: resolution
    title: Resolution
    steps: [early, middle, late]
)";
const std::string kGpus = R"(gpus:
  New: {names: [New], vendor: nvidia, sm: 100, memory_mib: 1, sm_count: 1}
  Old: {names: [Old], vendor: nvidia, sm: 80, memory_mib: 1, sm_count: 1}
)";
const std::string kModels = R"(sources:
  test: {documentation: Made up.}
keys: [model_type]
quantization_keys: []
models:
  owner/plain: {source: test, config: {model_type: plain}}
  owner/odd: {source: test, config: {model_type: odd}}
)";

struct Proof {
  std::vector<Entry> facts;
  std::string obstacle;
};

// Of one record that shows `before` and `after`: the faults, "code: message" a line.
std::string prove(const std::string& sections, const std::string& before, const std::string& after,
                  const std::optional<Proof>& proof = {}, const std::string& gpus = kGpus) {
  TestPack pack = make_pack(sections);
  if (pack.pack == nullptr) return "does not compile";
  MemoryFileSystem files;
  const KnowledgeFolder folder = KnowledgeFolder::below("");
  if (!gpus.empty()) files.write(folder.gpu_table(), gpus);
  files.write(folder.model_table(), kModels);
  Knowledge knowledge;
  knowledge.packs.push_back(std::move(pack.pack));
  ErrorRecord record;
  record.id = kRecord;
  record.slug = "the-record";
  if (!before.empty()) record.example_fix = "# before\n" + before + "\n# after\n" + after;
  if (proof) record.example_proof = {proof->facts, proof->obstacle, "A reason.", {}};
  knowledge.dataset.records.push_back(record);
  ExampleCounts counts;
  std::string text;
  const Diagnostics faults = prove_example_fixes(knowledge, pack.sources, files, folder, counts);
  EXPECT_EQ(counts.failed > 0, counts.run > 0 && !faults.empty());
  for (const Diagnostic& fault : faults)
    text += std::string(fault.code.name) + ": " + fault.message + "\n";
  return text;
}

Entry fact(const std::string& name, std::int64_t value) {
  Entry entry;
  entry.key = name;
  entry.value.kind = NodeKind::integer;
  entry.value.integer = value;
  entry.value.text = std::to_string(value);
  return entry;
}

const std::string kNotProven = "fix-not-proven: the example fix of `the-record` is not proven: ";

TEST(ExampleFixProver, TakesTheFactsOfTheRulesExample) {
  const std::string rules = rule_file("page", "error", "late", kPage);
  EXPECT_EQ(prove(rules, "python -m demo --kv-cache-dtype fp8_e4m3",
                  "python -m demo --kv-cache-dtype fp8_e4m3 --page-size 64"),
            "");
}

TEST(ExampleFixProver, CompletesAFragmentByThePacksCommand) {
  const std::string rules = kPackFile + rule_file("page", "error", "late", kPage);
  EXPECT_EQ(prove(rules, "--kv-cache-dtype fp8_e4m3", "--kv-cache-dtype auto"), "");
  EXPECT_EQ(prove(rules, "DEMO_FLAG=1 … --kv-cache-dtype fp8_e4m3", "… --kv-cache-dtype auto"), "");
  EXPECT_EQ(prove(rules, "python -m other --kv-cache-dtype fp8_e4m3", "--kv-cache-dtype auto")
                .rfind(kNotProven + "`before` is no launch: ", 0),
            0u);
}

TEST(ExampleFixProver, RefusesASideThatDoesNotDoWhatItShows) {
  const std::string rules = kPackFile + rule_file("page", "error", "late", kPage) +
                            rule_file("nodes", "error", "late", kNodes);
  EXPECT_EQ(prove(rules, "--kv-cache-dtype auto", "--page-size 64"),
            kNotProven + "`before` does not break `demo/area/page`: it is not applicable\n");
  EXPECT_EQ(prove(rules, "--kv-cache-dtype fp8_e4m3", "--kv-cache-dtype fp8_e4m3 --page-size 32"),
            kNotProven + "`after` does not mend `demo/area/page`: it is still violated\n");
  EXPECT_EQ(prove(rules, "--kv-cache-dtype fp8_e4m3", "--page-size 64 --nnodes 2"),
            kNotProven + "`after` mends `demo/area/page`, but breaks `demo/area/nodes`\n");
  EXPECT_EQ(prove(rules, "--kv-cache-dtype fp8_e4m3", "--page-size many")
                .rfind(kNotProven + "`after` mends `demo/area/page`, but breaks the arguments", 0),
            0u);
}

TEST(ExampleFixProver, RefusesABeforeThatAnotherRuleRefusesFirst) {
  const std::string rules = kPackFile + rule_file("page", "error", "late", kPage) +
                            rule_file("nodes", "error", "early", kNodes);
  EXPECT_EQ(prove(rules, "--kv-cache-dtype fp8_e4m3 --nnodes 2", "--page-size 64"),
            kNotProven +
                "`before` breaks `demo/area/page`, but is refused before that: it breaks "
                "`demo/area/nodes`\n");
}

TEST(ExampleFixProver, RefusesWhatStaysUndecided) {
  const std::string rules = rule_file("page", "error", "late", R"(when: model.dtype == "bf16"
require: page_size >= 64
error: 00000000000000a1
examples:
  - violates: {page_size: 1}
)");
  EXPECT_EQ(prove(rules, "python -m demo", "python -m demo --page-size 64"),
            kNotProven +
                "`before` does not break `demo/area/page`: it is undecided, waiting for "
                "model.dtype\n");
}

TEST(ExampleFixProver, TakesTheFirstGpuThatAgreesAndTheModelThatTheLaunchNames) {
  const std::string facts = R"(=== facts.yaml
facts:
  gpu.sm: {type: int, documentation: Compute capability.}
  gpu.memory_mib: {type: int, documentation: Memory.}
  model.config: {type: "map<string, dyn>", documentation: Its config.json.}
  model.dtype: {type: string, documentation: Type of the weights.}
)";
  const std::string rules = kPackFile + facts + rule_file("page", "error", "late", R"(
when: gpu.memory_mib == 1 && model.config.model_type == "odd"
require: page_size >= 64
error: 00000000000000a1
examples:
  - violates: {gpu.sm: 80}
)");
  EXPECT_EQ(prove(rules, "--model-path owner/odd", "--model-path owner/plain"), "");
  EXPECT_EQ(prove(rules, "--tp-size 2", "--page-size 64"),
            kNotProven + "`before` does not break `demo/area/page`: it is not applicable\n");
  EXPECT_EQ(prove(rules, "--tp-size 2", "--page-size 64", {}, ""),
            "invalid-value: no GPU is known as `New`\n");
}

TEST(ExampleFixProver, TakesTheNewestReleaseThatTheRuleIsOf) {
  const std::string rules =
      kPackFile + rule_file("page", "error", "late", "versions: \"<1.1\"\n" + kPage);
  EXPECT_EQ(prove(rules, "--kv-cache-dtype fp8_e4m3", "--page-size 64"), "");
}

TEST(ExampleFixProver, ADerivationIsBrokenWhereItChangesAValue) {
  const std::string rules = kPackFile + rule_file("page", "warning", "late", R"(
when: tp_size > 1
effect: {set: {page_size: 64}}
error: 00000000000000a1
examples:
  - changes: {tp_size: 2}
    to: {page_size: 64}
)");
  EXPECT_EQ(prove(rules, "--tp-size 2", "--tp-size 2 --page-size 64"), "");
  EXPECT_EQ(prove(rules, "--tp-size 2", "--tp-size 2 --page-size 32"),
            kNotProven + "`after` does not mend `demo/area/page`: it is still violated\n");
}

TEST(ExampleFixProver, WantsAFixOrAReason) {
  const std::string rules = kPackFile + rule_file("page", "error", "late", kPage);
  EXPECT_EQ(prove(rules, "", ""), kNotProven + "there is none\n");
  EXPECT_EQ(prove(rules, "", "", Proof{{}, "unavoidable"}), "");
  EXPECT_EQ(prove(rules, "--tp-size 2", "--tp-size 4", Proof{{}, "shadowed"}), "");
}

TEST(ExampleFixProver, RefusesAReasonThatNobodyNeeds) {
  const std::string rules = kPackFile + rule_file("page", "error", "late", kPage);
  const std::string is_proven =
      "needless-proof: the example fix of `the-record` is proven without it\n";
  EXPECT_EQ(prove(rules, "--kv-cache-dtype fp8_e4m3", "--page-size 64", Proof{{}, "shadowed"}),
            is_proven);
  EXPECT_EQ(
      prove(rules, "--kv-cache-dtype fp8_e4m3", "--page-size 64", Proof{{fact("gpu.sm", 80)}, ""}),
      is_proven);
  EXPECT_EQ(prove(kPackFile, "--tp-size 2", "--tp-size 4", Proof{{}, "shadowed"}),
            "needless-proof: no rule joins `the-record`, so there is nothing to prove\n");
}

TEST(ExampleFixProver, TakesTheFactsOfTheRecordInPlaceOfTheExamples) {
  const std::string rules = kPackFile + rule_file("page", "error", "late", R"(
when: gpu.sm == 70
require: page_size >= 64
error: 00000000000000a1
examples:
  - violates: {gpu.sm: 60}
)");
  const auto with = [&](Entry entry) {
    return prove(rules, "--tp-size 2", "--page-size 64", Proof{{std::move(entry)}, ""});
  };
  EXPECT_EQ(with(fact("gpu.sm", 70)), "");
  EXPECT_EQ(with(fact("gpu.sm", 80)),
            kNotProven + "`before` does not break `demo/area/page`: it is not applicable\n");
  EXPECT_EQ(with(fact("gpu.smm", 80)).rfind("unknown-fact: no fact is called `gpu.smm`\n", 0), 0u);
  EXPECT_EQ(
      with(fact("page_size", 80))
          .rfind("invalid-value: `page_size` is not of the machine, the model or the release\n", 0),
      0u);
  EXPECT_EQ(with(fact("model.dtype", 80))
                .rfind("invalid-value: `model.dtype` is string, and this value is none\n", 0),
            0u);
}

TEST(ExampleFix, IsReadFromItsTwoHeads) {
  const auto fix = split_example_fix("# before, on 4 GPUs\na \\\n  b\n# after\nc\n");
  ASSERT_TRUE(fix);
  EXPECT_EQ(fix->before, "a \\\n  b");
  EXPECT_EQ(fix->after, "c");
  for (const char* other : {"", "a", "# before\n", "# before\na", "# before\na\n# after",
                            "# before\n# after\nb", "a\n# before\nb\n# after\nc"})
    EXPECT_FALSE(split_example_fix(other)) << other;
}

TEST(ExampleFix, IsCompletedBehindTheVariables) {
  EXPECT_EQ(completed_command("--a 1", "run"), "run --a 1");
  EXPECT_EQ(completed_command("X=1 Y='a b' --a", "run"), "X=1 Y='a b' run --a");
  EXPECT_EQ(completed_command("X=1 … --a", "run"), "X=1 run  --a");
  EXPECT_EQ(completed_command("X=1 other --a", "run"), "X=1 other --a");
  EXPECT_EQ(completed_command("--a", ""), "--a");
  EXPECT_EQ(completed_command("X=1", "run"), "X=1");
  EXPECT_EQ(completed_command("X=\"a", "run"), "X=\"a");
}

}  // namespace
}  // namespace assay::test
