// `assay run`: in front of a launch, so that one that would be refused is refused at once, and one
// that fails is explained.
#include <string>
#include <vector>

#include "engine/evaluate/explanation.h"
#include "engine/evaluate/usable_matcher.h"
#include "engine/read/dataset_reader.h"
#include "engine/report/text_report.h"
#include "tools/cli/child_process.h"
#include "tools/cli/command.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/knowledge_location.h"
#include "tools/cli/launch_check.h"

namespace assay::cli {
namespace {

constexpr std::size_t kTailBytes = 4u << 20;  // a crash of 128 ranks prints some 20 KiB each

class RunCommand final : public Command {
 public:
  Syntax syntax() override {
    Syntax syntax;
    syntax.options = settings_.table();
    std::erase_if(syntax.options, [](const Option& option) { return option.name == "input"; });
    syntax.takes_command = true;
    syntax.description =
        "Checks the command first. With findings it is not started: they are printed, and the exit "
        "status is 125. "
        "Otherwise it runs with its output passed through and signals passed on, its exit status "
        "is kept, and if it fails "
        "the errors at the end of its output are explained on standard error.";
    syntax.examples = {"assay run -- python -m sglang.launch_server --model-path MODEL --tp 8"};
    return syntax;
  }

  int run(Session& session) override {
    if (!session.command || session.command->empty())
      return usage_fault(session, "no command to run",
                         "write it after `--`: assay run -- COMMAND...");
    const auto outcome = check_launches(settings_, {}, session);
    if (!outcome) return kRefused;
    session.console.show(outcome->warnings, session.sources);
    if (outcome->has_violations() || (settings_.strict && outcome->has_warnings())) {
      const std::string report = report_text(settings_, *outcome, session,
                                             session.console.text_options(settings_.verbose));
      if (is_whole(outcome->knowledge, session)) session.console.write(report);
      return kRefused;
    }
    if (!is_whole(outcome->knowledge, session)) return kRefused;
    if (!session.console.finish()) return kRefused;

    int status = 0;
    const Result<ChildOutcome> child = run_child(*session.command, kTailBytes, status);
    if (!child) session.console.show(child.error(), session.sources);
    if (child && status != 0) explain_tail(*outcome, *child, session);
    return status;
  }

 private:
  static void explain_tail(const CheckOutcome& outcome, const ChildOutcome& child,
                           Session& session) {
    Dataset read;
    Diagnostics unshown;
    const bool is_bundled = outcome.knowledge.bundle != nullptr;
    if (!is_bundled) {
      if (!session.files.is_folder(outcome.folder.dataset)) return;
      Result<Dataset> dataset =
          read_usable_records(session.sources, session.files, outcome.folder.dataset, unshown);
      if (!dataset) {
        session.console.show(dataset.error(), session.sources);
        return;
      }
      read = std::move(*dataset);
    }
    const Result<MessageMatcher> matcher =
        is_bundled ? MessageMatcher::open(outcome.knowledge.dataset, *outcome.knowledge.bundle)
                   : compile_usable_matcher(read, unshown);
    const Dataset& dataset = is_bundled ? outcome.knowledge.dataset : read;
    if (!matcher) {
      session.console.show(matcher.error(), session.sources);
      return;
    }
    const SimilarRecords similar(dataset);
    const Explanation explanation = explain_text(*matcher, "the end of its output",
                                                 child.output_tail, {&similar, true, nullptr});
    if (is_whole(outcome.knowledge, session) &&
        (explanation.found != CauseFound::nothing || explanation.has_answer()))
      session.console.write_error(
          write_text_explanation(explanation, session.console.error_text_options()));
  }

  CheckSettings settings_;
};

}  // namespace

std::unique_ptr<Command> make_run_command() { return std::make_unique<RunCommand>(); }

}  // namespace assay::cli
