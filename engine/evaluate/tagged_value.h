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

}  // namespace assay
