// Writes an argument's value as the words of a command line, or as a value of a map.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/model/fact_schema.h"

namespace assay {

// A flag and its values; no flag: the command says this value by saying nothing (a switch that is
// off, null).
struct ArgumentWords {
  std::string flag;
  std::vector<std::string> values;
};

// `spelling` is kept where it is a current flag of the same kind, else the canonical one is taken.
ArgumentWords write_argument(const FactDeclaration& fact, const Node& value,
                             std::string_view spelling = {});
// A scalar as a flag's value: true, 8, 0.5, text; a list or map as JSON.
std::string write_value(const Node& value);
// RFC 8259, on one line.
std::string write_json(const Node& value);
// `text` in double quotes, as JSON and YAML both read it.
std::string write_json_string(std::string_view text);
// `text` as a plain YAML scalar that reads back as this string, where it can be one: inside [] and
// {} fewer can.
bool is_plain_yaml(std::string_view text, bool is_in_flow);
// One line of YAML for `value`.
std::string write_yaml(const Node& value);
bool is_same_value(const Node& a, const Node& b);

}  // namespace assay
