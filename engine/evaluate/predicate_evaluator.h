// Runs a compiled expression on the values of its slots. Thread-safe: everything that changes is in
// the caller's Arena. A Boolean predicate over slots allocates nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/compile/predicate.h"
#include "engine/model/value.h"

namespace assay {

// What one evaluation may take. Past it the result is an error for which `is_budget_error` holds;
// no
// `&&` or `||` absorbs it.
struct EvaluationLimits {
  std::uint64_t max_cost = 10'000'000;  // instructions run in loops, elements and bytes looked at
  std::size_t max_memory_bytes = 16u << 20;  // of `working_memory`, over what it holds already
};

// Where slots come from when they are not in an array: `get` is called whenever the expression
// reads slot `slot`, and may evaluate other predicates. The reference must stay good until the
// evaluation ends.
struct SlotSource {
  void* self = nullptr;
  const Value& (*get)(void* self, std::uint32_t slot) = nullptr;
};

// Slots in an array of which some are computed when they are first read: where `is_pending[slot]`
// is set, `compute` puts the value in its place, which may evaluate other predicates.
struct LazySlots {
  std::span<const Value> values;
  const std::uint8_t* is_pending = nullptr;
  void* self = nullptr;
  void (*compute)(void* self, std::uint32_t slot) = nullptr;
};

// The expression's value; an error (its message says what failed, without a place); or unknown,
// with the union of the slots that are missing. A slot's value may itself be an error or unknown.
// The result looks into `working_memory`, the predicate's constants and the slots' memory.
Value evaluate(const Predicate& predicate, std::span<const Value> slots, Arena& working_memory,
               const EvaluationLimits& limits = {});
Value evaluate(const Predicate& predicate, const SlotSource& slots, Arena& working_memory,
               const EvaluationLimits& limits = {});
Value evaluate(const Predicate& predicate, const LazySlots& slots, Arena& working_memory,
               const EvaluationLimits& limits = {});

// True for the error that says that EvaluationLimits stopped the evaluation (report it as
// code::evaluation_budget; every other error is code::evaluation_failed).
bool is_budget_error(const Value& value);

}  // namespace assay
