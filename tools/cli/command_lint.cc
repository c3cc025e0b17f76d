// `assay lint`: everything wrong with rules, contracts and records, each at its place: what keeps
// them from loading, else what they prove about each other, and the examples that fail.
#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "engine/evaluate/example_fix_prover.h"
#include "engine/evaluate/example_runner.h"
#include "engine/evaluate/knowledge_linter.h"
#include "engine/evaluate/pattern_overlap.h"
#include "engine/evaluate/table_linter.h"
#include "tools/cli/command.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/knowledge_location.h"

namespace assay::cli {
namespace {

class LintCommand final : public Command {
 public:
  Syntax syntax() override {
    Syntax syntax;
    syntax.options = {{.name = "strict",
                       .target = &strict_,
                       .placeholder = "",
                       .help = "Exit with 1 for warnings too"}};
    syntax.operands = Operands{"PATH",
                               "A knowledge folder, or packs, datasets, rules or records in one "
                               "(default: all that is known)",
                               &paths_};
    syntax.description =
        "Knowledge that cannot be loaded gives exit status 2, with all its faults; otherwise what "
        "examples, messages, "
        "fixes and joins prove wrong gives 1.";
    syntax.examples = {"assay lint", "assay lint rules/sglang/attention dataset/sglang"};
    return syntax;
  }

  int run(Session& session) override {
    const auto selection = select_knowledge(session.common.knowledge, paths_, session.files);
    if (!selection) {
      session.console.show(selection.error(), session.sources);
      return kNoAnswer;
    }
    Diagnostics found;  // so far the warnings of loading
    const auto knowledge = load_selected(session, *selection, found);
    if (!knowledge) {
      append(found, knowledge.error());
      session.console.show(found, session.sources);
      return kNoAnswer;
    }
    const Diagnostics empty = find_empty_paths(*selection, *knowledge, session.sources);
    if (!empty.empty()) {
      session.console.show(empty, session.sources);
      return kNoAnswer;
    }
    append(found, find_passed_over(selection->folder, session.files));
    ExampleCounts counts;
    for (const CompiledPackPtr& pack : knowledge->packs) {
      append(found, lint_rules(*pack, knowledge->dataset));
      append(found, run_rule_examples(*pack, counts));
    }
    for (const CompiledContract& contract : knowledge->contracts)
      append(found, lint_contract(contract, knowledge->dataset));
    Diagnostics of_tables =
        lint_tables(session.sources, session.files, selection->folder, *knowledge);
    if (!has_errors(of_tables))
      append(found, prove_example_fixes(*knowledge, session.sources, session.files,
                                        selection->folder, counts));
    append(found, std::move(of_tables));
    Diagnostics of_records = lint_records(knowledge->dataset);
    const bool can_match =
        std::none_of(of_records.begin(), of_records.end(),
                     [](const Diagnostic& one) { return one.code == code::bad_pattern; });
    append(found, std::move(of_records));
    if (can_match) append(found, lint_overlaps(knowledge->dataset));
    append(found, run_record_examples(knowledge->dataset, counts));
    std::erase_if(found, [&](const Diagnostic& one) {
      return one.span.is_known() && !selection->covers(session.sources.get(one.span.source).name());
    });
    return report(*knowledge, *selection, found, session);
  }

 private:
  int report(const Knowledge& knowledge, const KnowledgeSelection& selection,
             const Diagnostics& found, Session& session) const {
    std::size_t rules = 0;
    for (const RulePack* pack : knowledge.rule_packs())
      for (const Rule& rule : pack->rules) rules += selection.covers(rule.path) ? 1 : 0;
    std::size_t contracts = 0;
    for (const CompiledContract& contract : knowledge.contracts)
      contracts += selection.covers(contract.source.path) ? 1 : 0;
    std::size_t records = 0;
    for (const ErrorRecord& record : knowledge.dataset.records)
      records += selection.covers(record.path) ? 1 : 0;
    const auto errors = static_cast<std::size_t>(
        std::count_if(found.begin(), found.end(),
                      [](const Diagnostic& one) { return one.severity == Severity::error; }));
    session.console.show(found, session.sources);
    session.console.write(counted(rules, "rule") + ", " + counted(contracts, "contract") + ", " +
                          counted(records, "record") + ": " + counted(errors, "error", "no") +
                          ", " + counted(found.size() - errors, "warning", "no") + "\n");
    return errors > 0 || (strict_ && !found.empty()) ? kFindings : kClean;
  }

  bool strict_ = false;
  std::vector<std::string> paths_;
};

}  // namespace

std::unique_ptr<Command> make_lint_command() { return std::make_unique<LintCommand>(); }

}  // namespace assay::cli
