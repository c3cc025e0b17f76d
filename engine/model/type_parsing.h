// Types as packs write them.
#pragma once

#include <optional>
#include <string_view>

#include "engine/model/type.h"

namespace assay {

// Reads what to_string(Type) writes ("int", "list<string>", "map<string, dyn>", "int?"), blanks
// between the parts allowed, and "json", which is map<string, dyn>. None for anything else, nesting
// past 16 levels included.
std::optional<Type> parse_type(std::string_view text);

}  // namespace assay
