// `assay check`: what is wrong with a launch, and what would be right.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tools/cli/command.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/knowledge_location.h"
#include "tools/cli/launch_check.h"

namespace assay::cli {
namespace {

// The text of `source` with each launch in it that has a repair replaced by its repaired form.
std::string repaired_source(const CheckOutcome& outcome, SourceId source, const Session& session) {
  std::string text(session.sources.get(source).text());
  std::vector<const CheckedLaunch*> from_the_end;
  for (const CheckedLaunch& one : outcome.checked)
    if (one.launch->span.source == source && !one.report.repairs.empty())
      from_the_end.push_back(&one);
  std::sort(from_the_end.begin(), from_the_end.end(), [](const auto* a, const auto* b) {
    return a->launch->span.begin > b->launch->span.begin;
  });
  for (const CheckedLaunch* one : from_the_end) {
    const std::string& command = one->report.repairs.front().command;
    if (one->launch->form == LaunchForm::dump) return command;  // nothing there can be edited
    const Span span = one->launch->span;
    text.replace(span.begin, span.end - span.begin, command);
  }
  return text;
}

class CheckCommand final : public Command {
 public:
  Syntax syntax() override {
    Syntax syntax;
    syntax.options = settings_.table();
    syntax.options.push_back(
        {.name = "fix",
         .target = &fix_,
         .placeholder = "",
         .help = "Print the input with its launches repaired, the findings on standard error"});
    syntax.operands = Operands{"FILE",
                               "A shell script, map of arguments, manifest, log or /server_info "
                               "answer; - is standard input",
                               &files_};
    syntax.takes_command = true;
    syntax.description =
        "Shows every rule that a launch breaks, in the order in which the engine checks them, with "
        "the values that were "
        "read and where each came from, and the smallest changes that leave no rule broken. What "
        "an input is, is recognised "
        "from its content.";
    syntax.examples = {
        "assay check --gpu H200x8 -- python -m sglang.launch_server --model-path MODEL --tp 8",
        "assay check --format sarif deployment.yaml > findings.sarif",
        "assay check --fix launch.sh > repaired.sh",
    };
    return syntax;
  }

  int run(Session& session) override {
    if (!session.command && files_.empty())
      return usage_fault(session, "nothing to check",
                         "name a file, `-` for standard input, or write `-- COMMAND...`");
    if (session.command && session.command->empty())
      return usage_fault(session, "no command after `--`");
    const auto outcome = check_launches(settings_, files_, session);
    if (!outcome) return kNoAnswer;
    session.console.show(outcome->warnings, session.sources);
    const std::string report = report_text(settings_, *outcome, session,
                                           fix_ ? session.console.error_text_options()
                                                : session.console.text_options(settings_.verbose));
    if (!is_whole(outcome->knowledge, session)) return kNoAnswer;
    if (fix_)
      print_repaired(*outcome, report, session);
    else
      session.console.write(report);
    if (outcome->has_violations() || (settings_.strict && outcome->has_warnings()))
      return kFindings;
    return kClean;
  }

 private:
  // A launch without a repair is printed as it is: whoever writes the output to a file gets no
  // empty one, and the findings and the exit status say that it is not repaired.
  static void print_repaired(const CheckOutcome& outcome, const std::string& report,
                             Session& session) {
    std::vector<SourceId> sources;
    std::size_t unrepaired = 0;
    for (const CheckedLaunch& one : outcome.checked) {
      if (one.report.has_violations() && one.report.repairs.empty()) ++unrepaired;
      const SourceId source = one.launch->span.source;
      if (std::find(sources.begin(), sources.end(), source) == sources.end())
        sources.push_back(source);
    }
    if (outcome.has_violations()) session.console.write_error(report);
    if (unrepaired > 0)
      session.console.write_error(
          fmt::format("launches without a repair, printed as they were: {}\n", unrepaired));
    for (const SourceId source : sources) {
      std::string text = repaired_source(outcome, source, session);
      if (!text.ends_with('\n')) text += '\n';
      session.console.write(text);
    }
  }

  CheckSettings settings_;
  std::vector<std::string> files_;
  bool fix_ = false;
};

}  // namespace

std::unique_ptr<Command> make_check_command() { return std::make_unique<CheckCommand>(); }

}  // namespace assay::cli
