// CEL text from a YAML value: an expression as it stands, or the mapping shorthand.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "engine/model/fact_schema.h"
#include "engine/text/diagnostic.h"
#include "engine/text/source.h"

namespace assay {

// A string is the expression; an unquoted boolean or number is that literal. Anything else is
// wrong_type, an empty string invalid_value.
std::optional<ExpressionText> read_expression(const SourceSet& sources, const Node& node,
                                              std::string_view what, Diagnostics& faults);

// As read_expression, or a mapping: {a: x, b.c: [1, 2], d: null} becomes
// `a == "x" && b.c in [1, 2] && d == null`. `check_name` is asked about each key and reports it if
// it is unknown.
using NameCheck = std::function<void(std::string_view name, Span span)>;
std::optional<ExpressionText> read_condition(const SourceSet& sources, const Node& node,
                                             std::string_view what, const NameCheck& check_name,
                                             Diagnostics& faults);

// The bytes of a string's span that are `text` itself (inside its quotes or block), or the whole
// span and false where there are none (escapes, folded lines).
struct TextPlace {
  Span span;
  bool is_verbatim = false;
};
TextPlace place_of_text(const SourceSet& sources, const Node& node, std::string_view text);

// `text` as a CEL string literal in double quotes.
std::string quote_cel_string(std::string_view text);

}  // namespace assay
