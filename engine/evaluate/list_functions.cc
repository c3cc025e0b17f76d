// Functions of lists, and size(). Those that compare all pairs charge for it.
#include "engine/compile/code_points.h"
#include "engine/compile/value_comparison.h"
#include "engine/evaluate/function_table.h"

namespace assay {
namespace {

using Arguments = std::span<const Value>;

Value size(const Value& value, EvaluationContext& context) {
  const auto of = [](std::size_t n) { return Value::integer(static_cast<std::int64_t>(n)); };
  switch (value.kind()) {
    case ValueKind::string:
      context.charge(value.as_text().size() / 2);
      return of(count_code_points(value.as_text()));
    case ValueKind::bytes:
      return of(value.as_text().size());
    case ValueKind::list:
      return of(value.as_list().size());
    case ValueKind::map:
      return of(value.as_map().size());
    default:
      return context.no_overload("size", {&value, 1});
  }
}

bool contains(Arguments list, const Value& item, EvaluationContext& context) {
  return std::any_of(list.begin(), list.end(), [&](const Value& other) {
    return values_equal(item, other, context.cost_left());
  });
}
bool contains_all(Arguments list, Arguments items, EvaluationContext& context) {
  return std::all_of(items.begin(), items.end(),
                     [&](const Value& item) { return contains(list, item, context); });
}

Value distinct(Arguments list, EvaluationContext& context) {
  auto* items = context.allocate<Value>(list.size());
  if (items == nullptr) return {};
  std::size_t count = 0;
  for (const Value& item : list) {
    if (context.is_exhausted()) return {};
    if (!contains({items, count}, item, context)) items[count++] = item;
  }
  return Value::list({items, count});
}

Value reverse(Arguments list, EvaluationContext& context) {
  auto* items = context.allocate<Value>(list.size());
  if (items == nullptr) return {};
  std::reverse_copy(list.begin(), list.end(), items);
  return Value::list({items, list.size()});
}

Value slice(Arguments arguments, EvaluationContext& context) {
  if (!arguments[1].is(ValueKind::integer) || !arguments[2].is(ValueKind::integer))
    return context.no_overload("slice", arguments);
  const auto list = arguments[0].as_list();
  const std::int64_t begin = arguments[1].as_integer();
  const std::int64_t end = arguments[2].as_integer();
  if (begin < 0 || end < begin || end > static_cast<std::int64_t>(list.size()))
    return context.error("slice: from " + std::to_string(begin) + " to " + std::to_string(end) +
                         " is outside a list of length " + std::to_string(list.size()));
  return Value::list(
      list.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
}

// Counts, or with `out` writes, the elements of `list` with `depth` levels of lists taken away.
std::size_t flatten_into(Arguments list, std::int64_t depth, Value* out,
                         EvaluationContext& context) {
  std::size_t count = 0;
  for (const Value& item : list) {
    context.charge(1);
    if (context.is_exhausted()) return count;
    if (item.is(ValueKind::list) && depth > 0) {
      count +=
          flatten_into(item.as_list(), depth - 1, out == nullptr ? nullptr : out + count, context);
      continue;
    }
    if (out != nullptr) out[count] = item;
    ++count;
  }
  return count;
}

Value flatten(Arguments arguments, EvaluationContext& context) {
  if (arguments.size() == 2 && !arguments[1].is(ValueKind::integer))
    return context.no_overload("flatten", arguments);
  const std::int64_t depth = arguments.size() == 2 ? arguments[1].as_integer() : 1;
  if (depth < 0) return Value::error("flatten: the depth cannot be negative");
  const std::size_t count = flatten_into(arguments[0].as_list(), depth, nullptr, context);
  if (context.is_exhausted()) return {};
  auto* items = context.allocate<Value>(count);
  if (items == nullptr) return {};
  flatten_into(arguments[0].as_list(), depth, items, context);
  return Value::list({items, count});
}

Value sort(Arguments list, EvaluationContext& context) {
  for (const Value& item : list) {
    const bool has_text = item.is(ValueKind::string) || item.is(ValueKind::bytes);
    context.charge(20 + (has_text ? item.as_text().size() : 0));
  }
  if (context.is_exhausted()) return {};
  for (const Value& item : list)
    if (!compare_values(list[0], item) || (item.kind() != list[0].kind()))
      return Value::error("sort: the elements have no order, or are of different types");
  auto* items = context.allocate<Value>(list.size());
  if (items == nullptr) return {};
  std::copy(list.begin(), list.end(), items);
  // NaN goes last: with it `<` alone would be no order that sorting may use.
  const auto is_nan = [](const Value& v) {
    return v.is(ValueKind::real) && v.as_real() != v.as_real();
  };
  std::stable_sort(items, items + list.size(), [&](const Value& a, const Value& b) {
    if (is_nan(a) || is_nan(b)) return !is_nan(a) && is_nan(b);
    return *compare_values(a, b) < 0;
  });
  return Value::list({items, list.size()});
}

Value range(const Value& count, EvaluationContext& context) {
  if (!count.is(ValueKind::integer)) return context.no_overload("lists.range", {&count, 1});
  if (count.as_integer() < 0) return Value::error("lists.range: the size cannot be negative");
  const auto size = static_cast<std::size_t>(count.as_integer());
  auto* items = context.allocate<Value>(size);
  if (items == nullptr) return {};
  for (std::size_t i = 0; i < size; ++i) items[i] = Value::integer(static_cast<std::int64_t>(i));
  return Value::list({items, size});
}

}  // namespace

Value call_list_function(FunctionId id, Arguments arguments, EvaluationContext& context) {
  using F = FunctionId;
  if (id == F::size) return size(arguments[0], context);
  if (id == F::range) return range(arguments[0], context);
  if (!arguments[0].is(ValueKind::list)) return context.no_overload(to_string(id), arguments);
  const auto list = arguments[0].as_list();
  switch (id) {
    case F::distinct:
      return distinct(list, context);
    case F::reverse:
      return reverse(list, context);
    case F::slice:
      return slice(arguments, context);
    case F::flatten:
      return flatten(arguments, context);
    case F::sort:
      return list.empty() ? arguments[0] : sort(list, context);
    default:
      break;
  }
  if (arguments.size() != 2 || !arguments[1].is(ValueKind::list))
    return context.no_overload(to_string(id), arguments);
  const auto other = arguments[1].as_list();
  switch (id) {
    case F::sets_contains:
      return Value::boolean(contains_all(list, other, context));
    case F::sets_equivalent:
      return Value::boolean(contains_all(list, other, context) &&
                            contains_all(other, list, context));
    case F::sets_intersects:
      return Value::boolean(std::any_of(other.begin(), other.end(), [&](const Value& item) {
        return contains(list, item, context);
      }));
    default:
      return context.no_overload(to_string(id), arguments);
  }
}

}  // namespace assay
