// The reference as Markdown and as a man page (man(7) macros).
#include "tools/cli/help.h"
#include "tools/cli/settings.h"

namespace assay::cli {
namespace {

std::string choices_text(const Option& option) {
  std::string text;
  for (const std::string_view choice : option.choices)
    text += (text.empty() ? "" : ", ") + std::string(choice);
  return text;
}

// A backslash, and a dot or quote that begins a line, mean something to troff; a plain "-" may
// become a hyphen.
std::string troff(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    const bool begins_line = escaped.empty() || escaped.back() == '\n';
    if (begins_line && (c == '.' || c == '\'')) escaped += "\\&";
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string markdown_cell(std::string_view text) {
  std::string escaped;
  for (const char c : text) escaped += c == '|' ? std::string("\\|") : std::string(1, c);
  return escaped;
}

}  // namespace

std::string markdown_reference(const std::vector<VerbReference>& verbs) {
  std::string text =
      "# The command line\n\n"
      "Written by `assay reference markdown`; `tools/check` compares it with the program.\n\n"
      "An option that nobody typed is taken from the environment (`ASSAY_GPU` for `--gpu`; lists "
      "are separated by\n"
      "blanks), else from the file `assay.yaml` in this folder or the nearest one above it (keys "
      "are the options'\n"
      "names; paths are relative to the file).\n\n## Exit status\n\n";
  text += std::string(exit_status_text()) + "\n";
  for (const VerbReference& entry : verbs) {
    if (entry.verb.is_hidden) continue;
    text += "\n## assay " + std::string(entry.verb.name) + "\n\n" +
            std::string(entry.verb.summary) + ".\n\n```\n" + usage_line(entry.verb, entry.syntax) +
            "\n```\n\n";
    if (!entry.syntax.description.empty()) text += std::string(entry.syntax.description) + "\n\n";
    text += "| option | meaning | environment |\n|---|---|---|\n";
    for (const Option& option : entry.syntax.options) {
      text += "| `--" + std::string(option.name);
      if (!option.placeholder.empty()) text += " " + std::string(option.placeholder);
      text += "` | " + markdown_cell(option.help);
      if (!option.choices.empty()) text += " (" + choices_text(option) + ")";
      text += " | ";
      if (option.is_setting) text += "`" + environment_name(option.name) + "`";
      text += " |\n";
    }
    if (!entry.syntax.examples.empty()) {
      text += "\n```bash\n";
      for (const std::string_view example : entry.syntax.examples)
        text += std::string(example) + "\n";
      text += "```\n";
    }
  }
  return text;
}

std::string man_page(const std::vector<VerbReference>& verbs) {
  std::string text =
      ".TH ASSAY 1 \"\" \"assay " ASSAY_VERSION
      "\" \"User Commands\"\n"
      ".SH NAME\nassay \\- test launch configurations and error logs of LLM serving engines\n"
      ".SH SYNOPSIS\n.B assay\n.I VERB\n[\\fIOPTION\\fR...]\n.SH DESCRIPTION\n"
      "Tests a launch command or an error log against what is known of the serving engine.\n";
  for (const VerbReference& entry : verbs) {
    if (entry.verb.is_hidden) continue;
    text += ".SH ASSAY " + troff(entry.verb.name) + "\n.nf\n" +
            troff(usage_line(entry.verb, entry.syntax)) + "\n.fi\n.PP\n" +
            troff(entry.verb.summary) + ".\n";
    if (!entry.syntax.description.empty()) text += ".PP\n" + troff(entry.syntax.description) + "\n";
    for (const Option& option : entry.syntax.options) {
      text += ".TP\n\\fB\\-\\-" + troff(option.name) + "\\fR";
      if (!option.placeholder.empty()) text += " \\fI" + troff(option.placeholder) + "\\fR";
      text += "\n" + troff(option.help);
      if (!option.choices.empty()) text += troff(" (" + choices_text(option) + ")");
      text += ".\n";
    }
    if (!entry.syntax.examples.empty()) {
      text += ".PP\nExamples:\n.nf\n";
      for (const std::string_view example : entry.syntax.examples) text += troff(example) + "\n";
      text += ".fi\n";
    }
  }
  text += ".SH EXIT STATUS\n" + troff(exit_status_text()) + "\n";
  text +=
      ".SH ENVIRONMENT\nAn option that nobody typed is taken from the variable\n.B "
      "ASSAY_\\fIOPTION\\fR\n"
      "(capital letters, underscores), else from the file\n.I assay.yaml\nin this folder or the "
      "nearest one above it.\n"
      ".SH SEE ALSO\nThe pack format is described in the file rules/FORMAT.md that is installed "
      "with the program.\n";
  return text;
}

}  // namespace assay::cli
