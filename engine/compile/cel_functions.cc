// The table of functions. An overload's parameters are read from its signature when an expression
// is checked: a pack's few thousand calls cost less than a parsed table would at every start.
#include "engine/compile/cel_functions.h"

#include <algorithm>

namespace assay {
namespace {

using F = FunctionId;

constexpr FunctionOverload kOverloads[] = {
    // the language definition's own
    {"size", F::size, "(string) -> int"},
    {"size", F::size, "(bytes) -> int"},
    {"size", F::size, "(list<A>) -> int"},
    {"size", F::size, "(map<A, B>) -> int"},
    {"size", F::size, "string.() -> int"},
    {"size", F::size, "bytes.() -> int"},
    {"size", F::size, "list<A>.() -> int"},
    {"size", F::size, "map<A, B>.() -> int"},
    {"contains", F::contains, "string.(string) -> bool"},
    {"startsWith", F::starts_with, "string.(string) -> bool"},
    {"endsWith", F::ends_with, "string.(string) -> bool"},
    {"matches", F::matches, "string.(string) -> bool"},
    {"matches", F::matches, "(string, string) -> bool"},
    {"int", F::to_int, "(int) -> int"},
    {"int", F::to_int, "(uint) -> int"},
    {"int", F::to_int, "(double) -> int"},
    {"int", F::to_int, "(string) -> int"},
    {"uint", F::to_uint, "(uint) -> uint"},
    {"uint", F::to_uint, "(int) -> uint"},
    {"uint", F::to_uint, "(double) -> uint"},
    {"uint", F::to_uint, "(string) -> uint"},
    {"double", F::to_double, "(double) -> double"},
    {"double", F::to_double, "(int) -> double"},
    {"double", F::to_double, "(uint) -> double"},
    {"double", F::to_double, "(string) -> double"},
    {"string", F::to_string, "(string) -> string"},
    {"string", F::to_string, "(bool) -> string"},
    {"string", F::to_string, "(int) -> string"},
    {"string", F::to_string, "(uint) -> string"},
    {"string", F::to_string, "(double) -> string"},
    {"string", F::to_string, "(bytes) -> string"},
    {"bytes", F::to_bytes, "(bytes) -> bytes"},
    {"bytes", F::to_bytes, "(string) -> bytes"},
    {"bool", F::to_bool, "(bool) -> bool"},
    {"bool", F::to_bool, "(string) -> bool"},
    {"dyn", F::to_dyn, "(A) -> dyn"},
    {"type", F::type_of, "(A) -> type"},
    // strings
    {"lowerAscii", F::lower_ascii, "string.() -> string"},
    {"upperAscii", F::upper_ascii, "string.() -> string"},
    {"trim", F::trim, "string.() -> string"},
    {"split", F::split, "string.(string) -> list<string>"},
    {"split", F::split, "string.(string, int) -> list<string>"},
    {"join", F::join, "list<string>.() -> string"},
    {"join", F::join, "list<string>.(string) -> string"},
    {"replace", F::replace, "string.(string, string) -> string"},
    {"replace", F::replace, "string.(string, string, int) -> string"},
    {"substring", F::substring, "string.(int) -> string"},
    {"substring", F::substring, "string.(int, int) -> string"},
    {"charAt", F::char_at, "string.(int) -> string"},
    {"indexOf", F::index_of, "string.(string) -> int"},
    {"indexOf", F::index_of, "string.(string, int) -> int"},
    {"lastIndexOf", F::last_index_of, "string.(string) -> int"},
    {"lastIndexOf", F::last_index_of, "string.(string, int) -> int"},
    {"reverse", F::reverse, "string.() -> string"},
    {"format", F::format, "string.(list<A>) -> string"},
    {"strings.quote", F::quote, "(string) -> string"},
    // lists
    {"distinct", F::distinct, "list<A>.() -> list<A>"},
    {"reverse", F::reverse, "list<A>.() -> list<A>"},
    {"slice", F::slice, "list<A>.(int, int) -> list<A>"},
    {"flatten", F::flatten, "list<A>.() -> list<dyn>"},
    {"flatten", F::flatten, "list<A>.(int) -> list<dyn>"},
    {"sort", F::sort, "list<A>.() -> list<A>"},
    {"lists.range", F::range, "(int) -> list<int>"},
    {"sets.contains", F::sets_contains, "(list<A>, list<A>) -> bool"},
    {"sets.equivalent", F::sets_equivalent, "(list<A>, list<A>) -> bool"},
    {"sets.intersects", F::sets_intersects, "(list<A>, list<A>) -> bool"},
    // numbers
    {"math.greatest", F::greatest, "(number...) -> number"},
    {"math.least", F::least, "(number...) -> number"},
    {"math.ceil", F::ceiling, "(double) -> double"},
    {"math.floor", F::floor, "(double) -> double"},
    {"math.round", F::round, "(double) -> double"},
    {"math.trunc", F::truncate, "(double) -> double"},
    {"math.abs", F::absolute, "(int) -> int"},
    {"math.abs", F::absolute, "(uint) -> uint"},
    {"math.abs", F::absolute, "(double) -> double"},
    {"math.sign", F::sign, "(int) -> int"},
    {"math.sign", F::sign, "(uint) -> uint"},
    {"math.sign", F::sign, "(double) -> double"},
    {"math.sqrt", F::square_root, "(double) -> double"},
    {"math.sqrt", F::square_root, "(int) -> double"},
    {"math.sqrt", F::square_root, "(uint) -> double"},
    {"math.isNaN", F::is_nan, "(double) -> bool"},
    {"math.isInf", F::is_infinite, "(double) -> bool"},
    {"math.isFinite", F::is_finite, "(double) -> bool"},
    {"math.bitAnd", F::bit_and, "(int, int) -> int"},
    {"math.bitAnd", F::bit_and, "(uint, uint) -> uint"},
    {"math.bitOr", F::bit_or, "(int, int) -> int"},
    {"math.bitOr", F::bit_or, "(uint, uint) -> uint"},
    {"math.bitXor", F::bit_xor, "(int, int) -> int"},
    {"math.bitXor", F::bit_xor, "(uint, uint) -> uint"},
    {"math.bitNot", F::bit_not, "(int) -> int"},
    {"math.bitNot", F::bit_not, "(uint) -> uint"},
    {"math.bitShiftLeft", F::bit_shift_left, "(int, int) -> int"},
    {"math.bitShiftLeft", F::bit_shift_left, "(uint, int) -> uint"},
    {"math.bitShiftRight", F::bit_shift_right, "(int, int) -> int"},
    {"math.bitShiftRight", F::bit_shift_right, "(uint, int) -> uint"},
    {"ceil_div", F::ceil_div, "(int, int) -> int"},
    {"ceil_div", F::ceil_div, "(uint, uint) -> uint"},
    // versions
    {"versionCompare", F::version_compare, "(string, string) -> int"},
    {"versionAtLeast", F::version_at_least, "(string, string) -> bool"},
    // encodings
    {"base64.encode", F::base64_encode, "(bytes) -> string"},
    {"base64.decode", F::base64_decode, "(string) -> bytes"},
};

}  // namespace

std::size_t FunctionOverload::parameter_count() const {
  const std::size_t open = signature.find('(');
  const std::size_t close = signature.find(')');
  std::size_t count = is_member() ? 1 : 0;
  if (close > open + 1) ++count;
  std::size_t angles = 0;
  for (std::size_t i = open; i < close; ++i) {
    if (signature[i] == '<') ++angles;
    if (signature[i] == '>') --angles;
    if (signature[i] == ',' && angles == 0) ++count;
  }
  return count;
}

std::span<const FunctionOverload> function_overloads() { return kOverloads; }

std::vector<const FunctionOverload*> find_overloads(std::string_view name) {
  std::vector<const FunctionOverload*> found;
  for (const FunctionOverload& overload : kOverloads)
    if (overload.name == name) found.push_back(&overload);
  return found;
}

std::string_view to_string(FunctionId id) {
  const auto* found = std::find_if(std::begin(kOverloads), std::end(kOverloads),
                                   [&](const FunctionOverload& o) { return o.id == id; });
  return found == std::end(kOverloads) ? "" : found->name;
}

}  // namespace assay
