// Reads dataset/retired.yaml.
#pragma once

#include "engine/model/dataset.h"
#include "engine/model/retirement.h"
#include "engine/text/result.h"
#include "engine/text/source.h"

namespace assay {

// Errors: those of the YAML text; unknown_key, missing_key, wrong_type, invalid_value (an id that
// is none, an empty text), duplicate_id (an id or an address that two entries have).
Result<Retirement> read_retirement(const SourceSet& sources, SourceId source);

// Holds it against the records. Errors: duplicate_id (a retired id that a record has, an address
// that is a record's own), unknown_record (an entry leads to no record).
Diagnostics check_retirement(const Retirement& retirement, const Dataset& dataset);

}  // namespace assay
