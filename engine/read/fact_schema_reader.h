// Reads arguments.yaml and facts.yaml.
#pragma once

#include <span>
#include <string>

#include "engine/model/fact_schema.h"
#include "engine/text/diagnostic.h"
#include "engine/text/source.h"

namespace assay {

// Both append to `schema`, in the order of the text, and keep its indexes. Errors: those of a
// strict mapping; invalid_value (a name, type or flag that is none, a default or choice that does
// not fit the type, an unknown namespace); duplicate_id (a fact or flag declared twice).
// `releases`: as in argument_versions_reader.h.
void read_arguments(const Node& document, std::span<const std::string> releases, FactSchema& schema,
                    Diagnostics& faults);
void read_facts(const SourceSet& sources, const Node& document, FactSchema& schema,
                Diagnostics& faults);

// Whether `value` may be the value of a fact of this type; an integer is a double, too.
bool fits_type(const Node& value, const Type& type);

}  // namespace assay
