// From a document's Node to a Value of the expression language.
#pragma once

#include <optional>

#include "engine/model/type.h"
#include "engine/model/value.h"
#include "engine/text/document.h"

namespace assay {

// The value of `node`, in `arena`: sequences become lists, mappings become maps with string keys.
// With `type` other than dynamic the value must have it: an integer becomes a double (or a uint)
// where that is asked for and exact, null only where the type is nullable. None: it does not fit.
std::optional<Value> literal_value(const Node& node, Arena& arena, const Type& type = {});
// The other way: what `value` is as a document, for values that have one (no bytes, type, error,
// unknown; map keys print as strings).
std::optional<Node> value_node(const Value& value);

// A copy of `value` that looks only at `arena`.
Value copy_value(const Value& value, Arena& arena);

}  // namespace assay
