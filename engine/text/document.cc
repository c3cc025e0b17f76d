// The words for a node's kind, as messages use them ("expected a string, found a list").
#include "engine/text/document.h"

namespace assay {

std::string_view to_string(NodeKind kind) {
  switch (kind) {
    case NodeKind::null:
      return "null";
    case NodeKind::boolean:
      return "a boolean";
    case NodeKind::integer:
      return "an integer";
    case NodeKind::real:
      return "a number";
    case NodeKind::string:
      return "a string";
    case NodeKind::sequence:
      return "a list";
    case NodeKind::mapping:
      break;
  }
  return "a mapping";
}

}  // namespace assay
