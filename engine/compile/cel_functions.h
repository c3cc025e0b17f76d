// The functions of the language: names, how they are called, their overloads. What they do is in
// evaluate/ (function_table.h); what they are for is in rules/LANGUAGE.md.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace assay {

enum class FunctionId : std::uint8_t {
  size,
  contains,
  starts_with,
  ends_with,
  matches,
  to_int,
  to_uint,
  to_double,
  to_string,
  to_bytes,
  to_bool,
  to_dyn,
  type_of,
  lower_ascii,
  upper_ascii,
  trim,
  split,
  join,
  replace,
  substring,
  char_at,
  index_of,
  last_index_of,
  reverse,
  format,
  quote,
  distinct,
  slice,
  flatten,
  sort,
  range,
  greatest,
  least,
  ceiling,
  floor,
  round,
  truncate,
  absolute,
  sign,
  square_root,
  is_nan,
  is_infinite,
  is_finite,
  bit_and,
  bit_or,
  bit_xor,
  bit_not,
  bit_shift_left,
  bit_shift_right,
  ceil_div,
  version_compare,
  version_at_least,
  sets_contains,
  sets_equivalent,
  sets_intersects,
  base64_encode,
  base64_decode,
  count,  // not a function: how many there are
};

// One overload. `signature`: "(string, int) -> string" for f(a, b), "string.(int) -> string" for
// a.f(b). Types as rules/LANGUAGE.md writes them; A and B stand for any type, the same wherever
// they stand; "number..." for one or more numbers of any type.
struct FunctionOverload {
  std::string_view name;
  FunctionId id;
  std::string_view signature;

  bool is_member() const { return signature.front() != '('; }
  bool is_variadic() const { return signature.find("...") != std::string_view::npos; }
  std::size_t parameter_count() const;  // the receiver counts
};

std::span<const FunctionOverload> function_overloads();
// The overloads of `name`, in either call style.
std::vector<const FunctionOverload*> find_overloads(std::string_view name);
std::string_view to_string(FunctionId id);  // the name, without a namespace's meaning: "math.ceil"

}  // namespace assay
