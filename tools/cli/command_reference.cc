// `assay reference FORM` (hidden): the program's description of itself, from which the man page,
// the completions and tools/cli/REFERENCE.md are made.
#include <string>
#include <vector>

#include "tools/cli/command.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/help.h"

namespace assay::cli {
namespace {

class ReferenceCommand final : public Command {
 public:
  Syntax syntax() override {
    Syntax syntax;
    syntax.operands = Operands{"FORM", "markdown, man, bash, zsh or fish", &form_, 1};
    return syntax;
  }

  int run(Session& session) override {
    CommonOptions common;
    std::vector<std::unique_ptr<Command>> commands;  // own what the syntaxes point at
    std::vector<VerbReference> verbs;
    for (const Verb& verb : all_verbs()) {
      commands.push_back(verb.make());
      verbs.push_back({verb, commands.back()->syntax()});
      for (const Option& option : common_option_table(common))
        verbs.back().syntax.options.push_back(option);
    }
    const std::string form = form_.empty() ? "" : form_.front();
    std::string text;
    if (form == "markdown") text = markdown_reference(verbs);
    if (form == "man") text = man_page(verbs);
    if (form == "bash") text = bash_completion(verbs);
    if (form == "zsh") text = zsh_completion(verbs);
    if (form == "fish") text = fish_completion(verbs);
    if (text.empty()) return usage_fault(session, "expected markdown, man, bash, zsh or fish");
    session.console.write(text);
    return kClean;
  }

 private:
  std::vector<std::string> form_;
};

}  // namespace

std::unique_ptr<Command> make_reference_command() { return std::make_unique<ReferenceCommand>(); }

}  // namespace assay::cli
