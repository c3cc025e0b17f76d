// CLI11 splits the words into options and the rest; it knows one verb at a time, and nothing of the
// environment or of files, since its order of precedence is not ours (see settings.h). What is
// wrong is worded here.
#include "tools/cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "engine/text/diagnostic_rendering.h"

namespace assay::cli {
namespace {

Diagnostic bad_usage(std::string message, std::string help) {
  return make_error(code::bad_usage, {}, std::move(message), std::move(help));
}

bool looks_like_option(const std::string& word) { return word.size() > 1 && word[0] == '-'; }

std::string did_you_mean(std::string_view close, std::string_view otherwise) {
  if (close.empty()) return std::string(otherwise);
  return "did you mean `" + std::string(close) + "`?";
}

Diagnostic unknown_option(const std::string& word, const Syntax& syntax) {
  const std::string spelled = word.substr(0, word.find('='));
  std::vector<std::string> spellings;
  for (const Option& option : syntax.options) spellings.push_back("--" + std::string(option.name));
  const std::vector<std::string_view> names(spellings.begin(), spellings.end());
  return bad_usage("unknown option `" + spelled + "`",
                   did_you_mean(closest_name(spelled, names),
                                syntax.takes_command ? "the launch command itself comes after `--`"
                                                     : "`--help` lists the options"));
}

std::string joined_choices(const Option& option) {
  std::string all;
  for (const std::string_view choice : option.choices) {
    if (!all.empty()) all += ", ";
    all += choice;
  }
  return all;
}

// Runs CLI11 over the words. `values[i]` is what option i was given; `rest` are the words that are
// no option.
Diagnostics split_words(const Invocation& invocation, const Syntax& syntax,
                        std::vector<std::vector<std::string>>& values,
                        std::vector<std::string>& rest) {
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  values.assign(syntax.options.size(), {});
  for (std::size_t i = 0; i < syntax.options.size(); ++i) {
    const Option& option = syntax.options[i];
    std::string spelling = "--" + std::string(option.name);
    if (option.letter != 0) spelling = std::string("-") + option.letter + "," + spelling;
    if (std::holds_alternative<bool*>(option.target)) {
      app.add_flag_callback(spelling, [&values, i] { values[i].emplace_back("true"); });
    } else {
      app.add_option(spelling, values[i])
          ->allow_extra_args(false)
          ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    }
  }
  std::vector<std::string> words(invocation.arguments.rbegin(), invocation.arguments.rend());
  try {
    app.parse(words);
  } catch (const CLI::ArgumentMismatch&) {
    return {
        bad_usage("`" + invocation.arguments.back() + "` takes a value", "`--help` says which")};
  } catch (const CLI::ParseError& fault) {
    return {bad_usage(fault.what(), "`--help` lists the options")};
  }
  rest = app.remaining();
  return {};
}

}  // namespace

std::optional<std::string> set_option(const Option& option, const std::string& text) {
  if (!option.choices.empty() &&
      std::find(option.choices.begin(), option.choices.end(), text) == option.choices.end())
    return "expected one of " + joined_choices(option) + ", found `" + text + "`";
  if (bool* const* target = std::get_if<bool*>(&option.target)) {
    if (text != "true" && text != "1" && text != "false" && text != "0")
      return "expected true, 1, false or 0, found `" + text + "`";
    **target = text == "true" || text == "1";
  } else if (auto* const* value = std::get_if<std::optional<std::string>*>(&option.target)) {
    if (text.empty()) return "expected a value";
    **value = text;
  } else {
    std::get<std::vector<std::string>*>(option.target)->push_back(text);
  }
  return std::nullopt;
}

Diagnostics find_verb(const std::vector<std::string>& words, const std::vector<Verb>& verbs,
                      Invocation& invocation) {
  const auto dashes = std::find(words.begin(), words.end(), "--");
  invocation.arguments.assign(words.begin(), dashes);
  if (dashes != words.end()) invocation.after_dashes.emplace(dashes + 1, words.end());

  auto& arguments = invocation.arguments;
  auto verb = arguments.begin();
  bool wants_help = false;
  for (; verb != arguments.end() && looks_like_option(*verb); ++verb) {
    if (*verb == "--color" || *verb == "--knowledge") {  // its value is the next word
      if (++verb == arguments.end()) break;
    }
    wants_help = wants_help || *verb == "--help" || *verb == "-h";
    invocation.wants_version = invocation.wants_version || *verb == "--version";
  }
  if (verb != arguments.end() && *verb == "help") {  // `assay help check` is `assay check --help`
    *verb = "--help";
    wants_help = true;
    verb = std::find_if_not(verb, arguments.end(), looks_like_option);
  }
  if (verb == arguments.end()) {
    if (wants_help || invocation.wants_version) return {};
    return {bad_usage("no verb", "`assay --help` lists them")};
  }
  std::vector<std::string_view> names;
  for (const Verb& candidate : verbs) {
    if (candidate.name == *verb) invocation.verb = &candidate;
    if (!candidate.is_hidden) names.push_back(candidate.name);
  }
  if (invocation.verb == nullptr)
    return {bad_usage("unknown verb `" + *verb + "`",
                      did_you_mean(closest_name(*verb, names), "`assay --help` lists the verbs"))};
  arguments.erase(verb);
  return {};
}

Diagnostics parse_arguments(const Invocation& invocation, const Syntax& syntax,
                            std::optional<std::vector<std::string>>& command) {
  std::vector<std::vector<std::string>> values;
  std::vector<std::string> rest;
  if (Diagnostics faults = split_words(invocation, syntax, values, rest); !faults.empty())
    return faults;

  Diagnostics faults;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Option& option = syntax.options[i];
    const bool takes_many = std::holds_alternative<std::vector<std::string>*>(option.target);
    if (values[i].size() > 1 && !takes_many)
      faults.push_back(
          bad_usage("`--" + std::string(option.name) + "` is given more than once", ""));
    for (const std::string& value : values[i])
      if (auto fault = set_option(option, value))
        faults.push_back(bad_usage("`--" + std::string(option.name) + "`: " + *fault, ""));
  }
  std::vector<std::string> operands;
  for (const std::string& word : rest) {
    if (looks_like_option(word))
      faults.push_back(unknown_option(word, syntax));
    else
      operands.push_back(word);
  }
  if (invocation.after_dashes && syntax.takes_command)
    command = invocation.after_dashes;
  else if (invocation.after_dashes)
    operands.insert(operands.end(), invocation.after_dashes->begin(),
                    invocation.after_dashes->end());
  if (!syntax.operands && !operands.empty())
    faults.push_back(bad_usage("unexpected `" + operands.front() + "`",
                               syntax.takes_command ? "the launch command comes after `--`" : ""));
  else if (syntax.operands && operands.size() > syntax.operands->at_most)
    faults.push_back(bad_usage("unexpected `" + operands[syntax.operands->at_most] + "`: one " +
                                   std::string(syntax.operands->placeholder) + " is taken",
                               "put it in quotes if it belongs to the one before"));
  else if (syntax.operands)
    *syntax.operands->target = std::move(operands);
  return faults;
}

}  // namespace assay::cli
