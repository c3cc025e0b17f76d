// Help for a terminal: one line an option, columns aligned.
#include "tools/cli/help.h"

#include <algorithm>

namespace assay::cli {
namespace {

std::string spelling(const Option& option) {
  std::string text = option.letter != 0 ? std::string("-") + option.letter + ", " : "    ";
  text += "--" + std::string(option.name);
  if (!option.placeholder.empty()) text += " " + std::string(option.placeholder);
  return text;
}

std::string two_columns(const std::vector<std::pair<std::string, std::string>>& rows) {
  std::size_t width = 0;
  for (const auto& row : rows) width = std::max(width, row.first.size());
  std::string text;
  for (const auto& [left, right] : rows)
    text += "  " + left + std::string(width - left.size() + 2, ' ') + right + "\n";
  return text;
}

}  // namespace

std::string version_text() { return "assay " ASSAY_VERSION "\n"; }

std::string_view exit_status_text() {
  return "0: clean (explain: something was explained); 1: findings (explain: nothing known, or "
         "the root cause is not in the excerpt); 2: no answer could be given, and the message says "
         "why. Only warnings or undecided rules: 0, with --strict 1. "
         "`run` exits with "
         "the status of its command, 125 where a rule refuses it, 126 or 127 where it cannot be "
         "executed.";
}

std::string program_help(const std::vector<Verb>& verbs) {
  std::string text =
      "Tests launch configurations and error logs of LLM serving engines against what is known.\n\n"
      "Usage: assay VERB [OPTION...]\n\nVerbs:\n";
  std::vector<std::pair<std::string, std::string>> rows;
  for (const Verb& verb : verbs)
    if (!verb.is_hidden) rows.emplace_back(verb.name, verb.summary);
  text += two_columns(rows);
  text += "\nOptions:\n";
  CommonOptions common;
  rows.clear();
  for (const Option& option : common_option_table(common))
    rows.emplace_back(spelling(option), std::string(option.help));
  text += two_columns(rows);
  return text + "\n`assay VERB --help` describes a verb.\n";
}

std::string usage_line(const Verb& verb, const Syntax& syntax) {
  std::string text = "assay " + std::string(verb.name) + " [OPTION...]";
  const std::string command = " -- COMMAND...";
  if (!syntax.operands) return text + (syntax.takes_command ? command : "");
  std::string operands = " [" + std::string(syntax.operands->placeholder);
  operands += syntax.operands->at_most == 1 ? "]" : "...]";
  if (!syntax.takes_command) return text + operands;
  return text + command + "\n       " + text + operands;
}

std::string verb_help(const Verb& verb, const Syntax& syntax) {
  std::string text = std::string(verb.summary) + ".\n\nUsage: " + usage_line(verb, syntax) + "\n";
  if (syntax.operands)
    text += "\n  " + std::string(syntax.operands->placeholder) + "  " +
            std::string(syntax.operands->help) + "\n";
  text += "\nOptions:\n";
  std::vector<std::pair<std::string, std::string>> rows;
  for (const Option& option : syntax.options) {
    std::string help(option.help);
    if (!option.choices.empty() && help.find(option.choices.back()) == std::string::npos) {
      help += " (";
      for (const std::string_view choice : option.choices)
        help += (choice == option.choices.front() ? "" : ", ") + std::string(choice);
      help += ")";
    }
    rows.emplace_back(spelling(option), std::move(help));
  }
  text += two_columns(rows);
  if (!syntax.examples.empty()) {
    text += "\nExamples:\n";
    for (const std::string_view example : syntax.examples)
      text += "  " + std::string(example) + "\n";
  }
  return text;
}

}  // namespace assay::cli
