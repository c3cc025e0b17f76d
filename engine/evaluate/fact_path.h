// Reads and changes a part of a JSON value: the path of `cuda_graph_config.decode.backend` is
// {"decode", "backend"}.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "engine/model/value.h"
#include "engine/text/document.h"

namespace assay {

// The value under `path`; none when a part of the way is missing or no map.
std::optional<Value> value_at(const Value& value, std::span<const std::string> path);
// `value` with `part` under `path`; maps on the way are made where there is none. An empty path
// gives `part`. The result looks at `value`'s, `path`'s and `part`'s memory and at `arena`.
Value with_value_at(const Value& value, std::span<const std::string> path, const Value& part,
                    Arena& arena);
// `value` without what is under `path`.
Value without_value_at(const Value& value, std::span<const std::string> path, Arena& arena);

// The same on documents.
void set_node_at(Node& node, std::span<const std::string> path, const Node& part);

}  // namespace assay
