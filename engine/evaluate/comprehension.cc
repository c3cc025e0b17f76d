// `all` and `exists` combine their turns as && and || do and stop when decided. The others are
// strict: an error ends them, an unknown turn makes the result unknown unless a later one is an
// error. Lists and maps are built in an array as long as the range, filled from the front; the
// result so far is the filled part.
#include "engine/evaluate/comprehension.h"

#include <string>

#include "engine/compile/value_comparison.h"
#include "engine/evaluate/value_operators.h"

namespace assay {
namespace {

std::size_t range_size(const Value& range) {
  return range.is(ValueKind::list) ? range.as_list().size() : range.as_map().size();
}

void append_item(Value& list, const Value& item) {
  const auto items = list.as_list();
  auto* memory = const_cast<Value*>(items.data());  // ours: allocated in begin_loop
  memory[items.size()] = item;
  list = Value::list({memory, items.size() + 1});
}

void append_entry(Value& map, const MapEntry& entry) {
  const auto entries = map.as_map();
  auto* memory = const_cast<MapEntry*>(entries.data());  // ours
  memory[entries.size()] = entry;
  map = Value::map({memory, entries.size() + 1});
}

// merge_map: the number of entries is not known before, so the array doubles at powers of two.
bool merge_entries(Value& map, const Value& added, EvaluationContext& context) {
  for (const MapEntry& entry : added.as_map()) {
    const auto entries = map.as_map();
    if (find_entry(map, entry.key, context.cost_left()) != nullptr) {
      map = Value::error("repeated key in transformMapEntry");
      return false;
    }
    if ((entries.size() & (entries.size() - 1)) == 0) {
      auto* memory = context.allocate<MapEntry>(std::max<std::size_t>(1, 2 * entries.size()));
      if (memory == nullptr) return false;
      std::copy(entries.begin(), entries.end(), memory);
      map = Value::map({memory, entries.size()});
    }
    append_entry(map, entry);
  }
  return true;
}

// A turn of a strict comprehension that gave an error or unknown; false when that ends it.
bool take_failure(Value& result, const Value& failure, EvaluationContext& context) {
  if (failure.is(ValueKind::error) || !result.is(ValueKind::unknown))
    result = failure;
  else
    result = context.merge_unknown(result, failure);
  return !failure.is(ValueKind::error);
}

// Of a body that must be a bool but is none.
Value not_boolean(const Value& body, EvaluationContext& context) {
  if (is_failure(body)) return body;
  return context.error("a condition is " + std::string(to_string(body.kind())) + ", not bool");
}

}  // namespace

bool begin_loop(LoopKind kind, Value* frame, EvaluationContext& context) {
  if (is_failure(frame[0])) return false;
  if (!frame[0].is(ValueKind::list) && !frame[0].is(ValueKind::map)) {
    frame[0] = context.error("a comprehension goes over a list or a map, not " +
                             std::string(to_string(frame[0].kind())));
    return false;
  }
  frame[1] = Value::integer(0);
  switch (kind) {
    case LoopKind::all:
    case LoopKind::exists:
      frame[2] = Value::boolean(kind == LoopKind::all);
      return true;
    case LoopKind::exists_one:
      frame[2] = Value::integer(0);
      return true;
    case LoopKind::build_list:
    case LoopKind::keep_elements: {
      auto* memory = context.allocate<Value>(range_size(frame[0]));
      frame[2] = Value::list({memory, 0});
      return memory != nullptr;
    }
    case LoopKind::build_map: {
      auto* memory = context.allocate<MapEntry>(range_size(frame[0]));
      frame[2] = Value::map({memory, 0});
      return memory != nullptr;
    }
    case LoopKind::merge_map:
      break;
  }
  frame[2] = Value::map({});
  return true;
}

bool next_turn(Value* frame, std::uint8_t variables) {
  const auto turn = static_cast<std::size_t>(frame[1].as_integer());
  if (turn >= range_size(frame[0])) return false;
  frame[1] = Value::integer(static_cast<std::int64_t>(turn + 1));
  if (frame[0].is(ValueKind::list)) {
    if (variables == 2) frame[3] = Value::integer(static_cast<std::int64_t>(turn));
    frame[2 + variables] = frame[0].as_list()[turn];
  } else {
    const MapEntry& entry = frame[0].as_map()[turn];
    frame[3] = entry.key;
    if (variables == 2) frame[4] = entry.value;
  }
  return true;
}

void fail_turn(Value* frame, const Value& condition, EvaluationContext& context) {
  const Value failure = not_boolean(condition, context);
  if (!take_failure(frame[2], failure, context))
    frame[1] = Value::integer(static_cast<std::int64_t>(range_size(frame[0])));  // no more turns
}

bool take_turn(LoopKind kind, Value* frame, const Value& body, EvaluationContext& context) {
  Value& result = frame[2];
  switch (kind) {
    case LoopKind::all:
      result = merge_and(result, body, context);
      return !result.is_false();
    case LoopKind::exists:
      result = merge_or(result, body, context);
      return !result.is_true();
    case LoopKind::exists_one:
    case LoopKind::keep_elements:
      if (!body.is(ValueKind::boolean))
        return take_failure(result, not_boolean(body, context), context);
      if (!body.as_boolean() || is_failure(result)) return true;
      if (kind == LoopKind::exists_one)
        result = Value::integer(result.as_integer() + 1);
      else
        append_item(result, frame[3]);
      return true;
    case LoopKind::build_list:
    case LoopKind::build_map:
      if (is_failure(body)) return take_failure(result, body, context);
      if (is_failure(result)) return true;
      if (kind == LoopKind::build_list)
        append_item(result, body);
      else
        append_entry(result, {frame[3], body});
      return true;
    case LoopKind::merge_map:
      break;
  }
  if (!body.is(ValueKind::map)) {
    const Value failure =
        is_failure(body) ? body : Value::error("transformMapEntry needs a map for each element");
    return take_failure(result, failure, context);
  }
  return is_failure(result) || merge_entries(result, body, context);
}

void end_loop(LoopKind kind, Value* frame) {
  const bool counts = kind == LoopKind::exists_one && frame[2].is(ValueKind::integer);
  frame[0] = counts ? Value::boolean(frame[2].as_integer() == 1) : frame[2];
}

}  // namespace assay
