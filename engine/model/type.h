// The types of the expression language, as the checker knows them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace assay {

enum class TypeKind : std::uint8_t {
  dynamic,  // not known before evaluation: checks at run time
  null,
  boolean,
  integer,
  unsigned_integer,
  real,
  string,
  bytes,
  list,  // parameters: element
  map,   // parameters: key, value
  type,
};

struct Type {
  TypeKind kind = TypeKind::dynamic;
  bool is_nullable =
      false;  // CEL's wrapper types: the value may be null, and `x == null` type-checks
  std::vector<Type> parameters;

  static Type of(TypeKind kind) { return {kind, false, {}}; }
  static Type list_of(Type element) { return {TypeKind::list, false, {std::move(element)}}; }
  static Type map_of(Type key, Type value) {
    return {TypeKind::map, false, {std::move(key), std::move(value)}};
  }
  bool operator==(const Type&) const = default;
};

// As facts files and messages write it: "int", "list<string>", "map<string, dyn>", "int?" when
// nullable.
std::string to_string(const Type& type);

}  // namespace assay
