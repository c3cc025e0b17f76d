// `assay docs`: the documentation site, as files.
#include <optional>
#include <string>
#include <vector>

#include "engine/evaluate/knowledge_bundle.h"
#include "engine/report/site_writer.h"
#include "tools/cli/command.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/knowledge_location.h"

namespace assay::cli {
namespace {

class DocsCommand final : public Command {
 public:
  Syntax syntax() override {
    Syntax syntax;
    syntax.options = {
        {.name = "out",
         .target = &out_,
         .placeholder = "DIR",
         .help = "Folder for the site; an old one is replaced in one step",
         .is_path = true},
        {.name = "source-root",
         .target = &source_root_,
         .placeholder = "DIR",
         .help = "Checkout of the engine that source excerpts are taken from",
         .is_path = true},
        {.name = "issues-url",
         .target = &issues_url_,
         .placeholder = "URL",
         .help = "Where readers of the site report faults in it"},
    };
    syntax.description =
        "Writes a page for each error record, rule and kernel contract (HTML, and Markdown beside "
        "it), an "
        "index, and "
        "api/errors/<id>.json.";
    syntax.examples = {"assay docs --out site"};
    return syntax;
  }

  int run(Session& session) override {
    if (!out_)
      return usage_fault(session, "`--out` is missing", "name the folder for the site: --out site");
    const std::optional<Knowledge> knowledge = open_knowledge(session);
    if (!knowledge) return kNoAnswer;
    read_all(*knowledge, session.sources);
    if (!is_whole(*knowledge, session)) return kNoAnswer;
    const std::vector<const RulePack*> packs = knowledge->rule_packs();
    std::vector<const TensorContract*> contracts;
    for (const CompiledContract& contract : knowledge->contracts)
      contracts.push_back(&contract.source);
    const Result<SiteSummary> written =
        write_site({packs, contracts, &knowledge->dataset, source_root_.value_or(""),
                    &session.files, issues_url_.value_or("")},
                   *out_);
    if (!written) {
      session.console.show(written.error(), session.sources);
      return kNoAnswer;
    }
    session.console.write("wrote " + counted(written->files, "file") + " for " +
                          counted(written->records, "record") + ", " +
                          counted(written->rules, "rule") + " and " +
                          counted(written->contracts, "contract") + " to " + *out_ + "\n");
    return kClean;
  }

 private:
  std::optional<std::string> out_;
  std::optional<std::string> source_root_;
  std::optional<std::string> issues_url_;
};

}  // namespace

std::unique_ptr<Command> make_docs_command() { return std::make_unique<DocsCommand>(); }

}  // namespace assay::cli
