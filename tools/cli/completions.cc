// Completions for bash, zsh and fish: verbs, then the options of the verb, their choices, and files
// where paths are taken. Each script is made of a case a verb and a case an option, so that reading
// it needs no program of ours.
#include <set>

#include "tools/cli/help.h"

namespace assay::cli {
namespace {

std::string shell_quoted(std::string_view text) {  // for the shell, inside '...'
  std::string escaped;
  for (const char c : text) escaped += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return escaped;
}

std::string words(const std::vector<std::string_view>& all) {
  std::string text;
  for (const std::string_view word : all) text += (text.empty() ? "" : " ") + std::string(word);
  return text;
}

std::string verb_words(const std::vector<VerbReference>& verbs) {
  std::vector<std::string_view> names;
  for (const VerbReference& entry : verbs)
    if (!entry.verb.is_hidden) names.push_back(entry.verb.name);
  return words(names);
}

}  // namespace

std::string bash_completion(const std::vector<VerbReference>& verbs) {
  std::string text =
      "# bash completion for assay\n_assay() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} verb= i\n"
      "  COMPREPLY=()\n"
      "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
      "    [[ ${COMP_WORDS[i]} == -- ]] && return\n"
      "    [[ -z $verb && ${COMP_WORDS[i]} != -* ]] && verb=${COMP_WORDS[i]}\n  done\n"
      "  case $before in\n";
  std::set<std::string_view> seen;
  for (const VerbReference& entry : verbs) {
    for (const Option& option : entry.syntax.options) {
      if (option.placeholder.empty() || !seen.insert(option.name).second) continue;
      text += "    --" + std::string(option.name) + ") ";
      if (!option.choices.empty()) {
        text +=
            "mapfile -t COMPREPLY < <(compgen -W '" + words(option.choices) + "' -- \"$word\"); ";
      } else if (option.is_path) {
        text += "mapfile -t COMPREPLY < <(compgen -f -- \"$word\"); ";
      }
      text += "return ;;\n";
    }
  }
  text += "  esac\n  local options=\n  case $verb in\n    '') options='" + verb_words(verbs) +
          " --help --version' ;;\n";
  for (const VerbReference& entry : verbs) {
    if (entry.verb.is_hidden) continue;
    text += "    " + std::string(entry.verb.name) + ") options='";
    for (const Option& option : entry.syntax.options) text += "--" + std::string(option.name) + " ";
    text.back() = '\'';
    text += " ;;\n";
  }
  text +=
      "  esac\n"
      "  if [[ -z $verb || $word == -* ]]; then\n"
      "    mapfile -t COMPREPLY < <(compgen -W \"$options\" -- \"$word\")\n"
      "  else\n    mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n  fi\n"
      "}\ncomplete -o filenames -F _assay assay\n";
  return text;
}

std::string zsh_completion(const std::vector<VerbReference>& verbs) {
  std::string text =
      "#compdef assay\n_assay() {\n  local -a verbs\n  local verb=${words[2]}\n"
      "  if (( CURRENT == 2 )); then\n    verbs=(\n";
  for (const VerbReference& entry : verbs)
    if (!entry.verb.is_hidden)
      text +=
          "      '" + std::string(entry.verb.name) + ":" + shell_quoted(entry.verb.summary) + "'\n";
  text +=
      "    )\n    _describe verb verbs\n    return\n  fi\n"
      "  (( CURRENT-- ))\n  shift words\n  case $verb in\n";
  for (const VerbReference& entry : verbs) {
    if (entry.verb.is_hidden) continue;
    text += "    " + std::string(entry.verb.name) + ")\n      _arguments \\\n";
    for (const Option& option : entry.syntax.options) {
      std::string help;
      for (const char c : option.help) {
        if (c == '[' || c == ']' || c == ':' || c == '\\') help += '\\';
        help += c;
      }
      text += "        '*--" + std::string(option.name) + "[" + shell_quoted(help) + "]";
      if (!option.placeholder.empty()) {
        text += ":" + std::string(option.placeholder) + ":";
        if (!option.choices.empty()) text += "(" + words(option.choices) + ")";
        if (option.is_path) text += "_files";
      }
      text += "' \\\n";
    }
    text += "        '*:file:_files' ;;\n";
  }
  return text + "  esac\n}\n_assay \"$@\"\n";
}

std::string fish_completion(const std::vector<VerbReference>& verbs) {
  std::string text = "# fish completion for assay\n";
  for (const VerbReference& entry : verbs) {
    if (entry.verb.is_hidden) continue;
    const std::string name(entry.verb.name);
    text += "complete -c assay -f -n __fish_use_subcommand -a " + name + " -d '" +
            shell_quoted(entry.verb.summary) + "'\n";
    for (const Option& option : entry.syntax.options) {
      text += "complete -c assay -n '__fish_seen_subcommand_from " + name + "' -l " +
              std::string(option.name);
      if (!option.choices.empty()) {
        text += " -x -a '" + words(option.choices) + "'";
      } else if (!option.placeholder.empty()) {
        text += option.is_path ? " -r -F" : " -x";
      }
      text += " -d '" + shell_quoted(option.help) + "'\n";
    }
  }
  return text;
}

}  // namespace assay::cli
