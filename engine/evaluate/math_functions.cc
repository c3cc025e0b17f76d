// Functions of numbers: math.* and ceil_div.
#include <cmath>
#include <limits>

#include "engine/compile/value_comparison.h"
#include "engine/evaluate/function_table.h"

namespace assay {
namespace {

using Arguments = std::span<const Value>;
using MathFunction = FunctionId;

// Of equal numbers the first is kept.
Value extreme(MathFunction id, Arguments arguments, EvaluationContext& context) {
  Arguments numbers = arguments;
  if (arguments.size() == 1 && arguments[0].is(ValueKind::list)) numbers = arguments[0].as_list();
  if (numbers.empty()) return Value::error("no numbers to choose from");
  context.charge(numbers.size());
  if (!std::all_of(numbers.begin(), numbers.end(), [](const Value& v) { return is_number(v); }))
    return context.no_overload(to_string(id), arguments);
  const Value* best = &numbers[0];
  for (const Value& number : numbers) {
    const auto order = compare_values(number, *best);
    if (order && (id == MathFunction::greatest ? *order > 0 : *order < 0)) best = &number;
  }
  return *best;
}

Value of_real(MathFunction id, double x) {
  switch (id) {
    case MathFunction::ceiling:
      return Value::real(std::ceil(x));
    case MathFunction::floor:
      return Value::real(std::floor(x));
    case MathFunction::round:  // halves away from zero
      return Value::real(std::round(x));
    case MathFunction::truncate:
      return Value::real(std::trunc(x));
    case MathFunction::absolute:
      return Value::real(std::fabs(x));
    case MathFunction::sign:
      return Value::real(std::isnan(x) ? x : x > 0 ? 1.0 : x < 0 ? -1.0 : 0.0);
    case MathFunction::square_root:
      return Value::real(std::sqrt(x));
    case MathFunction::is_nan:
      return Value::boolean(std::isnan(x));
    case MathFunction::is_infinite:
      return Value::boolean(std::isinf(x));
    default:
      return Value::boolean(std::isfinite(x));
  }
}

// ~, abs, sign, sqrt of integers; null value kinds mean "no such overload".
bool of_integer(MathFunction id, const Value& value, Value& result) {
  const bool is_signed = value.is(ValueKind::integer);
  switch (id) {
    case MathFunction::square_root:
      result = Value::real(std::sqrt(is_signed ? static_cast<double>(value.as_integer())
                                               : static_cast<double>(value.as_unsigned())));
      return true;
    case MathFunction::bit_not:
      result = is_signed ? Value::integer(~value.as_integer())
                         : Value::unsigned_integer(~value.as_unsigned());
      return true;
    case MathFunction::sign:
      result = is_signed ? Value::integer((value.as_integer() > 0) - (value.as_integer() < 0))
                         : Value::unsigned_integer(value.as_unsigned() > 0 ? 1 : 0);
      return true;
    case MathFunction::absolute:
      result = value;
      if (!is_signed || value.as_integer() >= 0) return true;
      result = value.as_integer() == std::numeric_limits<std::int64_t>::min()
                   ? Value::error("integer overflow")
                   : Value::integer(-value.as_integer());
      return true;
    default:
      return false;
  }
}

std::uint64_t bits(MathFunction id, std::uint64_t a, std::uint64_t b) {
  return id == MathFunction::bit_and ? a & b : id == MathFunction::bit_or ? a | b : a ^ b;
}

// A shift by 64 or more gives 0; a right shift of an int brings in zeros, as the public extension
// has it.
Value shift(MathFunction id, const Value& value, std::int64_t count) {
  if (count < 0) return Value::error("a shift by a negative number of bits");
  const bool is_signed = value.is(ValueKind::integer);
  const std::uint64_t from =
      is_signed ? static_cast<std::uint64_t>(value.as_integer()) : value.as_unsigned();
  const std::uint64_t shifted = count >= 64                          ? 0
                                : id == MathFunction::bit_shift_left ? from << count
                                                                     : from >> count;
  return is_signed ? Value::integer(static_cast<std::int64_t>(shifted))
                   : Value::unsigned_integer(shifted);
}

// The quotient rounded up.
Value divide_up(const Value& a, const Value& b) {
  if (a.is(ValueKind::unsigned_integer)) {
    const std::uint64_t divisor = b.as_unsigned();
    if (divisor == 0) return Value::error("division by zero");
    return Value::unsigned_integer(a.as_unsigned() / divisor +
                                   (a.as_unsigned() % divisor != 0 ? 1 : 0));
  }
  const std::int64_t dividend = a.as_integer();
  const std::int64_t divisor = b.as_integer();
  if (divisor == 0) return Value::error("division by zero");
  if (divisor == -1 && dividend == std::numeric_limits<std::int64_t>::min())
    return Value::error("integer overflow");
  const std::int64_t remainder = divisor == -1 ? 0 : dividend % divisor;
  const bool is_cut_down = remainder != 0 && (remainder < 0) == (divisor < 0);
  return Value::integer(dividend / divisor + (is_cut_down ? 1 : 0));
}

Value of_two(MathFunction id, const Value& a, const Value& b, Arguments arguments,
             EvaluationContext& context) {
  const bool is_signed = a.is(ValueKind::integer);
  const bool is_integer = is_signed || a.is(ValueKind::unsigned_integer);
  if (is_integer && (id == MathFunction::bit_shift_left || id == MathFunction::bit_shift_right)) {
    if (b.is(ValueKind::integer)) return shift(id, a, b.as_integer());
  } else if (is_integer && a.kind() == b.kind()) {
    if (id == MathFunction::ceil_div) return divide_up(a, b);
    if (!is_signed) return Value::unsigned_integer(bits(id, a.as_unsigned(), b.as_unsigned()));
    return Value::integer(
        static_cast<std::int64_t>(bits(id, static_cast<std::uint64_t>(a.as_integer()),
                                       static_cast<std::uint64_t>(b.as_integer()))));
  }
  return context.no_overload(to_string(id), arguments);
}

}  // namespace

Value call_math_function(FunctionId id, Arguments arguments, EvaluationContext& context) {
  if (id == MathFunction::greatest || id == MathFunction::least)
    return extreme(id, arguments, context);
  if (arguments.size() == 2) return of_two(id, arguments[0], arguments[1], arguments, context);
  const Value& value = arguments[0];
  if (value.is(ValueKind::real) && id != MathFunction::bit_not) return of_real(id, value.as_real());
  Value result;
  const bool is_integer = value.is(ValueKind::integer) || value.is(ValueKind::unsigned_integer);
  if (is_integer && of_integer(id, value, result)) return result;
  return context.no_overload(to_string(id), arguments);
}

}  // namespace assay
