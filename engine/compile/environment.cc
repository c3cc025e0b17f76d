// The declared names of an expression: see expression_compiler.h.
#include <utility>

#include "engine/base/check.h"
#include "engine/compile/expression_compiler.h"

namespace assay {

std::uint32_t Environment::declare(std::string name, Type type) {
  const auto slot = static_cast<std::uint32_t>(variables_.size());
  const bool is_new = by_name_.emplace(name, slot).second;
  ASSAY_CHECK(is_new, "a variable is declared once");
  variables_.push_back({std::move(name), std::move(type)});
  return slot;
}

std::uint32_t Environment::find(std::string_view name) const {
  const auto found = by_name_.find(std::string(name));
  return found == by_name_.end() ? kNoSlot : found->second;
}

std::vector<std::string_view> Environment::names() const {
  std::vector<std::string_view> names;
  names.reserve(variables_.size());
  for (const Variable& variable : variables_) names.push_back(variable.name);
  return names;
}

}  // namespace assay
