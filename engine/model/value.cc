#include "engine/model/value.h"

namespace assay {

std::string_view to_string(ValueKind kind) {
  switch (kind) {
    case ValueKind::null:
      return "null_type";
    case ValueKind::boolean:
      return "bool";
    case ValueKind::integer:
      return "int";
    case ValueKind::unsigned_integer:
      return "uint";
    case ValueKind::real:
      return "double";
    case ValueKind::string:
      return "string";
    case ValueKind::bytes:
      return "bytes";
    case ValueKind::list:
      return "list";
    case ValueKind::map:
      return "map";
    case ValueKind::type:
      return "type";
    case ValueKind::error:
      return "error";
    case ValueKind::unknown:
      break;
  }
  return "unknown";
}

}  // namespace assay
