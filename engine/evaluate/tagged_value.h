// Values in the tagged form of the public conformance cases, both ways.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/model/value.h"
#include "engine/text/document.h"

namespace assay {

// The value that `node` ({"int": "1"}) says, in `arena`; none: it is not in the tagged form.
std::optional<Value> read_tagged(const Node& node, Arena& arena);
// `text` as a JSON string, with its quotes; bytes that are no UTF-8 become U+FFFD.
std::string json_string(std::string_view text);
// As tagged_json (eval_case.h), but none when it would be longer than `max_bytes`: a small value
// that shares its parts can print without end.
std::optional<std::string> write_tagged(const Value& value, std::size_t max_bytes);

}  // namespace assay
