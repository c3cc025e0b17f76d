#include "engine/evaluate/evaluation_context.h"

#include <string>

namespace assay {

Value EvaluationContext::merge_unknown(const Value& a, const Value& b) {
  const auto left = a.as_unknown();
  const auto right = b.as_unknown();
  if (std::includes(left.begin(), left.end(), right.begin(), right.end())) return a;
  if (std::includes(right.begin(), right.end(), left.begin(), left.end())) return b;
  auto* slots = allocate<std::uint32_t>(left.size() + right.size());
  if (slots == nullptr) return a;
  const auto* end = std::set_union(left.begin(), left.end(), right.begin(), right.end(), slots);
  return Value::unknown({slots, static_cast<std::size_t>(end - slots)});
}

Value EvaluationContext::strict_failure(std::span<const Value> arguments) {
  const Value* unknown = nullptr;
  Value merged;
  for (const Value& argument : arguments) {
    if (argument.is(ValueKind::error)) return argument;
    if (!argument.is(ValueKind::unknown)) continue;
    merged = unknown == nullptr ? argument : merge_unknown(merged, argument);
    unknown = &merged;
  }
  return merged;
}

Value EvaluationContext::no_overload(std::string_view name, std::span<const Value> arguments) {
  std::string message = "no such overload: " + std::string(name) + "(";
  for (std::size_t i = 0; i < arguments.size() && i < 8; ++i) {
    if (i > 0) message += ", ";
    message += to_string(arguments[i].kind());
  }
  return error(message + ")");
}

}  // namespace assay
