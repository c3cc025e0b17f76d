// Reads a YAML document as PyYAML's safe_load does, for the files that engines read so.
#pragma once

#include "engine/text/document.h"
#include "engine/text/result.h"
#include "engine/text/source.h"

namespace assay {

// Scalars are as resolve_python_scalar (yaml_scalar.h) has them; aliases and merge keys are
// resolved, within the limits of read_yaml; standard tags are passed over but for `!!str`. Of equal
// keys the last one counts, with a warning (duplicate_key). Nothing but comments is null. Errors:
// those of read_yaml that are left.
Result<Node> read_python_yaml(const SourceSet& sources, SourceId source, Diagnostics& warnings);

}  // namespace assay
