// Sends a call to the file of its topic. A switch, so that the compiler sees a missing function.
#include "engine/evaluate/function_table.h"

#include "engine/base/version.h"

namespace assay {
namespace {

// -1, 0 or 1.
Value order_versions(std::span<const Value> arguments, EvaluationContext& context) {
  for (const Value& argument : arguments) {
    if (!argument.is(ValueKind::string)) return context.no_overload("versionCompare", arguments);
    context.charge(20);
  }
  if (const auto order = compare_versions(arguments[0].as_text(), arguments[1].as_text()))
    return Value::integer(*order);
  const bool is_first = !parse_version(arguments[0].as_text());
  const std::string_view text = arguments[is_first ? 0 : 1].as_text();
  return context.error("`" + std::string(text.substr(0, 60)) + "` is not a version");
}

}  // namespace

Value call_function(FunctionId id, std::span<const Value> arguments, EvaluationContext& context) {
  using F = FunctionId;
  switch (id) {
    case F::to_int:
    case F::to_uint:
    case F::to_double:
    case F::to_string:
    case F::to_bytes:
    case F::to_bool:
    case F::to_dyn:
    case F::type_of:
    case F::base64_encode:
    case F::base64_decode:
      return call_conversion(id, arguments, context);
    case F::contains:
    case F::starts_with:
    case F::ends_with:
    case F::matches:
    case F::lower_ascii:
    case F::upper_ascii:
    case F::trim:
    case F::split:
    case F::join:
    case F::replace:
    case F::substring:
    case F::char_at:
    case F::index_of:
    case F::last_index_of:
      return call_string_function(id, arguments, context);
    case F::format:
      return format_string(arguments[0], arguments[1], context);
    case F::quote:
      return quote_string(arguments[0], context);
    case F::reverse:
      return arguments[0].is(ValueKind::string) ? call_string_function(id, arguments, context)
                                                : call_list_function(id, arguments, context);
    case F::size:
    case F::distinct:
    case F::slice:
    case F::flatten:
    case F::sort:
    case F::range:
    case F::sets_contains:
    case F::sets_equivalent:
    case F::sets_intersects:
      return call_list_function(id, arguments, context);
    case F::greatest:
    case F::least:
    case F::ceiling:
    case F::floor:
    case F::round:
    case F::truncate:
    case F::absolute:
    case F::sign:
    case F::square_root:
    case F::is_nan:
    case F::is_infinite:
    case F::is_finite:
    case F::bit_and:
    case F::bit_or:
    case F::bit_xor:
    case F::bit_not:
    case F::bit_shift_left:
    case F::bit_shift_right:
    case F::ceil_div:
      return call_math_function(id, arguments, context);
    case F::version_compare:
      return order_versions(arguments, context);
    case F::version_at_least: {
      const Value order = order_versions(arguments, context);
      return order.is(ValueKind::integer) ? Value::boolean(order.as_integer() >= 0) : order;
    }
    case F::count:
      break;
  }
  return context.no_overload(to_string(id), arguments);
}

}  // namespace assay
