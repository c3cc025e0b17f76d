// How Python prints values: the engines' messages quote the user's words so.
#pragma once

#include <string>
#include <string_view>

#include "engine/text/document.h"

namespace assay {

// repr() of a str: in single quotes, or in double ones when it holds a single quote and no double.
std::string python_repr(std::string_view text);
// repr() of a value: None, True, 8, 0.5, 'x', ['a', 'b'], {'a': 1}.
std::string python_repr(const Node& value);
// The shortest text that reads back as `number`, as Python writes it: 0.9, 1e-05, 8.0, inf.
std::string python_float(double number);

}  // namespace assay
