// What an unquoted YAML scalar means: YAML 1.2's core schema, narrowed as yaml_reader.h says.
#pragma once

#include <string_view>

#include "engine/text/document.h"

namespace assay {

// Sets kind and value of `node` from its `text`: null, boolean, integer, real, else string.
void resolve_plain_scalar(Node& node);

// yes, no, on, off in any case: a boolean to YAML 1.1, a string to YAML 1.2.
bool is_ambiguous_boolean(std::string_view text);

}  // namespace assay
