// A message is written once for each combination of the values that its facts may have. Where they
// differ, all values of a placeholder are named ("got bf16 or auto"); where there are many, or one
// is not known, its expression stands there (`<kv_cache_dtype>`): what is printed must be true.
#include <algorithm>

#include "engine/evaluate/combinations.h"
#include "engine/evaluate/rule_checker.h"
#include "engine/evaluate/value_text.h"

namespace assay {
namespace {

constexpr std::size_t kMaxShown = 4;

// What one placeholder may say.
struct PlaceholderTexts {
  std::vector<std::string> texts;  // different ones, in order of appearance
  bool is_open = false;            // one is unknown, or cannot be computed

  void add(const Value& value, bool is_repr) {
    if (value.is(ValueKind::unknown) || value.is(ValueKind::error)) {
      is_open = true;
      return;
    }
    std::string text = is_repr ? python_repr(value) : python_str(value);
    if (std::find(texts.begin(), texts.end(), text) == texts.end())
      texts.push_back(std::move(text));
  }

  std::string joined(const std::string& expression) const {
    if (is_open || texts.empty() || texts.size() > kMaxShown) return "<" + expression + ">";
    std::string all;
    for (const std::string& text : texts) all += (all.empty() ? "" : " or ") + text;
    return all;
  }
};

}  // namespace

std::string render_message(const CompiledRule& rule, std::uint32_t row, FactTable& table) {
  const std::vector<MessageSegment>& segments = rule.message.segments;
  std::vector<PlaceholderTexts> found(segments.size());
  const auto visit = [&] {
    if (row != kUnplaced)
      table.set_slot(table.pack().slots().label, Value::string(rule.cases[row].source->label));
    for (std::size_t i = 0; i < segments.size(); ++i) {
      if (!segments[i].is_expression) continue;
      found[i].add(table.evaluate(segments[i].predicate), segments[i].is_repr);
    }
    return true;
  };
  if (rule.message.empty()) return {};
  table.begin_lets(rule);
  if (!for_each_combination(table, rule.base_facts, visit)) visit();
  std::string message;
  for (std::size_t i = 0; i < segments.size(); ++i)
    message += segments[i].is_expression ? found[i].joined(segments[i].text) : segments[i].text;
  return message;
}

}  // namespace assay
