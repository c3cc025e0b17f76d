// The command line `assay`: the list of its verbs, and what happens around every one of them.
#include <string>
#include <vector>

#include "tools/cli/command.h"
#include "tools/cli/command_line.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/help.h"
#include "tools/cli/program.h"
#include "tools/cli/settings.h"

namespace assay::cli {

std::vector<Verb> all_verbs() {
  return {
      {"check", "Show every rule a launch breaks, and repairs", make_check_command},
      {"run", "Check a launch, run it, explain its failure", make_run_command},
      {"explain", "Explain the errors in a log, or a known error", make_explain_command},
      {"docs", "Write the documentation site", make_docs_command},
      {"serve", "Serve the site, and answers, over HTTP", make_serve_command},
      {"lint", "Show everything wrong with rules and records", make_lint_command},
      {"test", "Run the examples in rules and records", make_test_command},
      {"contract", "Show everything wrong with a kernel call", make_contract_command},
      {"pack", "Compile all knowledge into one file", make_pack_command},
      {"eval", "Evaluate an expression of the rule language", make_eval_command},
      {"reference", "Print the reference of this program", make_reference_command, true},
  };
}

namespace {

int run_program(Session& session, const std::vector<std::string>& arguments) {
  const std::vector<Verb> verbs = all_verbs();
  session.console.set_color(std::nullopt);
  Invocation invocation;
  if (Diagnostics faults = find_verb(arguments, verbs, invocation); !faults.empty()) {
    session.console.show(faults, session.sources);
    return kNoAnswer;
  }
  if (invocation.verb == nullptr) {
    session.console.write(invocation.wants_version ? version_text() : program_help(verbs));
    return kClean;
  }
  const std::unique_ptr<Command> command = invocation.verb->make();
  Syntax syntax = command->syntax();
  for (Option& option : common_option_table(session.common)) syntax.options.push_back(option);

  Diagnostics faults = parse_arguments(invocation, syntax, session.command);
  if (session.common.help || session.common.version) {
    session.console.write(session.common.help ? verb_help(*invocation.verb, syntax)
                                              : version_text());
    return kClean;
  }
  if (faults.empty()) faults = apply_settings(syntax.options, verbs, session);
  session.console.set_color(session.common.color);
  if (!faults.empty()) {
    session.console.show(faults, session.sources);
    return kNoAnswer;
  }
  return command->run(session);
}

}  // namespace
}  // namespace assay::cli

int main(int argc, char** argv) {
  return assay::cli::run_main(argc, argv, assay::cli::run_program);
}
