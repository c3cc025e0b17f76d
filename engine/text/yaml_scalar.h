// What an unquoted YAML scalar means: YAML 1.2's core schema, narrowed as yaml_reader.h says.
#pragma once

#include <string_view>

#include "engine/text/document.h"

namespace assay {

// Sets kind and value of `node` from its `text`: null, boolean, integer, real, else string.
void resolve_plain_scalar(Node& node);

// The same as PyYAML's safe_load has it (YAML 1.1, narrowed): yes/no/on/off are booleans, 010 is
// eight, 1_000 a thousand, 1:30 ninety, 1e3 a string. Booleans and integers get their plain text:
// true, 8. An integer beyond 64 bits stays a string.
void resolve_python_scalar(Node& node);

// yes, no, on, off in any case: a boolean to YAML 1.1, a string to YAML 1.2.
bool is_ambiguous_boolean(std::string_view text);

}  // namespace assay
