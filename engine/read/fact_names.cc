// The longest declared prefix wins, as in expressions: `model.config` before a fact `model`.
#include "engine/read/fact_names.h"

#include <algorithm>
#include <string>

#include "engine/read/document_reader.h"

namespace assay {
namespace {

constexpr std::size_t kMaxFactSuggestions = 100;

// Whether a path may go on behind the fact.
bool has_parts(const FactDeclaration& fact) {
  return fact.is_json || fact.type.kind == TypeKind::map || fact.type.kind == TypeKind::dynamic;
}

}  // namespace

const FactDeclaration* find_fact(const FactSchema& schema, std::string_view name) {
  if (const FactDeclaration* fact = schema.find(name)) return fact;
  for (auto dot = name.rfind('.'); dot != std::string_view::npos && dot > 0;
       dot = name.rfind('.', dot - 1)) {
    const FactDeclaration* fact = schema.find(name.substr(0, dot));
    if (fact != nullptr) return has_parts(*fact) ? fact : nullptr;
  }
  return nullptr;
}

Diagnostic unknown_fact_fault(const FactSchema& schema, std::string_view name, Span span,
                              std::size_t faults_so_far) {
  std::vector<std::string_view> names;
  if (faults_so_far < kMaxFactSuggestions)
    for (const FactDeclaration& fact : schema.facts) names.push_back(fact.name);
  return make_error(code::unknown_fact, span, "`" + std::string(name) + "` is no fact of this pack",
                    did_you_mean(name, names));
}

bool is_identifier(std::string_view name) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !name.empty() && is_letter(name.front()) &&
         std::all_of(name.begin(), name.end(),
                     [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

bool is_dotted_name(std::string_view name) {
  while (true) {
    const auto dot = name.find('.');
    if (!is_identifier(name.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    name.remove_prefix(dot + 1);
  }
}

}  // namespace assay
