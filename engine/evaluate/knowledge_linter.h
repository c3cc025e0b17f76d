// What rules, records and their joins prove wrong about each other, once each of them reads and
// compiles. Examples are run by example_runner.h.
#pragma once

#include "engine/compile/compiled_contract.h"
#include "engine/compile/compiled_pack.h"
#include "engine/model/dataset.h"
#include "engine/text/diagnostic.h"

namespace assay {

// Errors: unknown_record (a rule joins a record that is not there), message_does_not_match (a
// rule's template or the message of one of its examples is not what its record describes),
// evaluation_failed (a rule's condition fails on the default values, or on those of an example).
// Warnings: no_example, unreachable_rule (of no version of the pack), fix_does_not_repair (a
// violating example that neither a fix nor the search repairs; a fix that repairs no example),
// record_differs (another exception class than the record says), missing_key (a source without
// what it should name).
Diagnostics lint_rules(const CompiledPack& pack, const Dataset& dataset);

// Errors and warnings of the joins between clauses and records, as for rules.
Diagnostics lint_contract(const CompiledContract& contract, const Dataset& dataset);

// Errors: bad_pattern, weak_pattern (neither the pattern nor the record's `context` has literal
// text that a scan can look for). Warnings: weak_pattern (found in nearly any line: too little
// literal text, and no `context` that makes up for it). Overlaps are looked for by
// pattern_overlap.h.
Diagnostics lint_records(const Dataset& dataset);

}  // namespace assay
