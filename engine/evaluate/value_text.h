// How a value prints: as Python's `str` and `repr` do in an engine's message, and as a literal of
// the expression language.
#pragma once

#include <string>

#include "engine/model/value.h"

namespace assay {

// `str(x)`: None, True, 1, 1.0, 1e-05, inf, nan, text as it is, ['a', None], {'k': 1}, b'\xff'. An
// error prints as `<error: message>` and an unknown value as `<unknown>`.
std::string python_str(const Value& value);
// `repr(x)`: as `python_str`, but with text in Python's quotes.
std::string python_repr(const Value& value);
// As a literal of the expression language: null, true, 1u, 1.0, "text", b"\377", ["a"], {"k": 1}.
std::string cel_literal(const Value& value);

}  // namespace assay
