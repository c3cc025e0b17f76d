// `assay eval`: one expression, or one case a JSON line, in the tagged form of the public
// conformance cases: {"int": "1"}, {"double": "0.5"}, {"list": [...]}, {"map": [[key, value],
// ...]}, ...
#pragma once

#include <string>
#include <string_view>

#include "engine/model/value.h"

namespace assay {

// Answers one case: {"expr": ..., "bindings": {name: {"value": tagged} | {"error": ...} |
// {"unknown": true}}, "unchecked": true, "container": "a.b"} with one line of JSON, without a line
// end: {"value": tagged}, {"error": text} or {"unknown": [names]}. Never fails: a line that is not
// a case is answered with an error. Other keys of a case are ignored.
std::string answer_eval_case(std::string_view json_line);

// One expression without bindings, answered the same way.
std::string answer_eval_expression(std::string_view expression);

// `value` in the tagged form.
std::string tagged_json(const Value& value);

}  // namespace assay
