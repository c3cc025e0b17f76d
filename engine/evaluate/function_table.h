// What the functions of compile/cel_functions.h do.
#pragma once

#include <span>

#include "engine/compile/cel_functions.h"
#include "engine/evaluate/evaluation_context.h"

namespace assay {

// Calls `id`. `arguments` (the receiver first) are neither errors nor unknown; a combination of
// kinds that the function does not take is an error ("no such overload").
Value call_function(FunctionId id, std::span<const Value> arguments, EvaluationContext& context);

// By topic; each takes the ids of its own and answers for others with "no such overload".
Value call_conversion(FunctionId id, std::span<const Value> arguments, EvaluationContext& context);
Value call_string_function(FunctionId id, std::span<const Value> arguments,
                           EvaluationContext& context);
Value call_list_function(FunctionId id, std::span<const Value> arguments,
                         EvaluationContext& context);
Value call_math_function(FunctionId id, std::span<const Value> arguments,
                         EvaluationContext& context);
Value format_string(const Value& format, const Value& arguments, EvaluationContext& context);
Value quote_string(const Value& text, EvaluationContext& context);

}  // namespace assay
