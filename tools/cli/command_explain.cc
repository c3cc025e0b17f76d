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
#include "engine/text/utf16.h"
#include "tools/cli/command.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/knowledge_location.h"

namespace assay::cli {
namespace {

constexpr std::size_t kMaxLogBytes = 2u << 30;

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
        {.name = "verbose",
         .target = &verbose_,
         .placeholder = "",
         .help = "Say more of each error"},
    };
    syntax.operands = Operands{
        "FILE|ID|SLUG", "Logs, or known errors; without any, or for -, standard input", &names_};
    syntax.description =
        "Finds the known errors in logs and explains them, the likely cause first. A name that is "
        "a file is read as one; "
        "otherwise it is the id or the slug of a known error.";
    syntax.examples = {
        "python -m sglang.launch_server ... 2>&1 | assay explain",
        "assay explain server.log",
        "assay explain 50f82a4b5a705b9a",
    };
    return syntax;
  }

  int run(Session& session) override {
    const std::optional<Knowledge> knowledge =
        open_knowledge(session, KnowledgeParts::without_contracts);
    if (!knowledge) return kNoAnswer;
    if (names_.empty()) names_.emplace_back("-");
    std::vector<const ErrorRecord*> records;
    std::vector<Explanation> explanations;
    Diagnostics faults = answer(*knowledge, session, records, explanations);
    if (!is_whole(*knowledge, session)) return kNoAnswer;
    if (!faults.empty()) {
      session.console.show(faults, session.sources);
      return kNoAnswer;
    }
    const bool is_explained =
        !records.empty() || std::any_of(explanations.begin(), explanations.end(),
                                        [](const Explanation& one) { return !one.errors.empty(); });
    print(knowledge->dataset, records, explanations, session);
    return is_explained ? kClean : kFindings;
  }

 private:
  Diagnostics answer(const Knowledge& knowledge, Session& session,
                     std::vector<const ErrorRecord*>& records,
                     std::vector<Explanation>& explanations) const {
    Diagnostics faults;
    std::optional<MessageMatcher> matcher;
    for (const std::string& name : names_) {
      const bool is_text =
          name == "-" || session.files.is_file(name) || session.files.is_folder(name);
      if (!is_text) {
        if (const ErrorRecord* record = find_record(knowledge.dataset, name))
          records.push_back(record);
        else
          faults.push_back(neither_file_nor_record(name, knowledge.dataset));
        continue;
      }
      Result<std::string> text = name == "-" ? read_standard_input(kMaxLogBytes)
                                             : session.files.read_file(name, kMaxLogBytes);
      if (!text) {
        faults.insert(faults.end(), text.error().begin(), text.error().end());
        continue;
      }
      if (!matcher) {
        Result<MessageMatcher> compiled = MessageMatcher::compile(knowledge.dataset);
        if (!compiled) return compiled.error();
        matcher.emplace(std::move(*compiled));
      }
      const std::string log = decode_utf16(std::move(*text));
      explanations.push_back(explain_text(*matcher, name == "-" ? "<stdin>" : name, log));
    }
    return faults;
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
  bool verbose_ = false;
};

}  // namespace

std::unique_ptr<Command> make_explain_command() { return std::make_unique<ExplainCommand>(); }

}  // namespace assay::cli
