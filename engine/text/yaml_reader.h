// Reads one YAML document strictly: what YAML would guess at is refused (see each code). Flow style
// included, so JSON texts parse too, but `read_json` places their faults better.
#pragma once

#include "engine/text/document.h"
#include "engine/text/result.h"
#include "engine/text/source.h"

namespace assay {

struct DocumentLimits {
  std::size_t max_bytes = 16u << 20;
  std::uint32_t max_depth = 64;
  std::size_t max_nodes = 1u << 20;
  std::size_t max_faults = 1000;  // further ones are not reported
};

// Errors (all of them in one go where the text still parses): yaml_syntax, duplicate_key,
// yaml_alias (aliases, anchors, merge keys, tags), ambiguous_boolean (unquoted yes/no/on/off in any
// case, y/n excepted), nesting_too_deep, binary_input, invalid_utf8, empty_input, file_too_large
// (by bytes or by nodes). Keys are strings, whatever they look like. Only `null`, `~`, nothing =
// null; `true`/`false` = boolean (any of YAML's three cases); integers decimal, 0x, 0o; reals incl.
// `.inf`, `.nan`.
Result<Node> read_yaml(const SourceSet& sources, SourceId source,
                       const DocumentLimits& limits = {});
// All documents of a stream (Kubernetes and compose manifests), empty ones left out. What manifests
// use is allowed there: aliases and merge keys (`<<`) are resolved, up to `max_nodes` in all;
// unquoted yes/no/on/off are strings, as YAML 1.2 says; the tag `!!str` makes a string. A duplicate
// key is still an error.
Result<std::vector<Node>> read_yaml_stream(const SourceSet& sources, SourceId source,
                                           const DocumentLimits& limits = {});

}  // namespace assay
