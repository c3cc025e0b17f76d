// Puts what a launch says, and what was given besides it, into a table of facts.
#pragma once

#include <span>

#include "engine/evaluate/facts.h"
#include "engine/model/given_fact.h"
#include "engine/model/launch.h"

namespace assay {

// `table` is reset first. A flag wins over an environment variable that sets the same argument, and
// a given fact over both. What cannot be converted to its fact's type is unknown. Ends with
// `lay_overrides_over`.
void load_launch(const Launch& launch, std::span<const GivenFact> facts, FactTable& table);

// Lays the pack's overlays (RulePack::overlays) over the facts they name, once all are given. An
// override that is unknown or no JSON object leaves its fact unknown.
void lay_overrides_over(FactTable& table);

// Gives an argument a value as if it were typed: the value, `raw.` and `given()`.
void give_argument(FactTable& table, FactId fact, const Value& value, Origin origin, Span span);

// Gives a fact of any kind a value; of an environment variable also that it is there.
void give_fact(FactTable& table, FactId fact, const Value& value, Origin origin, Span span);

}  // namespace assay
