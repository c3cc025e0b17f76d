// `assay explain`: what the errors in a log mean and what to do, or what is known of one error by
// its id or slug.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "engine/evaluate/explanation.h"
#include "engine/report/json_report.h"
#include "engine/report/record_json.h"
#include "engine/report/text_report.h"
#include "engine/text/diagnostic_rendering.h"
#include "tools/cli/command.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/knowledge_location.h"
#include "tools/cli/log_explainer.h"

namespace assay::cli {
namespace {

constexpr int kInterrupted = kSignalBase + 2;  // as shells say it

// Ids are hexadecimal: their letters may come in either case.
const ErrorRecord* find_record(const Dataset& dataset, const std::string& name) {
  std::string id = name;
  std::transform(id.begin(), id.end(), id.begin(),
                 [](char c) { return c >= 'A' && c <= 'F' ? static_cast<char>(c + 32) : c; });
  if (const ErrorRecord* record = dataset.find(id)) return record;
  const auto found = std::find_if(dataset.records.begin(), dataset.records.end(),
                                  [&](const ErrorRecord& record) { return record.slug == name; });
  return found == dataset.records.end() ? nullptr : &*found;
}

Diagnostic neither_file_nor_record(const std::string& name, const Dataset& dataset) {
  std::vector<std::string_view> known;
  for (const ErrorRecord& record : dataset.records) {
    known.push_back(record.slug);
    known.push_back(record.id);
  }
  const std::string_view close = closest_name(name, known);
  return make_error(code::unreadable_file, {},
                    "`" + name + "` is neither a file nor the id or slug of a known error",
                    close.empty() ? "" : "did you mean `" + std::string(close) + "`?");
}

class ExplainCommand final : public Command {
 public:
  Syntax syntax() override {
    Syntax syntax;
    syntax.options = {
        {.name = "format",
         .target = &format_,
         .placeholder = "FORMAT",
         .help = "How the answer is written",
         .choices = {"text", "json"}},
        {.name = "follow",
         .target = &follow_,
         .placeholder = "",
         .help = "Wait for more at the end of the log, print each error at once",
         .is_setting = false},
        {.name = "verbose",
         .target = &verbose_,
         .placeholder = "",
         .help = "Say more of each error"},
    };
    syntax.operands = Operands{
        "FILE|FOLDER|ID|SLUG",
        "Logs, folders of logs, or known errors; without any, or for -, standard input", &names_};
    syntax.description =
        "Finds the known errors in logs and explains them, the likely cause first. A name that is "
        "a file is read as one, of a folder every file in it; "
        "otherwise it is the id or the slug of a known error.\n\n"
        "A log may be of any size, in UTF-8 or UTF-16, plain or compressed with gzip or zstd. Its "
        "lines may stand behind the prefixes of docker, compose, Kubernetes, journald, stern, Ray "
        "or MPI, with colours, or in JSON records. Interrupted, what was found so far is "
        "explained. "
        "A log that cannot be read, or only in part, does not keep the others from being "
        "explained; "
        "the exit status is then 2.";
    syntax.examples = {
        "python -m sglang.launch_server ... 2>&1 | assay explain",
        "assay explain server.log",
        "assay explain --follow server.log",
        "assay explain /var/log/pods",
        "assay explain 50f82a4b5a705b9a",
    };
    return syntax;
  }

  int run(Session& session) override {
    const std::optional<Knowledge> knowledge = open_knowledge(session, KnowledgeParts::records);
    if (!knowledge) return kNoAnswer;
    if (names_.empty()) names_.emplace_back("-");
    if (follow_ && names_.size() > 1)
      return usage_fault(session, "--follow takes one log, not " + std::to_string(names_.size()));
    std::vector<const ErrorRecord*> records;
    std::vector<std::string> logs;
    Diagnostics faults;
    for (const std::string& name : names_) {
      if (name == "-" || session.files.is_file(name) || session.files.is_folder(name))
        logs.push_back(name);
      else if (const ErrorRecord* record = find_record(knowledge->dataset, name))
        records.push_back(record);
      else
        faults.push_back(neither_file_nor_record(name, knowledge->dataset));
    }
    std::vector<Explanation> explanations;
    bool is_interrupted = false;
    if (!logs.empty()) {
      const Result<MessageMatcher> matcher = MessageMatcher::compile(knowledge->dataset);
      if (!matcher) {
        session.console.show(matcher.error(), session.sources);
        return kNoAnswer;
      }
      LogExplainer explainer(*matcher, session, follow_);
      for (const std::string& log : logs)
        if (!explainer.was_interrupted()) explainer.explain(log);
      faults.insert(faults.end(), explainer.faults().begin(), explainer.faults().end());
      explanations = explainer.take_explanations();
      is_interrupted = explainer.was_interrupted();
    }
    print(knowledge->dataset, records, explanations, session);
    session.console.show(faults, session.sources);
    return exit_status(faults, is_interrupted, !records.empty(), explanations);
  }

 private:
  static int exit_status(const Diagnostics& faults, bool is_interrupted, bool has_records,
                         const std::vector<Explanation>& explanations) {
    if (is_interrupted) return kInterrupted;
    const bool is_faulty = std::any_of(faults.begin(), faults.end(), [](const Diagnostic& fault) {
      return fault.severity == Severity::error;
    });
    if (is_faulty) return kNoAnswer;
    const bool is_explained =
        has_records || std::any_of(explanations.begin(), explanations.end(),
                                   [](const Explanation& one) { return !one.errors.empty(); });
    return is_explained ? kClean : kFindings;
  }

  void print(const Dataset& dataset, const std::vector<const ErrorRecord*>& records,
             const std::vector<Explanation>& explanations, Session& session) const {
    if (format_.value_or("text") == "json") {
      for (const ErrorRecord* record : records)
        session.console.write(write_record_envelope(*record, dataset.version) + "\n");
      if (!explanations.empty()) session.console.write(write_json_explanations(explanations));
      return;
    }
    const TextOptions options = session.console.text_options(verbose_);
    for (const ErrorRecord* record : records)
      session.console.write(write_text_record(*record, options));
    for (const Explanation& explanation : explanations)
      session.console.write(write_text_explanation(explanation, options));
  }

  std::vector<std::string> names_;
  std::optional<std::string> format_;
  bool follow_ = false;
  bool verbose_ = false;
};

}  // namespace

std::unique_ptr<Command> make_explain_command() { return std::make_unique<ExplainCommand>(); }

}  // namespace assay::cli
