// Numbers of different types are compared on one number line: int with uint exactly; with a double
// after rounding to double unless the double is out of the integer type's range, which is what the
// public conformance cases ask for (9223372036854775807 is not less than 9223372036854775808.0).
#include "engine/compile/value_comparison.h"

#include <algorithm>
#include <utility>

namespace assay {
namespace {

constexpr double kTwoTo63 = 9223372036854775808.0;
constexpr double kTwoTo64 = 18446744073709551616.0;

std::partial_ordering reversed(std::partial_ordering order) { return 0 <=> order; }

std::partial_ordering compare_real_with_integer(double a, std::int64_t b) {
  if (a < -kTwoTo63) return std::partial_ordering::less;
  if (a > kTwoTo63) return std::partial_ordering::greater;
  return a <=> static_cast<double>(b);
}
std::partial_ordering compare_real_with_unsigned(double a, std::uint64_t b) {
  if (a < 0) return std::partial_ordering::less;
  if (a > kTwoTo64) return std::partial_ordering::greater;
  return a <=> static_cast<double>(b);
}
std::partial_ordering compare_integer_with_unsigned(std::int64_t a, std::uint64_t b) {
  if (a < 0) return std::partial_ordering::less;
  return static_cast<std::uint64_t>(a) <=> b;
}

std::partial_ordering compare_numbers(const Value& a, const Value& b) {
  switch (a.kind()) {
    case ValueKind::integer:
      if (b.is(ValueKind::integer)) return a.as_integer() <=> b.as_integer();
      if (b.is(ValueKind::unsigned_integer))
        return compare_integer_with_unsigned(a.as_integer(), b.as_unsigned());
      return reversed(compare_real_with_integer(b.as_real(), a.as_integer()));
    case ValueKind::unsigned_integer:
      if (b.is(ValueKind::integer))
        return reversed(compare_integer_with_unsigned(b.as_integer(), a.as_unsigned()));
      if (b.is(ValueKind::unsigned_integer)) return a.as_unsigned() <=> b.as_unsigned();
      return reversed(compare_real_with_unsigned(b.as_real(), a.as_unsigned()));
    default:
      if (b.is(ValueKind::integer)) return compare_real_with_integer(a.as_real(), b.as_integer());
      if (b.is(ValueKind::unsigned_integer))
        return compare_real_with_unsigned(a.as_real(), b.as_unsigned());
      return a.as_real() <=> b.as_real();
  }
}

bool charge(std::uint64_t& budget, std::uint64_t cost) {
  budget -= std::min(budget, cost);
  return budget > 0;
}

bool lists_equal(std::span<const Value> a, std::span<const Value> b, std::uint64_t& budget) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!values_equal(a[i], b[i], budget)) return false;
  return true;
}

bool maps_equal(const Value& a, const Value& b, std::uint64_t& budget) {
  if (a.as_map().size() != b.as_map().size()) return false;
  for (const MapEntry& entry : a.as_map()) {
    const Value* other = find_entry(b, entry.key, budget);
    if (other == nullptr || !values_equal(entry.value, *other, budget)) return false;
  }
  return true;
}

}  // namespace

bool is_number(const Value& value) {
  return value.kind() >= ValueKind::integer && value.kind() <= ValueKind::real;
}

bool is_map_key(const Value& value) {
  return value.is(ValueKind::boolean) || value.is(ValueKind::integer) ||
         value.is(ValueKind::unsigned_integer) || value.is(ValueKind::string);
}

bool values_equal(const Value& a, const Value& b, std::uint64_t& budget) {
  if (!charge(budget, 1)) return false;
  if (is_number(a) && is_number(b)) return compare_numbers(a, b) == 0;
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case ValueKind::null:
      return true;
    case ValueKind::boolean:
      return a.as_boolean() == b.as_boolean();
    case ValueKind::string:
    case ValueKind::bytes:
    case ValueKind::type:
      if (a.as_text().size() != b.as_text().size()) return false;
      return charge(budget, a.as_text().size() / 16) && a.as_text() == b.as_text();
    case ValueKind::list:
      return lists_equal(a.as_list(), b.as_list(), budget);
    case ValueKind::map:
      return maps_equal(a, b, budget);
    default:
      return false;
  }
}

bool values_equal(const Value& a, const Value& b) {
  std::uint64_t budget = UINT64_MAX;
  return values_equal(a, b, budget);
}

std::optional<std::partial_ordering> compare_values(const Value& a, const Value& b) {
  if (is_number(a) && is_number(b)) return compare_numbers(a, b);
  if (a.kind() != b.kind()) return std::nullopt;
  switch (a.kind()) {
    case ValueKind::boolean:
      return a.as_boolean() <=> b.as_boolean();
    case ValueKind::string:
    case ValueKind::bytes:
      return a.as_text() <=> b.as_text();
    default:
      return std::nullopt;
  }
}

const Value* find_entry(const Value& map, const Value& key, std::uint64_t& budget) {
  for (const MapEntry& entry : map.as_map())
    if (values_equal(entry.key, key, budget)) return &entry.value;
  return nullptr;
}

}  // namespace assay
