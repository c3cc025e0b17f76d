// Turns what a user wrote into the type a fact declares: text as Python's argparse does it, nodes
// of a map as the engines' config files allow.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/model/fact_schema.h"
#include "engine/text/document.h"

namespace assay {

// What is wrong with a value, as argparse words it after the argument's name:
// "invalid int value: 'x'", "invalid choice: 'fp8' (choose from 'auto', 'bf16')".
struct ConversionFault {
  std::string message;
  bool is_choice = false;  // the value has the right type, but is none of the choices
};

// One word. For a list the element's type is meant; JSON-valued facts are not converted here.
std::optional<ConversionFault> convert_text(const FactDeclaration& fact, std::string_view text,
                                            Node& value);
// A node of a map: numbers may be quoted, a single value stands for a list of one, null is allowed
// where the fact is nullable.
std::optional<ConversionFault> convert_node(const FactDeclaration& fact, const Node& node,
                                            Node& value);
// Is `value` (converted) one of the choices? True when there are none.
bool is_a_choice(const FactDeclaration& fact, const Node& value);
// "invalid choice: ..." with the choices listed.
ConversionFault choice_fault(const FactDeclaration& fact, const Node& value);

// The text is the value's own; `quoted`, so that it is never taken for a number.
Node make_string(std::string text, Span span);
Node make_boolean(bool value, Span span);

}  // namespace assay
