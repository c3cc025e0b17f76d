// A value with a word that only a running shell knows is not known as a whole. JSON is read in
// place, so that its faults point into the word; of a list each word is converted.
#include "engine/read/flag_value_reader.h"

#include <algorithm>

#include "engine/read/argument_conversion.h"
#include "engine/read/choice_help.h"
#include "engine/read/json_value_reader.h"
#include "engine/read/launch_faults.h"
#include "engine/read/python_text.h"

namespace assay {
namespace {

void refuse_conversion(const PackRelease& release, const std::string& name, const FlagValue& value,
                       const ConversionFault& fault, const LaunchArgument& argument,
                       Launch& launch) {
  const FactDeclaration& fact = release.fact(argument.fact);
  const std::string& spelling = argument.spelling;
  std::string help =
      fault.is_choice ? help_on_choice(release, argument.fact, value.text) : std::string();
  std::string message = "argument " + name + ": " + fault.message;
  if (fault.is_choice && fact.has_open_choices && may_have_plugins(release.pack(), launch)) {
    add_launch_fault(launch, Severity::warning, code::invalid_flag_value, value.span, spelling,
                     std::move(message), "Only a plugin can add it.");
    return;
  }
  add_parser_fault(launch, code::invalid_flag_value, value.span, spelling, std::move(message),
                   std::move(help))
      .may_be_known_elsewhere = fault.is_choice;
}

// Of a flag with words of its own.
void read_word_value(const PackRelease& release, const std::string& name, const Flag& flag,
                     const FlagValue& value, LaunchArgument& argument, Launch& launch) {
  const auto word = std::ranges::find(flag.word_values, value.text, &Entry::key);
  if (word != flag.word_values.end()) {
    argument.value = word->value;
    argument.value.span = value.span;
    return;
  }
  argument.value = make_string(value.text, value.span);
  argument.is_known = false;
  FactDeclaration words;
  for (const Entry& entry : flag.word_values)
    words.choices.push_back(make_string(entry.key, entry.key_span));
  refuse_conversion(release, name, value, choice_fault(words, argument.value), argument, launch);
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
                     const Flag* flag, std::span<const FlagValue> values, LaunchArgument& argument,
                     Launch& launch) {
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
  if (flag != nullptr && !flag->word_values.empty())
    return read_word_value(release, name, *flag, values[0], argument, launch);
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
