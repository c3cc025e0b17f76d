// Reads what Python's repr() prints: literals, enum members <X.Y: 'v'>, calls such as
// ServerArgs(...).
#pragma once

#include "engine/text/document.h"
#include "engine/text/mapped_text.h"

namespace assay {

struct PythonReading {
  Node value;               // a call's keyword arguments are a mapping, its positional ones dropped
  std::size_t end = 0;      // in the text: behind the value
  bool is_complete = true;  // false: the text ends or stops making sense before the value does;
                            // `value` holds what was read
};

// The value at `begin`. An enum member is its value as a string or number; a name is a string.
// Blanks inside names and numbers are dropped: a log viewer wraps lines anywhere.
PythonReading read_python_literal(const MappedText& text, std::size_t begin);

}  // namespace assay
