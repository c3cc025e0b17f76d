#include "engine/evaluate/example_runner.h"

#include <gtest/gtest.h>

#include "tests/engine/evaluate/test_pack.h"

namespace assay::test {
namespace {

const std::string kCheck = R"(when: {attention_backend: trtllm_mla}
require: kv_cache_dtype in ["fp8_e4m3"] && gpu.sm >= 100
message: "got {kv_cache_dtype}"
examples:
)";
const std::string kDerivation = R"(when: derived.backend == "flashmla" && page_size != 64
effect: {set: {page_size: 64}}
examples:
)";

std::string run(const std::string& sections, std::size_t expected_runs) {
  TestPack pack = make_pack(sections);
  if (pack.pack == nullptr) return "does not compile";
  ExampleCounts counts;
  const Diagnostics faults = run_rule_examples(*pack.pack, counts);
  EXPECT_EQ(counts.run, expected_runs);
  EXPECT_EQ(counts.failed, faults.size());
  std::string text;
  for (const Diagnostic& fault : faults)
    text += std::string(pack.sources.text(fault.span)) + "\n" + fault.message + "\n" + fault.help +
            "\n";
  return text;
}

TEST(ExampleRunner, AcceptsExamplesThatSayWhatHappens) {
  EXPECT_EQ(run(rule_file("mla", "error", "late", kCheck + R"(
  - violates: {attention_backend: trtllm_mla, kv_cache_dtype: bf16}
  - passes: {attention_backend: trtllm_mla, kv_cache_dtype: fp8_e4m3, gpu.sm: 100}
  - passes: {attention_backend: fa3}
  - undecided: {attention_backend: trtllm_mla, kv_cache_dtype: fp8_e4m3}
)") + rule_file("page", "note", "middle", kDerivation + R"(
  - changes: {attention_backend: flashmla}
    to: {page_size: 64}
  - keeps: {attention_backend: flashmla, page_size: 64}
)"),
                6),
            "");
}

TEST(ExampleRunner, SaysWhatCameOutAndWhichValuesWereRead) {
  const std::string text = run(rule_file("mla", "error", "late", kCheck + R"(
  - passes: {attention_backend: trtllm_mla, kv_cache_dtype: bf16}
  - violates: {attention_backend: trtllm_mla, kv_cache_dtype: fp8_e4m3}
)"),
                               2);
  EXPECT_NE(
      text.find("this example says `passes`, but the rule is violated\nThe rule read "
                "attention_backend = 'trtllm_mla', kv_cache_dtype = 'bf16', gpu.sm = unknown."),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("this example says `violates`, but the rule is undecided, waiting for "
                      "`gpu.sm`"),
            std::string::npos)
      << text;
}

TEST(ExampleRunner, ComparesTheValuesADerivationGives) {
  const std::string text = run(rule_file("page", "note", "middle", kDerivation + R"(
  - changes: {attention_backend: flashmla}
    to: {page_size: 32}
  - keeps: {attention_backend: flashmla}
)"),
                               2);
  EXPECT_NE(text.find("the derivation applies; `page_size` is 64, not 32"), std::string::npos)
      << text;
  EXPECT_NE(text.find("this example says `keeps`, but the derivation applies"), std::string::npos)
      << text;
}

TEST(ExampleRunner, FromTheStartRunsThePipelineUpToTheRule) {
  EXPECT_EQ(run(rule_file("page", "note", "middle", kDerivation + R"(
  - changes: {attention_backend: flashmla}
    to: {page_size: 64}
    from: start
)") + rule_file("small", "error", "late", R"(require: page_size < 64
examples:
  - violates: {attention_backend: flashmla}
    from: start
  - passes: {attention_backend: flashmla}
  - passes: {attention_backend: flashmla, model_path: dummy}
    from: start
)"),
                4),
            "");
}

TEST(ExampleRunner, RefusesAValueItsFactCannotHave) {
  TestPack pack = make_pack(rule_file("small", "error", "late", R"(require: page_size < 64
examples:
  - passes: {page_size: many}
)"),
                            false);
  if (pack.pack == nullptr) return;  // the reader refuses it already
  ExampleCounts counts;
  const Diagnostics faults = run_rule_examples(*pack.pack, counts);
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].code, code::invalid_value);
}

TEST(ExampleRunner, ProvesTheExamplesOfRecords) {
  Dataset dataset;
  ErrorRecord record;
  record.slug = "kv-type";
  record.message_pattern = R"(kv must be fp8, got (.+?)\.)";
  record.examples = {{"kv must be fp8, got torch.bfloat16.", ""}, {"kv must be bf16.", ""}};
  record.near_misses = {"q must be fp8, got x.", "kv must be fp8, got y."};
  dataset.records.push_back(record);
  record.slug = "broken";
  record.message_pattern = "(";
  dataset.records.push_back(record);
  ExampleCounts counts;
  const Diagnostics faults = run_record_examples(dataset, counts);
  EXPECT_EQ(counts.run, 4u);
  EXPECT_EQ(counts.failed, 2u);
  ASSERT_EQ(faults.size(), 3u);
  EXPECT_EQ(faults[0].message,
            "the pattern of `kv-type` does not match its example \"kv must be bf16.\"");
  EXPECT_EQ(faults[1].code, code::example_fails);
  EXPECT_EQ(faults[2].code, code::bad_pattern);
}

}  // namespace
}  // namespace assay::test
