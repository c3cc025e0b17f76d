// The operators of the language on values that are neither error nor unknown.
#pragma once

#include "engine/compile/predicate.h"
#include "engine/evaluate/evaluation_context.h"

namespace assay {

// +, -, *, /, %, ==, !=, <, <=, >, >=, in, []: `opcode` is one of theirs.
Value apply_binary(Opcode opcode, const Value& a, const Value& b, EvaluationContext& context);
Value negate(const Value& value, EvaluationContext& context);
Value select_field(const Value& value, const Value& name, EvaluationContext& context);
Value has_field(const Value& value, const Value& name, EvaluationContext& context);
// A map of `keys_and_values`: key, value, key, value, ...
Value make_map(std::span<const Value> keys_and_values, EvaluationContext& context);

// `a && b` and `a || b` when neither operand decides alone: unknown wins over error (the missing
// fact could still decide), the left error over the right one.
Value merge_and(const Value& a, const Value& b, EvaluationContext& context);
Value merge_or(const Value& a, const Value& b, EvaluationContext& context);

}  // namespace assay
