// Puts what a launch says, and what was given besides it, into a table of facts.
#pragma once

#include <span>
#include <string_view>

#include "engine/evaluate/facts.h"
#include "engine/model/given_fact.h"
#include "engine/model/launch.h"

namespace assay {

// The release of the engine: what `facts` say, else the launch, else what it was read for; empty
// where nobody says.
std::string_view release_of(const Launch& launch, std::span<const GivenFact> facts);

// `table` is reset first, and has the defaults of the launch's release. A flag wins over an
// environment variable that sets the same argument, and a given fact over both. What cannot be
// converted to its fact's type is unknown. Ends with `lay_overrides_over`.
void load_launch(const Launch& launch, std::span<const GivenFact> facts, FactTable& table);

// Lays the pack's overlays (RulePack::overlays) over the facts they name, once all are given. An
// override that is unknown or no JSON object leaves its fact unknown.
void lay_overrides_over(FactTable& table);

// Puts in the defaults that the release has in place of the newest one's.
void take_defaults_of(std::string_view release, FactTable& table);

// Gives an argument a value as if it were typed: the value, `raw.` and `given()`.
void give_argument(FactTable& table, FactId fact, const Value& value, Origin origin, Span span);

// Gives a fact of any kind a value; of an environment variable also that it is there.
void give_fact(FactTable& table, FactId fact, const Value& value, Origin origin, Span span);

}  // namespace assay
