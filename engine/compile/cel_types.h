// Rules about types: what may stand where, and the type two branches have in common.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/model/type.h"

namespace assay {

// Whether a value of type `from` may stand where `to` is expected. `dyn` goes with everything; null
// goes where the type is nullable; a nullable type goes where its plain one is expected (null is
// then an evaluation error), as CEL's wrapper types do.
bool is_assignable(const Type& from, const Type& to);
// The type of a value that has one of the two: the more general one; with null, a nullable one.
std::optional<Type> common_type(const Type& a, const Type& b);
bool is_number(const Type& type);  // int, uint, double

// Matches arguments (the receiver first) with a signature of cel_functions.h. The result's type, or
// nothing when they do not match.
std::optional<Type> match_signature(std::string_view signature, std::span<const Type> arguments);

}  // namespace assay
