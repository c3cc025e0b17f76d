// `assay explain`: which error of a log is the root cause, what it means and what to do; or what is
// known of one error by its id or slug, or of one rule by its id. Rules are loaded only when a rule
// is asked for or a log shows a launch: most logs are answered without them.
#include <algorithm>
#include <chrono>
#include <ctime>
#include <optional>
#include <string>
#include <vector>

#include "engine/evaluate/explanation.h"
#include "engine/evaluate/log_launches.h"
#include "engine/evaluate/usable_matcher.h"
#include "engine/read/dataset_reader.h"
#include "engine/report/json_report.h"
#include "engine/report/record_json.h"
#include "engine/report/text_report.h"
#include "engine/report/unknown_report.h"
#include "engine/text/diagnostic_rendering.h"
#include "tools/cli/command.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/knowledge_location.h"
#include "tools/cli/log_explainer.h"

namespace assay::cli {
namespace {

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

std::string now_as_text() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc{};
  char text[32];
  gmtime_r(&now, &utc);
  const std::size_t length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S.000Z", &utc);
  return {text, length};
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
         .help = "Explain every error, not only the root cause"},
        {.name = "no-mask",
         .target = &no_mask_,
         .placeholder = "",
         .help = "Print tokens, user names, hosts and addresses of the log as they are"},
        {.name = "unknown",
         .target = &unknown_,
         .placeholder = "",
         .help = "List the errors that no record describes by their shape, with counts"},
        {.name = "draft",
         .target = &draft_,
         .placeholder = "",
         .help = "Write a record skeleton for each unknown error, one a line"},
    };
    syntax.operands = Operands{"FILE|FOLDER|ID|SLUG|RULE",
                               "Logs, folders of logs, or known errors or rules; without any, or "
                               "for -, standard input",
                               &names_};
    syntax.description =
        "Finds the errors in logs and explains the root cause: processes and ranks are told apart, "
        "exception chains followed, and messages that only carry another error never taken for the "
        "cause. A launch that the log shows is checked, and repaired when it breaks a rule. A name "
        "that is a file is read as one, of a folder every file in it; otherwise it is the id or "
        "the slug of a known error, or the id of a rule.\n\n"
        "A log may be of any size, in UTF-8 or UTF-16, plain or compressed with gzip or zstd. Its "
        "lines may stand behind the prefixes of docker, compose, Kubernetes, journald, stern, Ray "
        "or MPI, with colours, or in JSON records. A log that cannot be read, or only in part, "
        "does "
        "not keep the others from being explained.\n\n"
        "The exit status is 0 where something known was explained; 1 where nothing known was found "
        "or the root cause is not in the excerpt; 2 where something could not be read. "
        "Interrupted, what was found so far is explained, and the exit status is 130 after SIGINT, "
        "143 after SIGTERM.";
    syntax.examples = {
        "python -m sglang.launch_server ... 2>&1 | assay explain",
        "assay explain server.log",
        "assay explain --follow server.log",
        "assay explain --unknown /var/log/pods",
        "assay explain 50f82a4b5a705b9a",
    };
    return syntax;
  }

  int run(Session& session) override {
    if (names_.empty()) names_.emplace_back("-");
    if (follow_ && names_.size() > 1)
      return usage_fault(session, "--follow takes one log, not " + std::to_string(names_.size()));
    if (!open_records(session) || !open_matcher(session)) return kNoAnswer;
    Diagnostics faults;
    const int signal = answer(session, faults);
    if (knowledge_ && !is_whole(*knowledge_, session)) return kNoAnswer;
    session.console.show(warnings_, session.sources);
    print(session);
    session.console.show(faults, session.sources);
    if (signal != 0) return kSignalBase + signal;
    return has_errors(faults) ? kNoAnswer : status();
  }

 private:
  bool open_records(Session& session) {
    const Result<KnowledgePlace> place = find_knowledge(session.common.knowledge);
    if (!place) {
      session.console.show(place.error(), session.sources);
      return false;
    }
    Result<std::optional<Knowledge>> bundle = open_bundle_of(*place, session);
    if (!bundle) {
      session.console.show(bundle.error(), session.sources);
      return false;
    }
    if (*bundle) {
      knowledge_ = std::move(**bundle);
      rules_are_open_ = true;
      dataset_ = std::move(knowledge_->dataset);
      return true;
    }
    if (!session.files.is_folder(place->folder.dataset)) {
      if (!open_rules(session)) return false;  // says what is missing
      return true;
    }
    Result<Dataset> dataset =
        read_usable_records(session.sources, session.files, place->folder.dataset, warnings_);
    if (!dataset) {
      session.console.show(dataset.error(), session.sources);
      return false;
    }
    dataset_ = std::move(*dataset);
    return true;
  }

  // Before anything points into the dataset: records with a broken pattern leave it.
  bool open_matcher(Session& session) {
    const bool has_text = std::any_of(names_.begin(), names_.end(), [&](const std::string& name) {
      return is_text(name, session);
    });
    if (!has_text) return true;
    if (knowledge_ && knowledge_->bundle != nullptr) {
      matcher_.emplace(MessageMatcher::open(dataset_, *knowledge_->bundle));
      return true;
    }
    Result<MessageMatcher> compiled = compile_usable_matcher(dataset_, warnings_);
    if (compiled)
      matcher_.emplace(std::move(*compiled));
    else
      session.console.show(compiled.error(), session.sources);
    return matcher_.has_value();
  }

  static bool is_text(const std::string& name, const Session& session) {
    return name == "-" || session.files.is_file(name) || session.files.is_folder(name);
  }

  bool open_rules(Session& session) {
    if (!rules_are_open_) knowledge_ = open_knowledge(session, KnowledgeParts::rules);
    rules_are_open_ = true;
    return knowledge_.has_value();
  }

  // The signal that interrupted it; 0: none.
  int answer(Session& session, Diagnostics& faults) {
    ExplainOptions options;
    options.similar = &similar_;
    options.mask = !no_mask_;
    options.unknown = unknown_ || draft_ ? &mined_ : nullptr;
    std::optional<LogExplainer> explainer;
    const Follow follow = !follow_ ? Follow::no : is_json() ? Follow::as_json : Follow::as_text;
    if (matcher_) explainer.emplace(*matcher_, options, session, follow);
    for (const std::string& name : names_) {
      if (!is_text(name, session))
        append(faults, answer_name(name, session));
      else if (!explainer->was_interrupted())
        explainer->explain(name);
    }
    if (!explainer) return 0;
    append(faults, explainer->faults());
    explanations_ = explainer->take_explanations();
    if (mined_.dropped() > 0)
      warn_of_many(counted(mined_.dropped(), "error") +
                   " of rare kinds not counted: there is no room");
    for (Explanation& explanation : explanations_) finish(explanation, options, session);
    return explainer->interrupting_signal();
  }

  void finish(Explanation& explanation, const ExplainOptions& options, Session& session) {
    if (!explanation.launch_texts.empty() && open_rules(session))
      explain_launches(knowledge_->packs, session.sources, options.mask, explanation);
    if (explanation.left_out > 0)
      warn_of_many("`" + explanation.source + "` has more kinds of unknown errors than are kept: " +
                   counted(explanation.left_out, "line") + " left out");
  }

  void warn_of_many(std::string message) {
    warnings_.push_back({Severity::warning, code::too_many_errors, {}, std::move(message), "", {}});
  }

  bool is_json() const { return format_.value_or("text") == "json"; }

  int status() const {
    if (unknown_ || draft_) return mined_.ranked().empty() ? kClean : kFindings;
    const bool is_explained = !records_.empty() || !rules_.empty() ||
                              std::any_of(explanations_.begin(), explanations_.end(),
                                          [](const Explanation& one) { return one.has_answer(); });
    return is_explained ? kClean : kFindings;
  }

  Diagnostics answer_name(const std::string& name, Session& session) {
    if (const ErrorRecord* record = find_record(dataset_, name)) {
      records_.push_back(record);
      return {};
    }
    if (name.find('/') != std::string::npos && open_rules(session))
      if (const Rule* rule = find_rule(name)) {
        rules_.push_back(rule);
        return {};
      }
    std::vector<std::string_view> known;
    for (const ErrorRecord& record : dataset_.records) {
      known.push_back(record.slug);
      known.push_back(record.id);
    }
    if (knowledge_)
      for (const CompiledPackPtr& pack : knowledge_->packs)
        for (const Rule& rule : source_pack(*pack).rules) known.push_back(rule.id);
    const std::string_view close = closest_name(name, known);
    return {make_error(code::unreadable_file, {},
                       "`" + name +
                           "` is neither a file nor the id or slug of a known error, nor "
                           "the id of a rule",
                       close.empty() ? "" : "did you mean `" + std::string(close) + "`?")};
  }

  const Rule* find_rule(const std::string& id) const {
    for (const CompiledPackPtr& pack : knowledge_->packs)
      for (const Rule& rule : source_pack(*pack).rules)
        if (rule.id == id) return &rule;
    return nullptr;
  }

  void print(Session& session) const {
    const TextOptions options = session.console.text_options(verbose_);
    if (draft_) return session.console.write(write_record_drafts(mined_, now_as_text()));
    if (unknown_)
      return session.console.write(is_json() ? write_json_unknown(mined_)
                                             : write_text_unknown(mined_, options));
    const auto print_record = [&](const ErrorRecord& record) {
      session.console.write(is_json() ? write_record_envelope(record, dataset_.version) + "\n"
                                      : write_text_record(record, options));
    };
    for (const ErrorRecord* record : records_) print_record(*record);
    for (const Rule* rule : rules_) {
      session.console.write(is_json() ? write_json_rule(*rule) : write_text_rule(*rule, options));
      const ErrorRecord* record = dataset_.find(rule->error);
      if (record != nullptr) print_record(*record);
    }
    if (is_json() && !explanations_.empty())
      return session.console.write(write_json_explanations(
          explanations_, follow_ ? JsonWriter::Layout::compact : JsonWriter::Layout::indented));
    for (const Explanation& explanation : explanations_)
      session.console.write(write_text_explanation(explanation, options));
  }

  std::vector<std::string> names_;
  std::optional<std::string> format_;
  bool follow_ = false;
  bool verbose_ = false;
  bool no_mask_ = false;
  bool unknown_ = false;
  bool draft_ = false;

  std::optional<Knowledge> knowledge_;  // the rules; without the records
  Dataset dataset_;                     // of a bundle: looks into the knowledge
  const SimilarRecords similar_{dataset_};
  Diagnostics warnings_;
  bool rules_are_open_ = false;
  std::optional<MessageMatcher> matcher_;
  MessageTemplateMiner mined_;
  std::vector<const ErrorRecord*> records_;
  std::vector<const Rule*> rules_;
  std::vector<Explanation> explanations_;
};

}  // namespace

std::unique_ptr<Command> make_explain_command() { return std::make_unique<ExplainCommand>(); }

}  // namespace assay::cli
