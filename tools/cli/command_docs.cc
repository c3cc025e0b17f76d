// `assay docs`: the documentation site, as files.
#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "engine/evaluate/knowledge_bundle.h"
#include "engine/evaluate/knowledge_tables.h"
#include "engine/evaluate/support_matrix.h"
#include "engine/read/retirement_reader.h"
#include "engine/report/site_writer.h"
#include "tools/cli/command.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/knowledge_location.h"
#include "tools/cli/progress_line.h"

namespace assay::cli {
namespace {

// Addresses have other files below them.
std::string with_slash(std::string address) {
  if (!address.empty() && !address.ends_with('/')) address += '/';
  return address;
}

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
        {.name = "check",
         .target = &check_,
         .placeholder = "",
         .help = "Write nothing; exit status 1 says that the folder is not what it would be",
         .is_setting = false},
        {.name = "since",
         .target = &since_,
         .placeholder = "PATH",
         .help = "An older knowledge folder or bundle, for a page that says what changed",
         .is_path = true,
         .is_setting = false},
        {.name = "base-url",
         .target = &base_url_,
         .placeholder = "URL",
         .help = "Where the site will be; needed for sitemap.xml and absolute addresses"},
        {.name = "edit-url",
         .target = &edit_url_,
         .placeholder = "URL",
         .help = "Where rules/ and dataset/ are edited, for a link on each page"},
        {.name = "issues-url",
         .target = &issues_url_,
         .placeholder = "URL",
         .help = "Where readers of the site report faults in it"},
        {.name = "source-root",
         .target = &source_root_,
         .placeholder = "DIR",
         .help = "Checkout of the engine that source excerpts are taken from",
         .is_path = true},
    };
    syntax.description =
        "Writes the documentation site: a page (HTML, and Markdown beside it) for each error "
        "record, rule, kernel contract, argument, background cause, tag, source file, area and "
        "release, support matrices computed by running the rules, and api/ with the same as JSON. "
        "Files that do not change are not written again.";
    syntax.examples = {"assay docs --out site", "assay docs --out site --check",
                       "assay docs --out site --base-url https://example.org/assay/"};
    return syntax;
  }

  int run(Session& session) override {
    if (!out_)
      return usage_fault(session, "`--out` is missing", "name the folder for the site: --out site");
    const std::optional<Knowledge> knowledge = open(session);
    if (!knowledge) return kNoAnswer;
    const Result<SiteSummary> summary = write(*knowledge, session);
    if (!summary) {
      session.console.show(summary.error(), session.sources);
      return kNoAnswer;
    }
    return report(*summary, session);
  }

 private:
  // All of it, with the tables.
  std::optional<Knowledge> open(Session& session) const {
    const Result<KnowledgePlace> place = find_knowledge(session.common.knowledge);
    Diagnostics warnings;
    Result<Knowledge> knowledge =
        place ? load_knowledge(session, *place, KnowledgeParts::all, warnings)
              : Result<Knowledge>(place.error());
    Diagnostics faults = knowledge ? Diagnostics() : knowledge.error();
    if (faults.empty()) {
      Result<KnowledgeTables> tables =
          add_tables(session.sources, session.files, place->folder, knowledge->tables);
      if (tables)
        knowledge->tables = *tables;
      else
        faults = tables.error();
    }
    if (!faults.empty()) {
      session.console.show(faults, session.sources);
      return std::nullopt;
    }
    read_all(*knowledge, session.sources);
    if (!is_whole(*knowledge, session)) return std::nullopt;
    return std::move(*knowledge);
  }

  Result<SiteSummary> write(const Knowledge& knowledge, Session& session) const {
    const std::vector<const RulePack*> packs = knowledge.rule_packs();
    std::vector<const TensorContract*> contracts;
    for (const CompiledContract& contract : knowledge.contracts)
      contracts.push_back(&contract.source);
    std::vector<MatrixDeclaration> matrices;
    if (knowledge.tables.matrices) {
      ASSAY_TRY(matrices, read_matrix_table(session.sources, *knowledge.tables.matrices));
    }
    ASSAY_TRY(const std::vector<SupportTable> support,
              compute_support(knowledge, knowledge.tables, matrices, session.sources));
    SiteInput input;
    input.packs = packs;
    input.contracts = contracts;
    input.dataset = &knowledge.dataset;
    input.support = support;
    if (knowledge.tables.retirement) {
      ASSAY_TRY(input.retirement, read_retirement(session.sources, *knowledge.tables.retirement));
      Diagnostics faults = check_retirement(input.retirement, knowledge.dataset);
      if (!faults.empty()) return faults;
    }
    input.source_root = source_root_.value_or("");
    input.files = &session.files;
    input.frame = {with_slash(base_url_.value_or("")), with_slash(edit_url_.value_or("")),
                   issues_url_.value_or("")};
    std::optional<Knowledge> older;
    std::optional<KnowledgeChanges> changes;
    if (since_) {
      ASSAY_TRY(older, open_older(session));
      const std::vector<const RulePack*> older_packs = older->rule_packs();
      changes = compare_knowledge({older_packs, &older->dataset}, {packs, &knowledge.dataset});
      input.changes = &*changes;
    }
    ProgressLine progress("site", "pages");
    input.progress = [&](std::size_t done, std::size_t total) { progress.show(done, total); };
    return write_site(input, *out_, check_ ? SiteFolder::Mode::check : SiteFolder::Mode::write);
  }

  Result<Knowledge> open_older(Session& session) const {
    ASSAY_TRY(const KnowledgePlace place, find_knowledge(since_));
    Diagnostics warnings;
    ASSAY_TRY(Knowledge older, load_knowledge(session, place, KnowledgeParts::all, warnings));
    read_all(older, session.sources);
    Diagnostics damage = older.damage();
    if (!damage.empty()) return damage;
    return older;
  }

  int report(const SiteSummary& summary, Session& session) const {
    const SiteFolderChanges& folder = summary.folder;
    if (check_ && !folder.is_current()) {
      session.console.write(
          fmt::format("{} is not current: {} would be written and {} removed: {}\n", *out_,
                      counted(folder.written, "file"), counted(folder.removed, "file"),
                      fmt::join(folder.examples, ", ")));
      return kFindings;
    }
    const std::string what = fmt::format(
        "{} for {}, {} and {}", counted(summary.pages, "page"), counted(summary.records, "record"),
        counted(summary.rules, "rule"), counted(summary.contracts, "contract"));
    session.console.write(check_ || folder.is_current()
                              ? fmt::format("{} is current: {}\n", *out_, what)
                              : fmt::format("wrote {} of {} ({}) to {}\n", folder.written,
                                            counted(folder.files, "file"), what, *out_));
    return kClean;
  }

  std::optional<std::string> out_;
  bool check_ = false;
  std::optional<std::string> since_;
  std::optional<std::string> base_url_;
  std::optional<std::string> edit_url_;
  std::optional<std::string> issues_url_;
  std::optional<std::string> source_root_;
};

}  // namespace

std::unique_ptr<Command> make_docs_command() { return std::make_unique<DocsCommand>(); }

}  // namespace assay::cli
