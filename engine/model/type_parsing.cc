// Recursive descent; the names are the expression language's own.
#include "engine/model/type_parsing.h"

#include <algorithm>
#include <array>
#include <utility>

namespace assay {
namespace {

constexpr int kMaxDepth = 16;

constexpr std::array<std::pair<std::string_view, TypeKind>, 9> kScalars = {
    {{"dyn", TypeKind::dynamic},
     {"null_type", TypeKind::null},
     {"bool", TypeKind::boolean},
     {"int", TypeKind::integer},
     {"uint", TypeKind::unsigned_integer},
     {"double", TypeKind::real},
     {"string", TypeKind::string},
     {"bytes", TypeKind::bytes},
     {"type", TypeKind::type}}};

class TypeParser {
 public:
  explicit TypeParser(std::string_view text) : rest_(text) {}

  std::optional<Type> parse() {
    auto type = parse_type(0);
    skip_blanks();
    return rest_.empty() ? type : std::nullopt;
  }

 private:
  std::optional<Type> parse_type(int depth) {
    if (depth > kMaxDepth) return std::nullopt;
    const std::string_view name = take_name();
    std::optional<Type> type;
    if (name == "list") {
      auto element = take('<') ? parse_type(depth + 1) : std::nullopt;
      if (element && take('>')) type = Type::list_of(std::move(*element));
    } else if (name == "map") {
      auto key = take('<') ? parse_type(depth + 1) : std::nullopt;
      auto value = key && take(',') ? parse_type(depth + 1) : std::nullopt;
      if (value && take('>')) type = Type::map_of(std::move(*key), std::move(*value));
    } else if (name == "json") {
      type = Type::map_of(Type::of(TypeKind::string), Type::of(TypeKind::dynamic));
    } else {
      const auto found = std::find_if(kScalars.begin(), kScalars.end(),
                                      [&](const auto& scalar) { return scalar.first == name; });
      if (found != kScalars.end()) type = Type::of(found->second);
    }
    if (type && take('?')) type->is_nullable = true;
    return type;
  }

  void skip_blanks() { rest_.remove_prefix(std::min(rest_.find_first_not_of(' '), rest_.size())); }
  std::string_view take_name() {
    skip_blanks();
    const auto end = std::min(rest_.find_first_of("<>,? "), rest_.size());
    const std::string_view name = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return name;
  }
  bool take(char c) {
    skip_blanks();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::string_view rest_;
};

}  // namespace

std::optional<Type> parse_type(std::string_view text) { return TypeParser(text).parse(); }

}  // namespace assay
