#include "tests/engine/evaluate/test_pack.h"

#include <gtest/gtest.h>

#include <utility>

#include "engine/evaluate/launch_checker.h"
#include "engine/read/pack_reader.h"
#include "engine/text/diagnostic_rendering.h"
#include "engine/text/file_system.h"
#include "engine/text/yaml_reader.h"

namespace assay::test {
namespace {

constexpr std::string_view kPack = R"(pack: demo
title: Demo
repository: demo/demo
versions: ["1.0", "1.1"]
launchers:
  - [python, -m, demo]
config_flag: --config
stages:
  - stage: resolution
    title: Resolution
    steps:
      - early
      - {step: boundary, stop_when: 'model_path == "dummy"'}
      - middle
      - late
  - stage: server-check
    title: Server check
    steps:
      - final
)";

constexpr std::string_view kArguments = R"(arguments:
  model_path: {type: string, default: none, flags: [--model-path], documentation: Model.}
  attention_backend:
    type: string
    nullable: true
    default: null
    choices: [fa3, triton, flashmla, trtllm_mla]
    flags: [--attention-backend]
    documentation: Backend.
  kv_cache_dtype:
    type: string
    default: auto
    choices: [auto, bf16, fp8_e4m3, fp8_e5m2]
    flags: [--kv-cache-dtype]
    documentation: Cache type.
  page_size: {type: int, default: 1, flags: [--page-size], documentation: Page size.}
  tp_size: {type: int, default: 1, flags: [--tp-size, --tp], documentation: Ranks.}
  nnodes: {type: int, default: 1, flags: [--nnodes], documentation: Nodes.}
  mem_fraction: {type: double, nullable: true, default: null, flags: [--mem-fraction], documentation: Part.}
  chunk_size: {type: int, default: 4096, flags: [--chunk-size], environment: DEMO_CHUNK, documentation: Chunk.}
  disable_radix: {type: bool, default: false, flags: [--disable-radix], documentation: No cache.}
  enable_hicache: {type: bool, default: false, flags: [--enable-hicache], documentation: More cache.}
  graph_config: {type: json, nullable: true, default: null, flags: [--graph-config], documentation: Graphs.}
)";

constexpr std::string_view kFacts = R"(facts:
  gpu.sm: {type: int, documentation: Compute capability.}
  model.dtype: {type: string, documentation: Type of the weights.}
  env.DEMO_LIMIT: {type: int, default: 128, documentation: Limit.}
  env.DEMO_FLAG: {type: string, nullable: true, documentation: Flag.}
  derived.backend:
    type: string
    expression: 'attention_backend != null ? attention_backend : "fa3"'
    documentation: The backend in force.
)";

void add_defaults(MemoryFileSystem& files) {
  files.write("rules/demo/pack.yaml", std::string(kPack));
  files.write("rules/demo/arguments.yaml", std::string(kArguments));
  files.write("rules/demo/facts.yaml", std::string(kFacts));
}

Node read_map(TestPack& pack, std::string_view text) {
  const SourceId source = pack.sources.add("<test>", std::string(text));
  auto node = read_yaml(pack.sources, source);
  if (node) return std::move(*node);
  ADD_FAILURE() << text << " is no YAML: " << node.error().front().message;
  return {};
}

}  // namespace

std::string TestPack::fault_text() const {
  std::string text;
  for (const Diagnostic& fault : faults)
    text += std::string(fault.code.name) + ": " + fault.message + "\n";
  return text;
}

TestPack make_pack(std::string_view sections, bool must_compile) {
  TestPack result;
  MemoryFileSystem files;
  add_defaults(files);
  while (!sections.empty()) {
    const auto line = sections.find('\n');
    const std::string name(sections.substr(4, line - 4));
    sections.remove_prefix(line + 1);
    const auto next = sections.find("=== ");
    files.write("rules/demo/" + name, std::string(sections.substr(0, next)));
    sections.remove_prefix(next == std::string_view::npos ? sections.size() : next);
  }
  auto read = read_pack(result.sources, files, "rules/demo", result.faults);
  if (read) {
    auto compiled = compile_pack(std::move(*read), result.faults);
    if (compiled)
      result.pack = std::move(*compiled);
    else
      result.faults = std::move(compiled.error());
  } else {
    result.faults = std::move(read.error());
  }
  if (must_compile && result.pack == nullptr)
    for (const Diagnostic& fault : result.faults)
      ADD_FAILURE() << render_diagnostic(fault, result.sources, false);
  return result;
}

std::string rule_file(std::string_view slug, std::string_view severity, std::string_view step,
                      std::string_view rest) {
  const bool needs_message = rest.find("message:") == std::string_view::npos &&
                             rest.find("effect:") == std::string_view::npos;
  return "=== area/" + std::string(slug) + ".yaml\nid: demo/area/" + std::string(slug) +
         "\nseverity: " + std::string(severity) +
         "\nsummary: A rule of this test.\nstep: " + std::string(step) +
         "\nsource: {file: demo/args.py, sha: 0123456789, line: 1, raises: ValueError}\n" +
         (needs_message ? "message: broken\n" : "") + std::string(rest);
}

Launch typed(TestPack& pack, std::string_view arguments) {
  Launch launch;
  launch.pack = "demo";
  const Node map = read_map(pack, arguments);
  for (const Entry& entry : map.entries) {
    const auto fact = pack.source().schema.by_name.find(entry.key);
    if (fact == pack.source().schema.by_name.end()) {
      ADD_FAILURE() << "no argument " << entry.key;
      continue;
    }
    LaunchArgument argument;
    argument.fact = fact->second;
    argument.value = entry.value;
    argument.spelling = entry.key;
    argument.flag_span = entry.key_span;
    argument.value_span = entry.value.span;
    launch.arguments.push_back(std::move(argument));
  }
  return launch;
}

std::vector<GivenFact> given(TestPack& pack, std::string_view facts) {
  std::vector<GivenFact> result;
  const Node map = read_map(pack, facts);
  for (const Entry& entry : map.entries)
    result.push_back({entry.key, entry.value, Origin::command_line_fact, entry.key_span, "--fact"});
  return result;
}

std::string report_text(const CheckReport& report) {
  std::string text;
  const auto add = [&](const Finding& finding) {
    text += std::string(to_string(finding.severity)) + " " +
            (finding.rule == nullptr ? std::string("parser") : finding.rule->id.substr(5)) + " " +
            std::string(to_string(finding.verdict)) + ": " + finding.message;
    if (!finding.label.empty()) text += " [" + finding.label + "]";
    for (const std::string& name : finding.waits_for) text += " waits for " + name;
    if (!finding.evaluation_error.empty()) text += " error: " + finding.evaluation_error;
    if (finding.stops_here) text += " <stops here>";
    if (finding.stops_here_at_the_latest) text += " <stops here at the latest>";
    text += "\n";
    for (const FactUse& use : finding.facts) {
      text += "  " + use.name + " = " + use.value;
      if (use.rule != nullptr) text += ", was " + use.before + ", by " + use.rule->id.substr(5);
      text += "\n";
    }
  };
  for (const Finding& finding : report.findings) add(finding);
  for (const Finding& finding : report.undecided) add(finding);
  for (const Adjustment& adjustment : report.adjustments) {
    text += "note " + adjustment.rule->id.substr(5) + ": " + adjustment.fact + " " +
            adjustment.before + " -> " + adjustment.after;
    if (!adjustment.message.empty()) text += " \"" + adjustment.message + "\"";
    text += "\n";
  }
  return text;
}

CheckReport check(TestPack& pack, std::string_view arguments, std::string_view facts) {
  const Launch launch = typed(pack, arguments);
  const auto given_facts = given(pack, facts);
  CheckWorkspace workspace(*pack.pack);
  CheckReport report = check_launch(*pack.pack, launch, given_facts, {}, &workspace);
  const CheckReport loop = check_launch(*pack.pack, launch, given_facts, {false});
  EXPECT_EQ(report_text(report), report_text(loop));
  EXPECT_EQ(report.rules_satisfied, loop.rules_satisfied);
  EXPECT_EQ(report.rules_not_applicable, loop.rules_not_applicable);
  return report;
}

}  // namespace assay::test
