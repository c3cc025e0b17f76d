// The likeliest reason first: the value belongs to another release, it is a slip of the keys, or it
// comes from a plugin that the launch says nothing about.
#include "engine/read/choice_help.h"

#include <vector>

#include "engine/text/closest_name.h"

namespace assay {

std::string help_on_choice(const PackRelease& release, FactId id, std::string_view value) {
  std::string absence = release.absence_of_choice(id, value);
  if (!absence.empty()) return absence;
  const FactDeclaration& fact = release.fact(id);
  std::vector<std::string_view> choices;
  for (const Node& choice : fact.choices) choices.push_back(choice.text);
  const std::string_view closest = closest_misspelling(value, choices);
  if (!closest.empty()) return "Did you mean `" + std::string(closest) + "`?";
  const auto& environment = release.pack().plugin_environment;
  if (!fact.has_open_choices || environment.empty()) return {};
  return "Only a plugin can add it: set " + environment.front() +
         " in the environment of the launch if one does.";
}

}  // namespace assay
