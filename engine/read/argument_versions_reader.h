// Reads what of an argument holds in some of the engine's releases only.
#pragma once

#include <span>
#include <string>

#include "engine/model/fact_schema.h"
#include "engine/read/document_reader.h"

namespace assay {

// Fills `versions`, `choice_versions`, `dated_defaults` and the flags' ranges of an argument whose
// type, default, choices and flags are read. `releases`: those that the pack covers, oldest first;
// empty: not known here. Errors: invalid_value (a range that is none, that no covered release or
// every one is in, a default of the newest; a key that is no choice or flag of the argument).
void read_argument_versions(const MappingReader& reader, std::span<const std::string> releases,
                            FactDeclaration& fact, Diagnostics& faults);

}  // namespace assay
