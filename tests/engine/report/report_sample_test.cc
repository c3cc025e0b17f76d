// (The sample's definitions; this file has no tests of its own. Its name is what the build looks
// for.)
#include "tests/engine/report/report_sample.h"

namespace assay {
namespace {

Node text_node(std::string text) {
  Node node;
  node.kind = NodeKind::string;
  node.text = std::move(text);
  return node;
}

ExpressionText expression(std::string text) { return {std::move(text), {}, true}; }

Rule sample_derivation() {
  Rule rule;
  rule.id = "sglang/attention/kv-cache-dtype-auto";
  rule.severity = Severity::note;
  rule.summary = "An automatic KV cache type becomes the model's own type.";
  rule.step = "handle_kv_cache_dtype";
  rule.when = expression("kv_cache_dtype == \"auto\"");
  Assignment assignment;
  assignment.kind = Assignment::Kind::compute;
  assignment.target = "kv_cache_dtype";
  assignment.expression = expression("model.dtype");
  rule.effect.push_back(std::move(assignment));
  return rule;
}

Finding undecided_finding(const Rule* rule, std::vector<std::string> waits_for) {
  Finding finding;
  finding.rule = rule;
  finding.verdict = Verdict::undecided;
  finding.message = "tokenspeed_mla backend is only supported on Blackwell GPUs.";
  finding.waits_for = std::move(waits_for);
  return finding;
}

}  // namespace

ErrorRecord sample_record() {
  ErrorRecord r;
  r.id = "50f82a4b5a705b9a";
  r.repo = "sgl-project/sglang";
  r.slug = "tokenspeed-mla-backend-requires-kv-cache-dtype-fp8";
  r.error_message = "tokenspeed_mla backend requires kv-cache-dtype=fp8_e4m3, got {}.";
  r.message_pattern = R"(tokenspeed_mla backend requires kv-cache-dtype=fp8_e4m3, got (.+?)\.)";
  r.error_type = "validation";
  r.error_class = "ValueError";
  r.severity = "error";
  r.file_path = "python/sglang/srt/arg_groups/overrides.py";
  r.line_number = 2507;
  r.github_url =
      "https://github.com/sgl-project/sglang/blob/0132848349585cfe6aae51c4941cbae872505f8a/"
      "python/sglang/srt/arg_groups/overrides.py#L2507";
  r.documentation =
      "The `tokenspeed_mla` kernels read the KV cache as FP8 E4M3 and nothing else.\n\nAn "
      "automatic cache type is resolved from the model first, so a bfloat16 model ends here "
      "although nobody asked for bf16.";
  r.trigger_scenarios = "`--attention-backend tokenspeed_mla` with a cache type that is not FP8.";
  r.common_situations = "A configuration for another backend is reused.";
  r.solutions = {"Set `--kv-cache-dtype fp8_e4m3`.",
                 "Choose another MLA backend for a bf16 cache."};
  r.example_fix =
      "# before\n--attention-backend tokenspeed_mla --kv-cache-dtype bf16\n# after\n"
      "--attention-backend tokenspeed_mla --kv-cache-dtype fp8_e4m3";
  r.handling_strategy = "validation";
  r.validation_code = "assert args.kv_cache_dtype == \"fp8_e4m3\"";
  r.type_guard = "def is_fp8(cache) -> bool:\n    return cache.dtype == torch.float8_e4m3fn";
  r.prevention_tips = {"Write the cache type next to the backend."};
  r.tags = {"sglang", "mla", "kv-cache-dtype"};
  r.background_tag = "unsupported-argument-combination";
  r.analyzed_sha = "0132848349585cfe6aae51c4941cbae872505f8a";
  r.analyzed_at = "2026-08-28T05:10:05.995Z";
  return r;
}

ErrorRecord hostile_record() {
  ErrorRecord r;
  r.id = "../" + kHostile;
  r.repo = kHostile;
  r.slug = "../../" + kHostile;
  r.error_message = r.message_pattern = r.error_type = r.severity = r.documentation = kHostile;
  r.error_code = r.error_class = r.file_path = r.source_code = r.trigger_scenarios = kHostile;
  r.common_situations = r.example_fix = r.handling_strategy = r.validation_code = kHostile;
  r.type_guard = r.try_catch_pattern = r.background_tag = r.analyzed_sha = kHostile;
  r.github_url = "javascript:alert(1)//" + kHostile;
  r.solutions = r.prevention_tips = r.tags = {kHostile, kHostile};
  r.analyzed_at = kHostile;
  r.line_number = 1;
  r.schema_version = 3;
  r.examples = {{kHostile, kHostile}};
  r.near_misses = {kHostile};
  r.context = r.replaced_by = kHostile;
  r.status = "retired";
  r.is_wrapper = true;
  r.see_also = {{"50f82a4b5a705b9a", kHostile}};
  r.example_proof = ExampleProof{{}, kHostile, kHostile, {}};
  return r;
}

Rule sample_rule() {
  Rule rule;
  rule.id = "sglang/attention/tokenspeed-mla-without-fp8-kv";
  rule.summary = "The tokenspeed_mla backend is asked for with a KV cache that is not FP8 E4M3.";
  rule.step = "handle_attention_backend_compatibility";
  rule.when = expression("attention_backend == \"tokenspeed_mla\"");
  rule.require = expression("kv_cache_dtype in [\"fp8_e4m3\"]");
  rule.message = "tokenspeed_mla backend requires kv-cache-dtype=fp8_e4m3, got {kv_cache_dtype}.";
  rule.error = "50f82a4b5a705b9a";
  Fix fix;
  Assignment assignment;
  assignment.target = "kv_cache_dtype";
  assignment.literal = text_node("fp8_e4m3");
  fix.assignments.push_back(std::move(assignment));
  fix.why = "Keeps the backend.";
  rule.fixes.push_back(std::move(fix));
  rule.versions = ">=0.5.8";
  rule.source = {"python/sglang/srt/arg_groups/overrides.py", "0132848349", 2507, "ValueError"};
  rule.ignore_when = "You only build the command here and run it elsewhere.";
  RuleExample example;
  example.kind = RuleExample::Kind::violates;
  example.facts.push_back({"attention_backend", {}, text_node("tokenspeed_mla")});
  example.facts.push_back({"kv_cache_dtype", {}, text_node("bf16")});
  rule.examples.push_back(std::move(example));
  return rule;
}

Span ReportSample::span_of(std::string_view text) const {
  const auto at = static_cast<std::uint32_t>(sources.get(0).text().find(text));
  return {0, at, at + static_cast<std::uint32_t>(text.size())};
}

ReportSample::ReportSample() {
  sources.add(
      "run.sh",
      "#!/bin/sh\n# starts the server\n"
      "python -m sglang.launch_server --model-path /models/deepseek --trust-remote-code "
      "--host 0.0.0.0 --port 30000 --attention-backend tokenspeed_mla --mem-fraction-static "
      "0.85 --chunked-prefill-size 8192\n");
  dataset.records.push_back(sample_record());
  ErrorRecord other = sample_record();
  other.id = "f1f5ada3bbfdb861";
  other.slug = "kv-must-be-float8";
  other.error_message = "kv must be torch.float8_e4m3fn, got {kv.dtype}";
  other.message_pattern = R"(kv must be torch\.float8_e4m3fn, got (.+?))";
  other.tags = {"sglang", "fp8", "kv-cache-dtype"};
  dataset.records.push_back(std::move(other));
  for (std::size_t i = 0; i < dataset.records.size(); ++i) dataset.by_id[dataset.records[i].id] = i;
  dataset.version = "2026-08-28T05:10:05.995Z";

  pack.name = "sglang";
  pack.title = "SGLang";
  pack.repository = "sgl-project/sglang";
  pack.versions = {"0.5.8", "0.5.9"};
  pack.stages = {{"resolution",
                  "Resolving the arguments",
                  {{"handle_kv_cache_dtype", {}, {}, {}, {}},
                   {"handle_attention_backend_compatibility", {}, {}, {}, {}}}}};
  pack.rules = {sample_derivation(), sample_rule()};

  launch.pack = "sglang";
  launch.span = span_of(sources.get(0).text().substr(sources.get(0).text().find("python")));
  --launch.span.end;  // without the line end
  CheckedLaunch checked;
  checked.launch = &launch;
  CheckReport& r = checked.report;
  r.pack = "sglang";
  r.engine_version = "0.5.9";
  r.rules_checked = 43;
  r.rules_satisfied = 12;
  r.rules_not_applicable = 28;
  Finding finding;
  finding.rule = &pack.rules[1];
  finding.message = "tokenspeed_mla backend requires kv-cache-dtype=fp8_e4m3, got bf16.";
  finding.span = span_of("--attention-backend tokenspeed_mla");
  finding.stops_here_at_the_latest = true;
  finding.facts = {
      {"attention_backend", "'tokenspeed_mla'", Origin::argument, finding.span, nullptr, {}, {}},
      {"kv_cache_dtype", "'bf16'", Origin::rule, {}, &pack.rules[0], "'auto'", {}}};
  r.findings.push_back(std::move(finding));
  r.undecided.push_back(undecided_finding(&pack.rules[1], {"gpu.sm"}));
  r.undecided.push_back(undecided_finding(&pack.rules[1], {"gpu.sm", "model.config"}));
  r.adjustments.push_back(Adjustment{&pack.rules[0], "kv_cache_dtype", "'auto'", "'bf16'", {}});
  RepairChange change;
  change.name = "kv_cache_dtype";
  change.value = text_node("fp8_e4m3");
  change.before = "'auto'";
  change.flag = "--kv-cache-dtype fp8_e4m3";
  Repair repair;
  repair.changes.push_back(std::move(change));
  repair.why = "Keeps the backend.";
  repair.command = std::string(sources.text(launch.span)) + " --kv-cache-dtype fp8_e4m3";
  r.repairs.push_back(std::move(repair));
  launches.push_back(std::move(checked));
}

}  // namespace assay
