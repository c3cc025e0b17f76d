// A signature is matched while it is read: each parameter's type text against the argument's type,
// with A and B bound at their first use and widened to what later uses have in common.
#include "engine/compile/cel_types.h"

#include <algorithm>
#include <array>

#include "engine/base/check.h"

namespace assay {
namespace {

constexpr std::array<std::pair<std::string_view, TypeKind>, 11> kSignatureTypes = {{
    {"dyn", TypeKind::dynamic},
    {"null", TypeKind::null},
    {"bool", TypeKind::boolean},
    {"int", TypeKind::integer},
    {"uint", TypeKind::unsigned_integer},
    {"double", TypeKind::real},
    {"string", TypeKind::string},
    {"bytes", TypeKind::bytes},
    {"list", TypeKind::list},
    {"map", TypeKind::map},
    {"type", TypeKind::type},
}};

class SignatureMatcher {
 public:
  explicit SignatureMatcher(std::string_view rest) : rest_(rest) {}

  std::optional<Type> match(std::span<const Type> arguments) {
    std::size_t next = 0;
    if (rest_.front() != '(') {
      if (arguments.empty() || !match_type(arguments[next++])) return std::nullopt;
      expect(".");
    }
    expect("(");
    while (!take(")")) {
      if (next == arguments.size() || !match_type(arguments[next++])) return std::nullopt;
      take(", ");
    }
    if (next != arguments.size()) return std::nullopt;
    expect(" -> ");
    return build_type();
  }

 private:
  bool take(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }
  void expect(std::string_view text) {
    ASSAY_CHECK(take(text), "a signature of the function table is well formed");
  }
  std::string_view take_word() {
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    std::size_t size = 0;
    while (size < rest_.size() && is_letter(rest_[size])) ++size;
    const std::string_view word = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return word;
  }
  static TypeKind kind_of(std::string_view word) {
    for (const auto& [name, kind] : kSignatureTypes)
      if (name == word) return kind;
    ASSAY_CHECK(false, "a signature of the function table names types only");
  }

  bool match_type(const Type& actual) {
    const std::string_view word = take_word();
    if (word == "A" || word == "B") return bind(bindings_[word == "B"], actual);
    const Type dynamic;
    const TypeKind kind = kind_of(word);
    if (take("<")) {  // list<...>, map<..., ...>
      if (actual.kind != kind && actual.kind != TypeKind::dynamic) return false;
      for (std::size_t i = 0; !take(">"); ++i) {
        if (!match_type(i < actual.parameters.size() ? actual.parameters[i] : dynamic))
          return false;
        take(", ");
      }
      return true;
    }
    return is_assignable(actual, Type::of(kind));
  }

  static bool bind(std::optional<Type>& binding, const Type& actual) {
    if (!binding) {
      binding = actual;
      return true;
    }
    std::optional<Type> common = common_type(*binding, actual);
    if (!common) return false;
    binding = std::move(common);
    return true;
  }

  Type build_type() {
    const std::string_view word = take_word();
    if (word == "A" || word == "B") return bindings_[word == "B"].value_or(Type());
    Type type = Type::of(kind_of(word));
    if (take("<")) {
      while (!take(">")) {
        type.parameters.push_back(build_type());
        take(", ");
      }
    }
    return type;
  }

  std::string_view rest_;
  std::array<std::optional<Type>, 2> bindings_;
};

}  // namespace

bool is_assignable(const Type& from, const Type& to) {
  if (from.kind == TypeKind::dynamic || to.kind == TypeKind::dynamic) return true;
  if (from.kind == TypeKind::null) return to.kind == TypeKind::null || to.is_nullable;
  if (from.kind != to.kind) return to.kind == TypeKind::null && from.is_nullable;
  const std::size_t shared = std::min(from.parameters.size(), to.parameters.size());
  for (std::size_t i = 0; i < shared; ++i)
    if (!is_assignable(from.parameters[i], to.parameters[i])) return false;
  return true;
}

std::optional<Type> common_type(const Type& a, const Type& b) {
  if (a.kind == TypeKind::dynamic) return a;
  if (b.kind == TypeKind::dynamic) return b;
  if (a.kind == TypeKind::null || b.kind == TypeKind::null) {
    Type type = a.kind == TypeKind::null ? b : a;
    if (type.kind != TypeKind::null) {
      if (!type.is_nullable) return std::nullopt;
      type.is_nullable = true;
    }
    return type;
  }
  if (a.kind != b.kind || a.parameters.size() != b.parameters.size()) return std::nullopt;
  Type type = {a.kind, a.is_nullable || b.is_nullable, {}};
  for (std::size_t i = 0; i < a.parameters.size(); ++i) {
    std::optional<Type> parameter = common_type(a.parameters[i], b.parameters[i]);
    if (!parameter) return std::nullopt;
    type.parameters.push_back(std::move(*parameter));
  }
  return type;
}

bool is_number(const Type& type) {
  return type.kind == TypeKind::integer || type.kind == TypeKind::unsigned_integer ||
         type.kind == TypeKind::real;
}

std::optional<Type> match_signature(std::string_view signature, std::span<const Type> arguments) {
  return SignatureMatcher(signature).match(arguments);
}

}  // namespace assay
