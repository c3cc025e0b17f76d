#include "engine/model/type.h"

namespace assay {
namespace {

std::string_view kind_name(TypeKind kind) {
  switch (kind) {
    case TypeKind::dynamic:
      return "dyn";
    case TypeKind::null:
      return "null_type";
    case TypeKind::boolean:
      return "bool";
    case TypeKind::integer:
      return "int";
    case TypeKind::unsigned_integer:
      return "uint";
    case TypeKind::real:
      return "double";
    case TypeKind::string:
      return "string";
    case TypeKind::bytes:
      return "bytes";
    case TypeKind::list:
      return "list";
    case TypeKind::map:
      return "map";
    case TypeKind::type:
      break;
  }
  return "type";
}

}  // namespace

std::string to_string(const Type& type) {
  std::string text(kind_name(type.kind));
  if (!type.parameters.empty()) {
    text += '<';
    for (std::size_t i = 0; i < type.parameters.size(); ++i) {
      if (i > 0) text += ", ";
      text += to_string(type.parameters[i]);
    }
    text += '>';
  }
  if (type.is_nullable) text += '?';
  return text;
}

}  // namespace assay
