// The turns of a comprehension. A frame is three stack values (the range, the number of turns
// begun, the result so far), followed by its variables.
#pragma once

#include "engine/compile/predicate.h"
#include "engine/evaluate/evaluation_context.h"

namespace assay {

// The range is in frame[0]. False: it is no list or map (or failed), and frame[0] is the result.
bool begin_loop(LoopKind kind, Value* frame, EvaluationContext& context);
// Sets frame[3] (and frame[4] with two variables) to the next element; false when there is none.
bool next_turn(Value* frame, std::uint8_t variables);
// A condition that was no bool: the whole comprehension fails or becomes unknown.
void fail_turn(Value* frame, const Value& condition, EvaluationContext& context);
// Adds what the body gave. False: the result is decided.
bool take_turn(LoopKind kind, Value* frame, const Value& body, EvaluationContext& context);
// Leaves the result in frame[0].
void end_loop(LoopKind kind, Value* frame);

}  // namespace assay
