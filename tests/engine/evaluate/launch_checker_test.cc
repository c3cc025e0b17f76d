// What checking a launch finds, one kind of rule after the other.
#include "engine/evaluate/launch_checker.h"

#include <gtest/gtest.h>

#include "tests/engine/evaluate/test_pack.h"

namespace assay::test {
namespace {

const std::string kFlashmlaPage =
    rule_file("flashmla-page", "note", "middle", R"(when: derived.backend == "flashmla"
effect: {set: {page_size: 64}}
message: "page_size is set to {page_size}, it was {before.page_size}."
)");
const std::string kHicachePage = rule_file("hicache-page", "error", "late", R"(when: enable_hicache
require: page_size == 1
message: "hicache needs pages of 1, got {page_size}."
)");
const std::string kDtypeByGpu =
    rule_file("dtype-by-gpu", "note", "middle", R"(when: kv_cache_dtype == "auto" && gpu.sm >= 90
effect: {set: {kv_cache_dtype: fp8_e4m3}}
)");

TEST(LaunchChecker, NamesTheFactsAViolatedRuleReadAndWhereItStops) {
  TestPack pack = make_pack(rule_file("mla-cache", "error", "late",
                                      R"(when: {attention_backend: trtllm_mla}
require: kv_cache_dtype in ["fp8_e4m3", "auto"]
message: "trtllm_mla requires fp8_e4m3, got {kv_cache_dtype!r}."
)"));
  EXPECT_EQ(
      report_text(check(pack, "{attention_backend: trtllm_mla, kv_cache_dtype: bf16}")),
      "error area/mla-cache violated: trtllm_mla requires fp8_e4m3, got 'bf16'. <stops here>\n"
      "  attention_backend = 'trtllm_mla'\n"
      "  kv_cache_dtype = 'bf16'\n");
  EXPECT_EQ(report_text(check(pack, "{attention_backend: trtllm_mla}")), "");
}

TEST(LaunchChecker, PointsAtTheFirstFactThatWasWritten) {
  TestPack pack = make_pack(kHicachePage);
  const Launch launch = typed(pack, "{page_size: 16, enable_hicache: true}");
  const CheckReport report = check_launch(*pack.pack, launch, {});
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(pack.sources.text(report.findings[0].span), "true");
  EXPECT_EQ(report.findings[0].facts[0].origin, Origin::argument);
}

TEST(LaunchChecker, TellsWhichDerivationWroteAValue) {
  TestPack pack = make_pack(kFlashmlaPage + kHicachePage);
  EXPECT_EQ(report_text(check(pack, "{attention_backend: flashmla, enable_hicache: true}")),
            "error area/hicache-page violated: hicache needs pages of 1, got 64. <stops here>\n"
            "  enable_hicache = True\n"
            "  page_size = 64, was 1, by area/flashmla-page\n"
            "note area/flashmla-page: page_size 1 -> 64 \"page_size is set to 64, it was 1.\"\n");
}

TEST(LaunchChecker, ReportsAWarningThatTakesSomethingAway) {
  TestPack pack = make_pack(rule_file("radix-off", "warning", "middle", R"(when: enable_hicache
effect: {set: {disable_radix: false}}
message: "disable_radix is ignored, it was {before.disable_radix}."
)"));
  EXPECT_EQ(report_text(check(pack, "{enable_hicache: true, disable_radix: true}")),
            "warning area/radix-off violated: disable_radix is ignored, it was True.\n"
            "  enable_hicache = True\n"
            "  disable_radix = False, was True, by area/radix-off\n");
  EXPECT_EQ(report_text(check(pack, "{enable_hicache: true}")), "");
}

TEST(LaunchChecker, ReportsTheFirstCaseThatIsTrue) {
  TestPack pack = make_pack(rule_file("no-combination", "error", "late", R"(when: enable_hicache
cases:
  - {label: many nodes, when: nnodes > 1}
  - {label: large pages, when: page_size > 1}
message: "hicache does not work with {label}."
)"));
  EXPECT_EQ(
      report_text(check(pack, "{enable_hicache: true, page_size: 2}")),
      "error area/no-combination violated: hicache does not work with large pages. [large pages] "
      "<stops here>\n"
      "  enable_hicache = True\n  nnodes = 1\n  page_size = 2\n");
  EXPECT_EQ(report_text(check(pack, "{enable_hicache: true}")), "");
}

TEST(LaunchChecker, LetsNameIntermediateValues) {
  TestPack pack = make_pack(rule_file("chunk-limit", "error", "late", R"(let:
  pages: chunk_size / page_size
  too_many: pages > env.DEMO_LIMIT
when: too_many
require: "false"
message: "{pages} pages are more than {env.DEMO_LIMIT}."
)"));
  EXPECT_EQ(report_text(check(pack, "{page_size: 2}")),
            "error area/chunk-limit violated: 2048 pages are more than 128. <stops here>\n"
            "  chunk_size = 4096\n  page_size = 2\n  env.DEMO_LIMIT = 128\n");
  EXPECT_EQ(report_text(check(pack, "{page_size: 64}")), "");
}

TEST(LaunchChecker, AnUndecidedRuleNamesWhatItWaitsFor) {
  TestPack pack = make_pack(rule_file("needs-hopper", "error", "late",
                                      R"(when: {attention_backend: fa3}
require: gpu.sm >= 90
message: "fa3 needs SM90, got {gpu.sm}."
)"));
  EXPECT_EQ(report_text(check(pack, "{attention_backend: fa3}")),
            "error area/needs-hopper undecided:  waits for gpu.sm\n"
            "  attention_backend = 'fa3'\n  gpu.sm = unknown\n");
  EXPECT_EQ(report_text(check(pack, "{attention_backend: fa3}", "{gpu.sm: 80}")),
            "error area/needs-hopper violated: fa3 needs SM90, got 80. <stops here>\n"
            "  attention_backend = 'fa3'\n  gpu.sm = 80\n");
}

TEST(LaunchChecker, StopsAtTheLatestWhereAnUndecidedErrorComesBefore) {
  TestPack pack = make_pack(kHicachePage +
                            rule_file("needs-hopper", "error", "early", "require: gpu.sm >= 90\n"));
  const CheckReport report = check(pack, "{enable_hicache: true, page_size: 2}");
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_FALSE(report.findings[0].stops_here);
  EXPECT_TRUE(report.findings[0].stops_here_at_the_latest);
}

TEST(LaunchChecker, AnUndecidedDerivationLeavesCandidates) {
  const std::string ok = rule_file("needs-known-type", "error", "late",
                                   R"(require: kv_cache_dtype in ["auto", "fp8_e4m3"]
)");
  const std::string bad =
      rule_file("no-fp8", "error", "late", R"(require: kv_cache_dtype != "fp8_e4m3"
message: "got {kv_cache_dtype}"
)");
  TestPack pack = make_pack(kDtypeByGpu + ok + bad);
  EXPECT_EQ(report_text(check(pack, "{}")),
            "error area/no-fp8 undecided:  waits for gpu.sm\n"
            "  kv_cache_dtype = 'auto' or 'fp8_e4m3', was 'auto', by area/dtype-by-gpu\n");
  EXPECT_EQ(
      report_text(check(pack, "{kv_cache_dtype: bf16}")),
      "error area/needs-known-type violated: broken <stops here>\n  kv_cache_dtype = 'bf16'\n");
}

TEST(LaunchChecker, MoreThanEightCandidatesAreUnknown) {
  std::string rules;
  for (int i = 2; i <= 10; ++i)
    rules += rule_file("page-" + std::to_string(i), "note", "middle",
                       "when: gpu.sm == " + std::to_string(i) +
                           "\neffect: {set: {page_size: " + std::to_string(i) + "}}\n");
  TestPack pack =
      make_pack(rules + rule_file("small-pages", "error", "late", "require: page_size < 100\n"));
  EXPECT_EQ(
      report_text(check(pack, "{}")),
      "error area/small-pages undecided:  waits for gpu.sm\n  page_size = unknown, was unknown, "
      "by area/page-9\n");
}

TEST(LaunchChecker, AnEndedStageLeavesOutItsRest) {
  TestPack pack =
      make_pack(kHicachePage + rule_file("final", "error", "final", "require: page_size == 1\n"));
  const CheckReport report = check(pack, "{enable_hicache: true, page_size: 2, model_path: dummy}");
  EXPECT_EQ(report_text(report),
            "error area/final violated: broken <stops here>\n  page_size = 2\n");
}

TEST(LaunchChecker, AStageThatMayHaveEndedLeavesWhatFollowsUndecided) {
  TestPack pack = make_pack(kHicachePage + kFlashmlaPage);
  const Launch launch = [&] {
    Launch result = typed(pack, "{enable_hicache: true, page_size: 2, model_path: x}");
    result.arguments.back().is_known = false;
    return result;
  }();
  EXPECT_EQ(report_text(check_launch(*pack.pack, launch, {})),
            "error area/hicache-page undecided:  waits for model_path\n"
            "  enable_hicache = True\n  page_size = 2\n");
}

TEST(LaunchChecker, AnEvaluationErrorIsUndecided) {
  TestPack pack =
      make_pack(rule_file("divides", "error", "late", "require: tp_size % nnodes == 0\n"));
  const CheckReport report = check(pack, "{nnodes: 0}");
  ASSERT_EQ(report.undecided.size(), 1u);
  EXPECT_NE(report.undecided[0].evaluation_error, "");
  EXPECT_TRUE(report.undecided[0].waits_for.empty());
}

TEST(LaunchChecker, AResolvedLaunchSkipsDerivationsAndForgetsWhatWasTyped) {
  TestPack pack = make_pack(
      kFlashmlaPage + kHicachePage +
      rule_file("was-given", "error", "late", "require: given(tp_size) || raw.tp_size == 1\n"));
  Launch launch = typed(pack, "{attention_backend: flashmla, enable_hicache: true, page_size: 1}");
  launch.stage = LaunchStage::resolved;
  EXPECT_EQ(report_text(check_launch(*pack.pack, launch, {})),
            "error area/was-given undecided:  waits for raw.tp_size waits for given(tp_size)\n"
            "  given(tp_size) = unknown\n  raw.tp_size = unknown\n");
}

TEST(LaunchChecker, FaultsOfTheParserComeFirst) {
  TestPack pack = make_pack(kHicachePage);
  Launch launch = typed(pack, "{enable_hicache: true, page_size: 2}");
  LaunchFault fault;
  fault.diagnostic = make_error(code::unknown_flag, {}, "unknown flag `--x`");
  fault.message = "unrecognized arguments: --x";
  launch.faults.push_back(fault);
  const CheckReport report = check_launch(*pack.pack, launch, {});
  ASSERT_EQ(report.findings.size(), 2u);
  EXPECT_EQ(report.findings[0].rule, nullptr);
  EXPECT_EQ(report.findings[0].fault, &launch.faults[0]);
  EXPECT_TRUE(report.findings[0].stops_here);
  EXPECT_FALSE(report.findings[1].stops_here);
}

TEST(LaunchChecker, ReadsTheEnvironment) {
  TestPack pack =
      make_pack(rule_file("small-chunks", "error", "late",
                          "require: chunk_size <= env.DEMO_LIMIT && !has(env.DEMO_FLAG)\n"));
  Launch launch;
  launch.environment = {{"DEMO_LIMIT", "64", {}, true}, {"DEMO_CHUNK", "32", {}, true}};
  EXPECT_EQ(check_launch(*pack.pack, launch, {}).findings.size(), 0u);
  launch.environment.push_back({"DEMO_FLAG", "", {}, true});
  EXPECT_EQ(check_launch(*pack.pack, launch, {}).findings.size(), 1u);
  launch.environment = {{"DEMO_LIMIT", "64", {}, true}, {"DEMO_CHUNK", "128", {}, true}};
  EXPECT_EQ(check_launch(*pack.pack, launch, {}).findings.size(), 1u);
  launch.environment[1].is_known = false;
  EXPECT_EQ(check_launch(*pack.pack, launch, {}).undecided.size(), 1u);
}

TEST(LaunchChecker, RulesOfOtherVersionsAreLeftOut) {
  TestPack pack =
      make_pack(rule_file("old", "error", "late", "require: page_size == 1\nversions: \"<1.1\"\n"));
  EXPECT_EQ(check(pack, "{page_size: 2}").findings.size(), 0u);
  EXPECT_EQ(check(pack, "{page_size: 2}", "{version.engine: '1.0'}").findings.size(), 1u);
}

TEST(LaunchChecker, UnplacedRulesComeLastAndStopNothing) {
  TestPack pack = make_pack(
      rule_file("anywhere", "error", "unplaced", "require: page_size == 1\n") + kHicachePage);
  const CheckReport report = check(pack, "{page_size: 2, enable_hicache: true}");
  ASSERT_EQ(report.findings.size(), 2u);
  EXPECT_EQ(report.findings[1].rule->step, "unplaced");
  EXPECT_TRUE(report.findings[0].stops_here);
}

TEST(LaunchChecker, AGivenDerivedFactReplacesItsExpression) {
  TestPack pack = make_pack(kFlashmlaPage);
  EXPECT_EQ(report_text(check(pack, "{}", "{derived.backend: flashmla}")),
            "note area/flashmla-page: page_size 1 -> 64 \"page_size is set to 64, it was 1.\"\n");
}

TEST(LaunchChecker, EffectsReachIntoJsonValues) {
  TestPack pack =
      make_pack(rule_file("graph-backend", "note", "middle", R"(when: graph_config != null
effect: {set: {graph_config.decode.backend: full}}
)") + rule_file("graph-full", "error", "late",
                R"(require: graph_config == null || graph_config.decode.backend != "full"
)"));
  const CheckReport report = check(pack, "{graph_config: {decode: {backend: tc, size: 3}}}");
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.adjustments[0].after, "{'decode': {'size': 3, 'backend': 'full'}}");
}

}  // namespace
}  // namespace assay::test
