// The program described from its own table of verbs and options: help texts, and the reference in
// the forms that are installed with it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/cli/command.h"
#include "tools/cli/option.h"

namespace assay::cli {

std::string version_text();
std::string program_help(const std::vector<Verb>& verbs);
std::string verb_help(const Verb& verb, const Syntax& syntax);
std::string usage_line(const Verb& verb,
                       const Syntax& syntax);  // "assay explain [OPTION…] [FILE…]"

// What the environment and the exit status mean: one text for help, man page and reference.
std::string_view exit_status_text();

// A verb with what it takes, common options included.
struct VerbReference {
  Verb verb;
  Syntax syntax;
};

std::string markdown_reference(const std::vector<VerbReference>& verbs);
std::string man_page(const std::vector<VerbReference>& verbs);
std::string bash_completion(const std::vector<VerbReference>& verbs);
std::string zsh_completion(const std::vector<VerbReference>& verbs);
std::string fish_completion(const std::vector<VerbReference>& verbs);

}  // namespace assay::cli
