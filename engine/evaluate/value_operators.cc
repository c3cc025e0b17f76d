// Arithmetic never wraps: __builtin_*_overflow tells, and the result is then an error. Doubles
// follow IEEE 754, so they never fail.
#include "engine/evaluate/value_operators.h"

#include <cmath>
#include <limits>
#include <string>

#include "engine/compile/value_comparison.h"

namespace assay {
namespace {

constexpr std::string_view kOverflow = "integer overflow";
constexpr std::string_view kDivision = "division by zero";

std::string_view symbol(Opcode opcode) {
  switch (opcode) {
    case Opcode::less:
      return "_<_";
    case Opcode::less_equal:
      return "_<=_";
    case Opcode::greater:
      return "_>_";
    case Opcode::greater_equal:
      return "_>=_";
    case Opcode::in:
      return "_in_";
    case Opcode::add:
      return "_+_";
    case Opcode::subtract:
      return "_-_";
    case Opcode::multiply:
      return "_*_";
    case Opcode::divide:
      return "_/_";
    case Opcode::remainder:
      return "_%_";
    default:
      return "_[_]";
  }
}

Value no_overload(Opcode opcode, const Value& a, const Value& b, EvaluationContext& context) {
  const Value arguments[] = {a, b};
  return context.no_overload(symbol(opcode), arguments);
}

Value integer_arithmetic(Opcode opcode, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  bool overflows = false;
  switch (opcode) {
    case Opcode::add:
      overflows = __builtin_add_overflow(a, b, &result);
      break;
    case Opcode::subtract:
      overflows = __builtin_sub_overflow(a, b, &result);
      break;
    case Opcode::multiply:
      overflows = __builtin_mul_overflow(a, b, &result);
      break;
    default:
      if (b == 0) return Value::error(kDivision);
      if (b == -1) {  // the one quotient that does not fit, and no remainder
        overflows = opcode == Opcode::divide && a == std::numeric_limits<std::int64_t>::min();
        result = opcode == Opcode::divide && !overflows ? -a : 0;
        break;
      }
      result = opcode == Opcode::divide ? a / b : a % b;
  }
  return overflows ? Value::error(kOverflow) : Value::integer(result);
}

Value unsigned_arithmetic(Opcode opcode, std::uint64_t a, std::uint64_t b) {
  std::uint64_t result = 0;
  bool overflows = false;
  switch (opcode) {
    case Opcode::add:
      overflows = __builtin_add_overflow(a, b, &result);
      break;
    case Opcode::subtract:
      overflows = __builtin_sub_overflow(a, b, &result);
      break;
    case Opcode::multiply:
      overflows = __builtin_mul_overflow(a, b, &result);
      break;
    default:
      if (b == 0) return Value::error(kDivision);
      result = opcode == Opcode::divide ? a / b : a % b;
  }
  return overflows ? Value::error(kOverflow) : Value::unsigned_integer(result);
}

Value real_arithmetic(Opcode opcode, double a, double b) {
  switch (opcode) {
    case Opcode::add:
      return Value::real(a + b);
    case Opcode::subtract:
      return Value::real(a - b);
    case Opcode::multiply:
      return Value::real(a * b);
    default:
      return Value::real(a / b);
  }
}

Value concatenate(const Value& a, const Value& b, EvaluationContext& context) {
  if (a.is(ValueKind::list)) {
    const auto left = a.as_list();
    const auto right = b.as_list();
    auto* items = context.allocate<Value>(left.size() + right.size());
    if (items == nullptr) return {};
    std::copy(right.begin(), right.end(), std::copy(left.begin(), left.end(), items));
    return Value::list({items, left.size() + right.size()});
  }
  const std::string_view left = a.as_text();
  const std::string_view right = b.as_text();
  char* text = context.allocate<char>(left.size() + right.size());
  if (text == nullptr) return {};
  std::copy(right.begin(), right.end(), std::copy(left.begin(), left.end(), text));
  const std::string_view both(text, left.size() + right.size());
  return a.is(ValueKind::string) ? Value::string(both) : Value::bytes(both);
}

Value arithmetic(Opcode opcode, const Value& a, const Value& b, EvaluationContext& context) {
  if (a.kind() != b.kind()) return no_overload(opcode, a, b, context);
  switch (a.kind()) {
    case ValueKind::integer:
      return integer_arithmetic(opcode, a.as_integer(), b.as_integer());
    case ValueKind::unsigned_integer:
      return unsigned_arithmetic(opcode, a.as_unsigned(), b.as_unsigned());
    case ValueKind::real:
      if (opcode == Opcode::remainder) break;
      return real_arithmetic(opcode, a.as_real(), b.as_real());
    case ValueKind::string:
    case ValueKind::bytes:
    case ValueKind::list:
      if (opcode == Opcode::add) return concatenate(a, b, context);
      break;
    default:
      break;
  }
  return no_overload(opcode, a, b, context);
}

Value order(Opcode opcode, const Value& a, const Value& b, EvaluationContext& context) {
  const auto order = compare_values(a, b);
  if (!order) return no_overload(opcode, a, b, context);
  if (a.is(ValueKind::string) || a.is(ValueKind::bytes))
    context.charge(std::min(a.as_text().size(), b.as_text().size()) / 16);
  switch (opcode) {
    case Opcode::less:
      return Value::boolean(*order < 0);
    case Opcode::less_equal:
      return Value::boolean(*order <= 0);
    case Opcode::greater:
      return Value::boolean(*order > 0);
    default:
      return Value::boolean(*order >= 0);
  }
}

Value is_in(const Value& item, const Value& range, EvaluationContext& context) {
  if (range.is(ValueKind::list)) {
    for (const Value& other : range.as_list())
      if (values_equal(item, other, context.cost_left())) return Value::boolean(true);
    return Value::boolean(false);
  }
  if (range.is(ValueKind::map))
    return Value::boolean(find_entry(range, item, context.cost_left()) != nullptr);
  return no_overload(Opcode::in, item, range, context);
}

std::string key_for_message(const Value& key) {
  switch (key.kind()) {
    case ValueKind::string:
      return std::string(key.as_text().substr(0, 100));
    case ValueKind::integer:
      return std::to_string(key.as_integer());
    case ValueKind::unsigned_integer:
      return std::to_string(key.as_unsigned());
    case ValueKind::boolean:
      return key.as_boolean() ? "true" : "false";
    default:
      return std::string(to_string(key.kind()));
  }
}

Value index_list(const Value& list, const Value& index, EvaluationContext& context) {
  const auto items = list.as_list();
  bool is_inside = false;
  std::uint64_t position = 0;
  if (index.is(ValueKind::integer)) {
    position = static_cast<std::uint64_t>(index.as_integer());  // a negative one is huge
    is_inside = position < items.size();
  } else if (index.is(ValueKind::unsigned_integer)) {
    position = index.as_unsigned();
    is_inside = position < items.size();
  } else if (index.is(ValueKind::real)) {
    const double real = index.as_real();
    if (std::trunc(real) != real) return Value::error("a list's index must be a whole number");
    is_inside = real >= 0 && real < static_cast<double>(items.size());
    if (is_inside) position = static_cast<std::uint64_t>(real);
  } else {
    return no_overload(Opcode::index, list, index, context);
  }
  if (is_inside) return items[position];
  if (!index.is(ValueKind::integer)) return Value::error("index out of bounds");
  return context.error("index out of bounds: " + std::to_string(index.as_integer()) + " of " +
                       std::to_string(items.size()));
}

Value index(const Value& range, const Value& key, EvaluationContext& context) {
  if (range.is(ValueKind::list)) return index_list(range, key, context);
  if (!range.is(ValueKind::map)) return no_overload(Opcode::index, range, key, context);
  const Value* found = find_entry(range, key, context.cost_left());
  return found != nullptr ? *found : context.error("no such key: " + key_for_message(key));
}

}  // namespace

Value apply_binary(Opcode opcode, const Value& a, const Value& b, EvaluationContext& context) {
  if (is_failure(a) || is_failure(b)) {
    const Value arguments[] = {a, b};
    return context.strict_failure(arguments);
  }
  switch (opcode) {
    case Opcode::equal:
      return Value::boolean(values_equal(a, b, context.cost_left()));
    case Opcode::not_equal:
      return Value::boolean(!values_equal(a, b, context.cost_left()));
    case Opcode::less:
    case Opcode::less_equal:
    case Opcode::greater:
    case Opcode::greater_equal:
      return order(opcode, a, b, context);
    case Opcode::in:
      return is_in(a, b, context);
    case Opcode::index:
      return index(a, b, context);
    default:
      return arithmetic(opcode, a, b, context);
  }
}

Value negate(const Value& value, EvaluationContext& context) {
  if (is_failure(value)) return value;
  if (value.is(ValueKind::real)) return Value::real(-value.as_real());
  if (!value.is(ValueKind::integer)) return context.no_overload("-_", {&value, 1});
  if (value.as_integer() == std::numeric_limits<std::int64_t>::min())
    return Value::error(kOverflow);
  return Value::integer(-value.as_integer());
}

Value select_field(const Value& value, const Value& name, EvaluationContext& context) {
  if (is_failure(value)) return value;
  if (!value.is(ValueKind::map))
    return context.error("cannot select `" + std::string(name.as_text()) + "` from " +
                         std::string(to_string(value.kind())));
  const Value* found = find_entry(value, name, context.cost_left());
  return found != nullptr ? *found : context.error("no such key: " + key_for_message(name));
}

Value has_field(const Value& value, const Value& name, EvaluationContext& context) {
  if (is_failure(value)) return value;
  if (value.is(ValueKind::map))
    return Value::boolean(find_entry(value, name, context.cost_left()) != nullptr);
  return context.error("cannot ask for `" + std::string(name.as_text()) + "` in " +
                       std::string(to_string(value.kind())));
}

Value make_map(std::span<const Value> keys_and_values, EvaluationContext& context) {
  const Value failure = context.strict_failure(keys_and_values);
  if (is_failure(failure)) return failure;
  const std::size_t count = keys_and_values.size() / 2;
  auto* entries = context.allocate<MapEntry>(count);
  if (entries == nullptr) return {};
  for (std::size_t i = 0; i < count; ++i) {
    const Value& key = keys_and_values[2 * i];
    if (!is_map_key(key))
      return context.error("a map's key cannot be " + std::string(to_string(key.kind())));
    if (find_entry(Value::map({entries, i}), key, context.cost_left()) != nullptr)
      return context.error("repeated key: " + key_for_message(key));
    entries[i] = {key, keys_and_values[2 * i + 1]};
  }
  return Value::map({entries, count});
}

namespace {

// `decisive`: the value of one operand that decides alone (false for &&, true for ||).
Value merge_logical(const Value& a, const Value& b, bool decisive, std::string_view name,
                    EvaluationContext& context) {
  if (b.is(ValueKind::boolean)) {
    if (b.as_boolean() == decisive) return b;
    if (a.is(ValueKind::boolean)) return a;
  }
  if (a.is(ValueKind::boolean) && a.as_boolean() == decisive) return a;
  if (a.is(ValueKind::unknown)) return b.is(ValueKind::unknown) ? context.merge_unknown(a, b) : a;
  if (b.is(ValueKind::unknown)) return b;
  if (a.is(ValueKind::error)) return a;
  if (b.is(ValueKind::error)) return b;
  const Value arguments[] = {a, b};
  return context.no_overload(name, arguments);
}

}  // namespace

Value merge_and(const Value& a, const Value& b, EvaluationContext& context) {
  return merge_logical(a, b, false, "_&&_", context);
}
Value merge_or(const Value& a, const Value& b, EvaluationContext& context) {
  return merge_logical(a, b, true, "_||_", context);
}

}  // namespace assay
