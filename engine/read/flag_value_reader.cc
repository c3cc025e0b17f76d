// A value with a word that only a running shell knows is not known as a whole. JSON is read in
// place, so that its faults point into the word; of a list each word is converted.
#include "engine/read/flag_value_reader.h"

#include <vector>

#include "engine/read/argument_conversion.h"
#include "engine/read/json_value_reader.h"
#include "engine/read/launch_faults.h"
#include "engine/read/python_text.h"
#include "engine/text/closest_name.h"

namespace assay {
namespace {

void refuse_conversion(const PackRelease& release, const std::string& name, const FlagValue& value,
                       const ConversionFault& fault, const LaunchArgument& argument,
                       Launch& launch) {
  const FactDeclaration& fact = release.fact(argument.fact);
  const std::string& spelling = argument.spelling;
  std::string help = release.absence_of_choice(argument.fact, value.text);
  if (fault.is_choice && help.empty()) {
    std::vector<std::string_view> choices;
    for (const Node& choice : fact.choices) choices.push_back(choice.text);
    const std::string_view closest = closest_misspelling(value.text, choices);
    if (!closest.empty()) help = "Did you mean `" + std::string(closest) + "`?";
  }
  std::string message = "argument " + name + ": " + fault.message;
  if (fault.is_choice && fact.has_open_choices)
    add_launch_fault(launch, Severity::warning, code::invalid_flag_value, value.span, spelling,
                     std::move(message), "Only a plugin can add it.");
  else
    add_parser_fault(launch, code::invalid_flag_value, value.span, spelling, std::move(message),
                     std::move(help))
        .may_be_known_elsewhere = fault.is_choice;
}

void read_json_text(SourceSet& sources, const FactDeclaration& fact, const std::string& name,
                    const FlagValue& value, LaunchArgument& argument, Launch& launch) {
  auto json = read_json_value(sources, value.word->content, value.text_at, argument.spelling);
  if (json && (fact.type.kind != TypeKind::map || json->kind == NodeKind::mapping)) {
    argument.value = std::move(*json);
    return;
  }
  argument.value = make_string(value.text, value.span);
  argument.is_known = false;
  const auto first = value.text.find_first_not_of(" \t\n");
  const bool is_meant_as_json =
      json.has_value() ||
      (first != std::string::npos && (value.text[first] == '{' || value.text[first] == '['));
  if (!is_meant_as_json) {
    add_launch_fault(launch, Severity::warning, code::invalid_flag_value, value.span,
                     argument.spelling,
                     "argument " + name + ": " + python_repr(value.text) +
                         " is no JSON text, so what it says is not checked");
    return;
  }
  const std::string reason =
      json ? std::string("a JSON object is expected, this is ") + std::string(to_string(json->kind))
           : json.error().front().message;
  add_launch_fault(launch, Severity::error, code::invalid_flag_value,
                   json ? value.span : json.error().front().span, argument.spelling,
                   "argument " + name + ": " + reason);
}

}  // namespace

void read_flag_value(SourceSet& sources, const PackRelease& release, const std::string& name,
                     std::span<const FlagValue> values, LaunchArgument& argument, Launch& launch) {
  const FactDeclaration& fact = release.fact(argument.fact);
  for (const FlagValue& value : values) {
    if (!value.word->is_unresolved) continue;
    argument.is_known = false;
    argument.value = make_string(value.text, argument.value_span);
    add_launch_fault(
        launch, Severity::warning, code::unresolved_variable, value.span, argument.spelling,
        "the value of `" + argument.spelling + "` is not known here: `" + value.text + "`",
        "Put the value in its place to have it checked.");
    return;
  }
  if (fact.is_json) return read_json_text(sources, fact, name, values[0], argument, launch);
  const bool is_list = fact.takes_list || fact.type.kind == TypeKind::list;
  Node list;
  list.kind = NodeKind::sequence;
  list.span = argument.value_span;
  for (const FlagValue& value : values) {
    Node item;
    item.span = value.span;
    if (const auto fault = convert_text(fact, value.text, item))
      refuse_conversion(release, name, value, *fault, argument, launch);
    if (!is_list) {
      argument.value = std::move(item);
      return;
    }
    list.items.push_back(std::move(item));
  }
  argument.value = std::move(list);
}

}  // namespace assay
