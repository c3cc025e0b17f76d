// What checking a launch costs once a pack is loaded and a CheckWorkspace is warm: the shipped pack
// and 10,000 synthetic rules, by index and by loop. Loading is not measured here.
//
// The synthetic rules are like the shipped ones: each asks one of 40 string arguments for one of
// 250 values, together with a second condition on a number, so that a launch meets few of them.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "engine/compile/compiled_pack.h"
#include "engine/evaluate/launch_checker.h"
#include "engine/read/launch_reader.h"
#include "engine/read/pack_reader.h"
#include "engine/text/file_system.h"

namespace assay {
namespace {

constexpr int kStrings = 40;
constexpr int kNumbers = 100;
constexpr int kValues = 250;
constexpr int kRules = 10'000;

Node text_node(std::string text) {
  Node node;
  node.kind = NodeKind::string;
  node.text = std::move(text);
  return node;
}

Node number_node(std::int64_t number) {
  Node node;
  node.kind = NodeKind::integer;
  node.integer = number;
  node.text = std::to_string(number);
  return node;
}

void add_argument(FactSchema& schema, std::string name, TypeKind kind, Node value) {
  FactDeclaration fact;
  fact.name = std::move(name);
  fact.type = Type::of(kind);
  fact.is_argument = true;
  fact.default_value = std::move(value);
  schema.by_name.emplace(fact.name, static_cast<FactId>(schema.facts.size()));
  schema.facts.push_back(std::move(fact));
}

RulePack synthetic_pack() {
  RulePack pack;
  pack.name = "synthetic";
  pack.stages.push_back({"resolution", "", {}});
  for (int i = 0; i < 75; ++i) {
    PipelineStep step;
    step.name = "step" + std::to_string(i);
    pack.stages[0].steps.push_back(std::move(step));
  }
  for (int i = 0; i < kStrings; ++i)
    add_argument(pack.schema, "s" + std::to_string(i), TypeKind::string, text_node("v0"));
  for (int i = 0; i < kNumbers; ++i)
    add_argument(pack.schema, "n" + std::to_string(i), TypeKind::integer, number_node(1));
  for (int i = 0; i < kRules; ++i) {
    Rule rule;
    rule.id = "synthetic/rule-" + std::to_string(i);
    rule.step = "step" + std::to_string(i % 75);
    rule.when = ExpressionText{"s" + std::to_string(i % kStrings) + " == \"v" +
                                   std::to_string(1 + i / kStrings % kValues) + "\" && n" +
                                   std::to_string(i % kNumbers) + " > 1",
                               {},
                               false};
    rule.require =
        ExpressionText{"n" + std::to_string((i + 7) % kNumbers) + " % 2 == 0", {}, false};
    rule.message = "n must be even";
    pack.rules.push_back(std::move(rule));
  }
  return pack;
}

// Ten arguments, as a long command has them.
Launch synthetic_launch(const RulePack& pack) {
  Launch launch;
  for (int i = 0; i < 5; ++i) {
    LaunchArgument text;
    text.fact = pack.schema.by_name.at("s" + std::to_string(i * 7));
    text.value = text_node("v" + std::to_string(3 + i));
    launch.arguments.push_back(text);
    LaunchArgument number;
    number.fact = pack.schema.by_name.at("n" + std::to_string(i * 11));
    number.value = number_node(4);
    launch.arguments.push_back(number);
  }
  return launch;
}

void run(benchmark::State& state, RulePack source, const Launch& launch, bool use_index) {
  Diagnostics warnings;
  auto pack = compile_pack(std::move(source), warnings);
  if (!pack) return state.SkipWithError(pack.error().front().message.c_str());
  CheckWorkspace workspace(**pack);
  std::size_t findings = 0;
  for (auto _ : state) {
    const CheckReport report = check_launch(**pack, launch, {}, {use_index}, &workspace);
    findings = report.findings.size() + report.undecided.size();
    benchmark::DoNotOptimize(report);
  }
  state.counters["findings"] = static_cast<double>(findings);
  state.counters["rules"] = static_cast<double>((*pack)->rules().size());
}

void run_verdicts(benchmark::State& state, RulePack source, const Launch& launch) {
  Diagnostics warnings;
  auto pack = compile_pack(std::move(source), warnings);
  if (!pack) return state.SkipWithError(pack.error().front().message.c_str());
  CheckWorkspace workspace(**pack);
  LaunchVerdicts verdicts;
  for (auto _ : state) {
    judge_launch(**pack, launch, {}, workspace, verdicts);
    benchmark::DoNotOptimize(verdicts);
  }
  state.counters["findings"] =
      static_cast<double>(verdicts.violated.size() + verdicts.undecided.size());
  state.counters["rules"] = static_cast<double>((*pack)->rules().size());
}

void check_synthetic(benchmark::State& state, bool use_index) {
  RulePack pack = synthetic_pack();
  const Launch launch = synthetic_launch(pack);
  run(state, std::move(pack), launch, use_index);
}
BENCHMARK_CAPTURE(check_synthetic, index, true)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(check_synthetic, loop, false)->Unit(benchmark::kMicrosecond);

enum class Answer { verdicts, report };

constexpr std::size_t kAllRules = 0xffffffffu;

void keep_rules(RulePack& pack, std::size_t count) {
  std::vector<Rule> kept(pack.rules.begin(), pack.rules.end());
  kept.resize(std::min(count, kept.size()));
  pack.rules = std::move(kept);
}

void check_shipped(benchmark::State& state, const std::string& command, Answer answer,
                   bool use_index, std::size_t rules = kAllRules) {
  SourceSet sources;
  Diagnostics warnings;
  auto pack = read_pack(sources, DiskFileSystem(), std::string(ASSAY_SOURCE_DIR) + "/rules/sglang",
                        warnings);
  if (!pack) return state.SkipWithError(pack.error().front().message.c_str());
  const RulePack* packs[] = {&*pack};
  const SourceId source = sources.add("command", command);
  auto launches = read_launches(sources, source, {packs}, warnings);
  if (!launches) return state.SkipWithError(launches.error().front().message.c_str());
  const Launch launch = launches->front();
  keep_rules(*pack, rules);
  if (answer == Answer::report) return run(state, std::move(*pack), launch, use_index);
  run_verdicts(state, std::move(*pack), launch);
}
constexpr const char* kClean =
    "python -m sglang.launch_server --model-path /models/llama --tp-size 8 --kv-cache-dtype auto "
    "--mem-fraction-static 0.85 --host 0.0.0.0 --port 30000";
constexpr const char* kBroken =
    "python -m sglang.launch_server --model-path /models/deepseek --tp-size 8 --attention-backend "
    "tokenspeed_mla --kv-cache-dtype bf16";
BENCHMARK_CAPTURE(check_shipped, clean_verdicts, kClean, Answer::verdicts, true)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(check_shipped, clean_report, kClean, Answer::report, true)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(check_shipped, clean_report_by_loop, kClean, Answer::report, false)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(check_shipped, broken_verdicts, kBroken, Answer::verdicts, true)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(check_shipped, broken_report, kBroken, Answer::report, true)
    ->Unit(benchmark::kMicrosecond);

// The first 40 rules of the shipped pack, with all its arguments: what the goal of 5 us was set
// for.
void check_40_rules(benchmark::State& state, const std::string& command) {
  check_shipped(state, command, Answer::verdicts, true, 40);
}
BENCHMARK_CAPTURE(check_40_rules, clean_verdicts, kClean)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(check_40_rules, broken_verdicts, kBroken)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace assay
BENCHMARK_MAIN();
