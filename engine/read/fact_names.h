// The names a pack's files may use for facts.
#pragma once

#include <string_view>
#include <vector>

#include "engine/model/fact_schema.h"
#include "engine/text/diagnostic.h"

namespace assay {

// `name` as a key of a rule: a declared fact's dotted name, or one followed by a path into its
// JSON value (`cuda_graph_config.decode.backend`). The fact, or null when there is none.
const FactDeclaration* find_fact(const FactSchema& schema, std::string_view name);

// unknown_fact at `span`, with "did you mean" unless `faults_so_far` is past 100: the search costs
// more than anything else in a file made of faults.
Diagnostic unknown_fact_fault(const FactSchema& schema, std::string_view name, Span span,
                              std::size_t faults_so_far);

// One or more identifiers joined by dots: a-z, A-Z, 0-9, _; no digit first.
bool is_dotted_name(std::string_view name);
bool is_identifier(std::string_view name);

}  // namespace assay
