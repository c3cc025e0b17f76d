// Values typed for a fact are converted like a flag's; JSON is taken where the type is a list or a
// map. What several GPUs of one name do not agree on stays unknown: "A100" says nothing about
// memory.
#include "engine/read/given_fact_reader.h"

#include <algorithm>

#include "engine/base/ascii.h"
#include "engine/read/argument_conversion.h"
#include "engine/read/gpu_table.h"
#include "engine/text/closest_name.h"
#include "engine/text/json_reader.h"

namespace assay {
namespace {

void forget_places(Node& node) {
  node.span = {};
  for (Node& item : node.items) forget_places(item);
  for (Entry& entry : node.entries) {
    entry.key_span = {};
    forget_places(entry.value);
  }
}

Result<Node> read_json_value(std::string_view text) {
  SourceSet sources;
  ASSAY_TRY(Node node, read_json(sources, sources.add("<value>", std::string(text))));
  forget_places(node);
  return node;
}

// The value of `fact` that `text` writes; an empty message when there is none to give.
std::optional<std::string> convert(const FactDeclaration& fact, std::string_view text,
                                   Node& value) {
  const bool is_null = text == "null" || text == "None" || text == "none";
  if (is_null && fact.type.is_nullable && fact.type.kind != TypeKind::string) {
    value = {};
    return {};
  }
  if (text == "null" && fact.type.is_nullable) return {};
  const bool is_document =
      fact.is_json || fact.type.kind == TypeKind::map || fact.type.kind == TypeKind::dynamic;
  const bool is_list = fact.type.kind == TypeKind::list;
  if (is_document || (is_list && text.starts_with('['))) {
    auto json = read_json_value(text);
    if (!json) {
      if (fact.type.kind == TypeKind::dynamic) {
        value = make_string(std::string(text), {});
        return {};
      }
      return "not JSON: " + json.error().front().message;
    }
    if (fact.type.kind == TypeKind::map && json->kind != NodeKind::mapping)
      return "a map is expected, this is " + std::string(to_string(json->kind));
    const auto fault = convert_node(fact, *json, value);
    return fault ? std::optional(fault->message) : std::nullopt;
  }
  if (!is_list) {
    const auto fault = convert_text(fact, text, value);
    return fault ? std::optional(fault->message) : std::nullopt;
  }
  value.kind = NodeKind::sequence;
  while (!text.empty()) {
    const auto comma = std::min(text.find(','), text.size());
    Node item;
    if (const auto fault = convert_text(fact, text.substr(0, comma), item)) return fault->message;
    value.items.push_back(std::move(item));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return {};
}

Node integer_node(std::int64_t number) {
  Node node;
  node.kind = NodeKind::integer;
  node.integer = number;
  node.real = static_cast<double>(number);
  node.text = std::to_string(number);
  return node;
}

struct GpuRequest {
  std::string_view name;
  std::optional<std::int64_t> count;
};

// "H200x8", "8xH200", "8 x H200"; the text itself comes first, because names end in digits and
// hold an x as well (RTX 4090, MI300X).
std::vector<GpuRequest> gpu_requests(std::string_view text) {
  std::vector<GpuRequest> requests{{text, std::nullopt}};
  const auto add = [&](std::string_view name, std::string_view count) {
    if (count.empty() || count.size() > 5) return;
    requests.push_back({trimmed(name), std::stoll(std::string(count))});
  };
  const auto is_times = [](char c) { return c == 'x' || c == 'X' || c == '*'; };
  std::size_t digits = text.size();
  while (digits > 0 && is_digit(text[digits - 1])) --digits;
  std::string_view before = trimmed(text.substr(0, digits));
  if (before.size() > 1 && is_times(before.back()))
    add(before.substr(0, before.size() - 1), text.substr(digits));
  digits = 0;
  while (digits < text.size() && is_digit(text[digits])) ++digits;
  const std::string_view after = trimmed(text.substr(digits));
  if (after.size() > 1 && is_times(after[0])) add(after.substr(1), text.substr(0, digits));
  return requests;
}

class GpuFacts {
 public:
  GpuFacts(std::vector<const Gpu*> gpus, std::string source)
      : gpus_(std::move(gpus)), source_(std::move(source)) {}

  void add(std::string name, Node value) {
    facts.push_back({std::move(name), std::move(value), Origin::command_line_fact, {}, source_});
  }
  // A number all of them share.
  void add_number(std::string name, std::optional<std::int64_t> Gpu::*field) {
    const std::optional<std::int64_t> first = gpus_[0]->*field;
    const bool is_shared = std::all_of(gpus_.begin(), gpus_.end(),
                                       [&](const Gpu* gpu) { return gpu->*field == first; });
    if (is_shared && first) add(std::move(name), integer_node(*first));
  }

  std::vector<GivenFact> facts;

 private:
  std::vector<const Gpu*> gpus_;
  std::string source_;
};

}  // namespace

Result<GivenFact> read_fact(const RulePack& pack, std::string_view assignment) {
  const auto equals = assignment.find('=');
  if (equals == std::string_view::npos || equals == 0)
    return make_error(code::invalid_value, {},
                      "`" + std::string(assignment) + "` is no fact: NAME=VALUE is expected");
  const std::string name(trimmed(assignment.substr(0, equals)));
  const FactDeclaration* fact = pack.schema.find(name);
  if (fact == nullptr) {
    std::vector<std::string_view> names;
    for (const FactDeclaration& declared : pack.schema.facts) names.push_back(declared.name);
    const std::string_view closest = closest_name(name, names);
    return make_error(code::unknown_fact, {}, "`" + name + "` is no fact of " + pack.name,
                      closest.empty() ? "" : "Did you mean `" + std::string(closest) + "`?");
  }
  GivenFact given;
  given.name = name;
  given.source = "--fact " + std::string(assignment);
  if (auto fault = convert(*fact, assignment.substr(equals + 1), given.value))
    return make_error(code::invalid_value, {}, "`" + name + "`: " + *fault,
                      "Its type is " + to_string(fact->type) + ".");
  if (fact->minimum && given.value.kind == NodeKind::integer &&
      given.value.integer < *fact->minimum)
    return make_error(code::invalid_value, {},
                      "`" + name + "` cannot be " + given.value.text + ": it is at least " +
                          std::to_string(*fact->minimum));
  return given;
}

std::string_view assigned_release(std::string_view assignment) {
  const auto equals = assignment.find('=');
  if (equals == std::string_view::npos || trimmed(assignment.substr(0, equals)) != "version.engine")
    return {};
  return trimmed(assignment.substr(equals + 1));
}

Result<std::vector<GivenFact>> read_gpu(const SourceSet& sources, SourceId gpu_table,
                                        std::string_view text) {
  ASSAY_TRY(const std::vector<Gpu> table, read_gpu_table(sources, gpu_table));
  text = trimmed(text);
  for (const GpuRequest& request : gpu_requests(text)) {
    const std::vector<const Gpu*> gpus = find_gpus(table, request.name);
    if (gpus.empty()) continue;
    if (request.count == 0)
      return make_error(code::invalid_value, {},
                        "`" + std::string(text) + "` is no GPU at all: the count is at least 1",
                        "For a machine without one say --fact gpu.vendor=none.");
    GpuFacts result(gpus, "--gpu " + std::string(text));
    result.add("gpu.vendor", make_string(gpus[0]->vendor, {}));
    if (gpus.size() == 1)
      result.add("gpu.name",
                 make_string(gpus[0]->names.empty() ? gpus[0]->key : gpus[0]->names[0], {}));
    if (gpus[0]->sm) {
      result.add_number("gpu.sm", &Gpu::sm);
    } else {
      result.add("gpu.sm", {});
    }
    if (request.count) result.add("gpu.count", integer_node(*request.count));
    result.add_number("gpu.memory_mib", &Gpu::memory_mib);
    result.add_number("gpu.sm_count", &Gpu::sm_count);
    return std::move(result.facts);
  }
  std::vector<std::string_view> keys;
  for (const Gpu& gpu : table) keys.push_back(gpu.key);
  std::string upper(text);
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  const std::string_view closest = closest_name(upper, keys);
  return make_error(code::invalid_value, {}, "no GPU is known as `" + std::string(text) + "`",
                    closest.empty() ? "Say --fact gpu.sm=90 and the like instead."
                                    : "Did you mean `" + std::string(closest) + "`?");
}

Result<std::vector<GivenFact>> read_model_config(const SourceSet& sources, SourceId source) {
  ASSAY_TRY(Node config, read_json(sources, source));
  if (config.kind != NodeKind::mapping)
    return make_error(
        code::wrong_type, config.span,
        "a model's config.json is a map, this is " + std::string(to_string(config.kind)));
  const Span span = config.span;
  std::vector<GivenFact> facts;
  facts.push_back(
      {"model.config", std::move(config), Origin::model_config, span, sources.get(source).name()});
  return facts;
}

}  // namespace assay
