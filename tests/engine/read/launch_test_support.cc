// Flags and types as SGLang has them, so that examples read as real ones.
#include "tests/engine/read/launch_test_support.h"

#include <map>

#include "engine/read/argument_conversion.h"
#include "engine/read/python_text.h"

namespace assay::test {
namespace {

class PackBuilder {
 public:
  PackBuilder(std::string name, std::vector<Launcher> launchers) {
    pack_.name = std::move(name);
    pack_.launchers = std::move(launchers);
    pack_.config_flag = "--config";
    pack_.plugin_environment = {"SGLANG_PLUGINS"};
  }
  FactDeclaration& add(std::string name, Type type, std::vector<std::string> flags) {
    FactDeclaration fact;
    fact.name = std::move(name);
    fact.type = std::move(type);
    fact.is_argument = true;
    fact.default_value = Node{};
    for (std::string& flag : flags) fact.flags.push_back({std::move(flag), false, {}});
    if (fact.type.kind == TypeKind::boolean)
      for (Flag& flag : fact.flags)
        flag.stores = make_boolean(!flag.spelling.starts_with("--no-"), {});
    fact.takes_list = fact.type.kind == TypeKind::list;
    pack_.schema.facts.push_back(std::move(fact));
    return pack_.schema.facts.back();
  }
  void rename(std::string spelling, std::string now) {
    pack_.renamed_flags.push_back({std::move(spelling), std::move(now)});
  }
  RulePack build() {
    for (FactId id = 0; id < pack_.schema.facts.size(); ++id) {
      pack_.schema.by_name[pack_.schema.facts[id].name] = id;
      for (const Flag& flag : pack_.schema.facts[id].flags)
        pack_.schema.by_flag[flag.spelling] = id;
    }
    return std::move(pack_);
  }

 private:
  RulePack pack_;
};

Type nullable(TypeKind kind) { return {kind, true, {}}; }

std::vector<Node> choices(std::vector<std::string> names) {
  std::vector<Node> nodes;
  for (std::string& name : names) nodes.push_back(make_string(std::move(name), {}));
  return nodes;
}

RulePack build_small_pack() {
  PackBuilder builder("sglang", {{{"python", "-m", "sglang.launch_server"}, {}},
                                 {{"sglang", "serve"}, {"model_path"}}});
  builder.add("model_path", Type::of(TypeKind::string), {"--model-path", "--model"});
  builder
      .add("tp_size", Type::of(TypeKind::integer), {"--tp-size", "--tensor-parallel-size", "-tp"})
      .default_value = [] {
    Node one;
    one.kind = NodeKind::integer;
    one.integer = 1;
    one.real = 1;
    return one;
  }();
  builder.add("context_length", nullable(TypeKind::integer), {"--context-length"}).unit_suffixes = {
      {"k", 1000}, {"M", 1000000}, {"Ki", 1024}};
  auto& old_switch = builder.add("enable_dp_attention", Type::of(TypeKind::boolean), {});
  old_switch.flags.push_back({"--enable-dp-attention", true, make_boolean(true, {})});
  old_switch.documentation = "Write --attn-dp-size.";
  builder.add("dp_size", Type::of(TypeKind::integer), {"--dp-size"});
  builder.add("pp_size", Type::of(TypeKind::integer), {"--pp-size"});
  builder.add("pp_max_micro_batch_size", nullable(TypeKind::integer),
              {"--pp-max-micro-batch-size"});
  builder.add("chunked_prefill_size", nullable(TypeKind::integer), {"--chunked-prefill-size"});
  builder.add("mem_fraction_static", nullable(TypeKind::real), {"--mem-fraction-static"});
  auto& dtype = builder.add("kv_cache_dtype", Type::of(TypeKind::string), {"--kv-cache-dtype"});
  dtype.choices = choices({"auto", "bf16", "fp8_e4m3", "fp8_e5m2"});
  dtype.default_value = make_string("auto", {});
  auto& backend =
      builder.add("attention_backend", nullable(TypeKind::string), {"--attention-backend"});
  backend.choices = choices({"flashinfer", "fa3", "triton"});
  backend.has_open_choices = true;
  builder.add("prefill_attention_backend", nullable(TypeKind::string),
              {"--prefill-attention-backend"});
  auto& algorithm =
      builder.add("speculative_algorithm", nullable(TypeKind::string), {"--speculative-algorithm"});
  algorithm.flags.push_back({"--speculative-algo", true, {}});
  builder.add("speculative_eagle_topk", nullable(TypeKind::integer), {"--speculative-eagle-topk"});
  builder.add("disable_radix_cache", Type::of(TypeKind::boolean), {"--disable-radix-cache"});
  builder.add("enable_hierarchical_cache", Type::of(TypeKind::boolean),
              {"--enable-hierarchical-cache"});
  builder.add("enable_metrics", nullable(TypeKind::boolean),
              {"--enable-metrics", "--no-enable-metrics"});
  builder.add("trust_remote_code", Type::of(TypeKind::boolean), {"--trust-remote-code"});
  auto& list =
      builder.add("lora_paths", Type::list_of(Type::of(TypeKind::string)), {"--lora-paths"});
  list.type.is_nullable = true;
  builder.add("cuda_graph_bs", Type::list_of(Type::of(TypeKind::integer)), {"--cuda-graph-bs"});
  auto& json = builder.add("json_model_override_args",
                           Type::map_of(Type::of(TypeKind::string), Type::of(TypeKind::dynamic)),
                           {"--json-model-override-args"});
  json.is_json = true;
  builder.add("host", Type::of(TypeKind::string), {"--host"});
  builder.add("port", Type::of(TypeKind::integer), {"--port"});
  builder.rename("--old-cache-dtype", "--kv-cache-dtype");
  builder.rename("--old-slow-path", "--attention-backend=triton");
  builder.rename("--old-backend", "--attention-backend");
  builder.add("disaggregation_mode", Type::of(TypeKind::string), {"--disaggregation-mode"});
  return builder.build();
}

std::string span_text(const SourceSet& sources, Span span) {
  if (!span.is_known()) return "nowhere";
  const Position position = sources.get(span.source).position(span.begin);
  std::string text(sources.text(span).substr(0, 120));
  std::string shown;
  for (const char c : text) shown += c == '\n' ? std::string("\\n") : std::string(1, c);
  return std::to_string(position.line) + ":" + std::to_string(position.column) + " [" + shown + "]";
}

}  // namespace

const RulePack& small_pack() {
  static const RulePack pack = build_small_pack();
  return pack;
}

const RulePack& other_pack() {
  static const RulePack pack = [] {
    PackBuilder builder("vllm", {{{"vllm", "serve"}, {"model_path"}},
                                 {{"python", "-m", "vllm.entrypoints.openai.api_server"}, {}}});
    builder.add("model_path", Type::of(TypeKind::string), {"--model"});
    builder.add("tensor_parallel_size", Type::of(TypeKind::integer),
                {"--tensor-parallel-size", "-tp"});
    builder.add("enforce_eager", Type::of(TypeKind::boolean), {"--enforce-eager"});
    builder.add("kv_cache_dtype", Type::of(TypeKind::string), {"--kv-cache-dtype"});
    builder.add("max_model_len", Type::of(TypeKind::integer), {"--max-model-len"});
    return builder.build();
  }();
  return pack;
}

FactId fact_id(const RulePack& pack, std::string_view name) {
  return pack.schema.by_name.at(std::string(name));
}

std::string show_diagnostic(const SourceSet& sources, const Diagnostic& diagnostic) {
  std::string text(to_string(diagnostic.severity));
  text += "[" + std::string(diagnostic.code.name) + "] " + diagnostic.message;
  if (!diagnostic.help.empty()) text += " (" + diagnostic.help + ")";
  return text + " @ " + span_text(sources, diagnostic.span);
}

std::string show_values(const RulePack& pack, const Launch& launch) {
  std::map<std::string, std::string> values;
  for (const LaunchArgument& argument : launch.arguments)
    values[pack.schema.facts[argument.fact].name] =
        argument.is_known ? python_repr(argument.value) : "?" + argument.value.text;
  std::string text;
  for (const auto& [name, value] : values) text += (text.empty() ? "" : " ") + name + "=" + value;
  return text;
}

std::string show_launches(const SourceSet& sources, const Result<std::vector<Launch>>& launches,
                          const Diagnostics& warnings) {
  std::string text;
  if (!launches)
    for (const Diagnostic& fault : launches.error()) text += show_diagnostic(sources, fault) + "\n";
  else
    for (const Launch& launch : *launches) {
      static constexpr std::string_view kStages[] = {"raw", "resolved", "help"};
      static constexpr std::string_view kForms[] = {"shell", "word list", "map", "dump"};
      const RulePack& pack = launch.pack == "vllm" ? other_pack() : small_pack();
      text += "launch of " + launch.pack + ", " +
              std::string(kStages[static_cast<std::size_t>(launch.stage)]) + ", " +
              std::string(kForms[static_cast<std::size_t>(launch.form)]) + "\n";
      if (launch.has_unseen_arguments) text += "  and arguments that are not seen\n";
      if (!launch.label.empty()) text += "  label " + launch.label + "\n";
      text += "  span " + span_text(sources, launch.span) + "\n";
      for (const EnvironmentSetting& setting : launch.environment)
        text += "  environment " + setting.name + "=" + (setting.is_known ? "" : "?") +
                setting.value + " @ " + span_text(sources, setting.span) + "\n";
      for (const LaunchArgument& argument : launch.arguments)
        text += "  " + pack.schema.facts[argument.fact].name + " = " +
                (argument.is_known ? python_repr(argument.value) : "?" + argument.value.text) +
                " by " + argument.spelling + " @ " + span_text(sources, argument.flag_span) +
                " value " + span_text(sources, argument.value_span) + "\n";
      for (const GivenFact& fact : launch.facts)
        text += "  " + fact.name + " is " + python_repr(fact.value) + " @ " +
                span_text(sources, fact.span) + "\n";
      for (const LaunchFault& fault : launch.faults) {
        text += "  " + show_diagnostic(sources, fault.diagnostic) + "\n";
        if (!fault.message.empty()) text += "    engine: " + fault.message + "\n";
      }
    }
  for (const Diagnostic& warning : warnings) text += show_diagnostic(sources, warning) + "\n";
  return text;
}

ReadText::ReadText(std::string text, InputKind kind, const FileSystem* files)
    : source(sources.add("input", std::move(text))), launches(Diagnostics{}) {
  const RulePack* packs[] = {&small_pack(), &other_pack()};
  LaunchReading reading;
  reading.packs = packs;
  reading.files = files;
  reading.kind = kind;
  launches = read_launches(sources, source, reading, warnings);
}

std::string ReadText::values() const {
  if (!launches) return "no launch: " + errors();
  return show_values(only().pack == "vllm" ? other_pack() : small_pack(), only());
}

std::string ReadText::faults() const {
  std::string text;
  for (const LaunchFault& fault : only().faults)
    text += std::string(fault.diagnostic.code.name) + ": " + fault.diagnostic.message + "\n";
  return text;
}

std::string ReadText::errors() const {
  std::string text;
  if (!launches)
    for (const Diagnostic& fault : launches.error())
      text += std::string(fault.code.name) + ": " + fault.message + "\n";
  return text;
}

}  // namespace assay::test
