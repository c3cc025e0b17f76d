// `assay check`: what is wrong with a launch, and what would be right.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "engine/read/launch_rewriter.h"
#include "tools/cli/command.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/knowledge_location.h"
#include "tools/cli/launch_check.h"

namespace assay::cli {
namespace {

// What a repair changes in the text of a source: the bytes between what stays at both ends.
struct Replacement {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string text;
};

Replacement replacement_of(const CheckedLaunch& one, std::string_view source) {
  const Span span = one.launch->span;
  const std::string_view before = source.substr(span.begin, span.end - span.begin);
  std::string_view after = one.report.repairs.front().command;
  const std::size_t shorter = std::min(before.size(), after.size());
  std::size_t head = 0;
  while (head < shorter && before[head] == after[head]) ++head;
  std::size_t tail = 0;
  while (tail < shorter - head &&
         before[before.size() - 1 - tail] == after[after.size() - 1 - tail])
    ++tail;
  return {span.begin + head, span.end - tail,
          std::string(after.substr(head, after.size() - head - tail))};
}

bool is_repaired_in_place(const CheckedLaunch& one) {
  return !one.report.repairs.empty() && one.report.repairs.front().is_in_place;
}

// The text of `source` with each launch in it that has a repair repaired where it stands. Several
// launches may share a span (the commands of one `bash -c`): each changes its own part of it.
std::string repaired_text(const CheckOutcome& outcome, SourceId source, const Session& session,
                          std::size_t& unrepaired) {
  std::string text(session.sources.get(source).text());
  std::vector<Replacement> replacements;
  for (const CheckedLaunch& one : outcome.checked)
    if (one.launch->span.source == source && is_repaired_in_place(one))
      replacements.push_back(replacement_of(one, text));
  std::stable_sort(replacements.begin(), replacements.end(),
                   [](const auto& a, const auto& b) { return a.begin > b.begin; });
  std::size_t untouched = text.size();
  std::vector<Replacement> made;
  for (const Replacement& one : replacements) {
    const bool is_made = std::ranges::any_of(made, [&](const Replacement& other) {
      return other.begin == one.begin && other.end == one.end && other.text == one.text;
    });
    if (is_made) continue;  // in words that several launches share
    if (one.end > untouched) {
      ++unrepaired;
      continue;
    }
    text.replace(one.begin, one.end - one.begin, one.text);
    untouched = one.begin;
    made.push_back(one);
  }
  return text;
}

// Nothing can be edited in a log: the commands that its dumps stand for, repaired, a line each.
std::string dumped_commands(const CheckOutcome& outcome, SourceId source, const Session& session) {
  std::string text;
  for (const CheckedLaunch& one : outcome.checked) {
    if (one.launch->span.source != source) continue;
    const RulePack& pack = source_pack(*outcome.knowledge.find_pack(one.launch->pack));
    text += one.report.repairs.empty() ? rewrite_launch(session.sources, pack, *one.launch, {})
                                       : one.report.repairs.front().command;
    text += '\n';
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
         .help =
             "Print the input with its launches repaired (of a log, the repaired commands), the "
             "findings on standard error"});
    syntax.operands =
        Operands{"FILE",
                 "A shell script, map of arguments, manifest, Dockerfile, systemd unit, log "
                 "or /server_info answer; - is standard input",
                 &files_};
    syntax.takes_command = true;
    syntax.description =
        "Shows every rule that a launch breaks, in the order in which the engine checks them, with "
        "the values that were "
        "read and where each came from, and the smallest changes that leave no rule broken. What "
        "an input is, is recognised "
        "from its content. One that cannot be read does not keep the others from being checked; "
        "the "
        "exit status is then 2.";
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
    if (outcome->has_faults) return kNoAnswer;
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
    std::vector<SourceId> dumps;
    std::size_t unrepaired = 0;
    for (const CheckedLaunch& one : outcome.checked) {
      const bool is_dump = one.launch->form == LaunchForm::dump;
      const bool is_repaired = is_dump ? !one.report.repairs.empty() : is_repaired_in_place(one);
      if (one.report.has_violations() && !is_repaired) ++unrepaired;
      const SourceId source = one.launch->span.source;
      if (std::find(sources.begin(), sources.end(), source) != sources.end()) continue;
      sources.push_back(source);
      if (is_dump) dumps.push_back(source);
    }
    if (outcome.has_violations()) session.console.write_error(report);
    std::vector<std::string> texts;
    for (const SourceId source : sources) {
      const bool is_dump = std::find(dumps.begin(), dumps.end(), source) != dumps.end();
      texts.push_back(is_dump ? dumped_commands(outcome, source, session)
                              : repaired_text(outcome, source, session, unrepaired));
    }
    if (unrepaired > 0)
      session.console.write_error(fmt::format(
          "launches without a repair in place, printed as they were: {}\n", unrepaired));
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (!texts[i].ends_with('\n')) texts[i] += '\n';
      // A comment in every form that is read but JSON.
      if (texts.size() > 1)
        session.console.write(fmt::format("{}# ==> {} <==\n", i == 0 ? "" : "\n",
                                          session.sources.get(sources[i]).name()));
      session.console.write(texts[i]);
    }
  }

  CheckSettings settings_;
  std::vector<std::string> files_;
  bool fix_ = false;
};

}  // namespace

std::unique_ptr<Command> make_check_command() { return std::make_unique<CheckCommand>(); }

}  // namespace assay::cli
