// Reads one JSON text (RFC 8259) strictly. Errors: json_syntax, duplicate_key, nesting_too_deep,
// binary_input, invalid_utf8, empty_input, file_too_large (by bytes or by nodes); anything after
// the value is json_syntax.
#pragma once

#include "engine/text/document.h"
#include "engine/text/result.h"
#include "engine/text/source.h"
#include "engine/text/yaml_reader.h"

namespace assay {

Result<Node> read_json(const SourceSet& sources, SourceId source,
                       const DocumentLimits& limits = {});
// Reads the JSON text at `span` inside a source (a flag's value, a line of a log); places stay
// those of the source.
Result<Node> read_json_at(const SourceSet& sources, Span span, const DocumentLimits& limits = {});

}  // namespace assay
