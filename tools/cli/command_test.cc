// `assay test`: the examples that rules and records carry, proven.
#include "tools/cli/command.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/evaluate/example_fix_prover.h"
#include "engine/evaluate/example_runner.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/knowledge_location.h"

namespace assay::cli {
namespace {

class TestCommand final : public Command {
 public:
  Syntax syntax() override {
    Syntax syntax;
    syntax.operands = Operands{"PATH",
                               "A knowledge folder, or packs, datasets, rules or records in one "
                               "(default: all that is known)",
                               &paths_};
    syntax.description =
        "Runs the examples of rules (what violates them, what passes) and of records (messages "
        "that must and must not match, fixes that their rules prove). Exits with 1 when one fails.";
    syntax.examples = {"assay test", "assay test rules/sglang/attention"};
    return syntax;
  }

  int run(Session& session) override {
    const auto selection = select_knowledge(session.common.knowledge, paths_, session.files);
    if (!selection) return no_answer(selection.error(), session);
    Diagnostics warnings;
    const auto knowledge = load_selected(session, *selection, warnings);
    if (!knowledge) return no_answer(knowledge.error(), session);
    const Diagnostics empty = find_empty_paths(*selection, *knowledge, session.sources);
    if (!empty.empty()) return no_answer(empty, session);

    Diagnostics faults;
    ExampleCounts counts;
    for (const CompiledPackPtr& pack : knowledge->packs)
      append(faults, run_rule_examples(*pack, counts));
    append(faults, run_record_examples(knowledge->dataset, counts));
    append(faults, prove_example_fixes(*knowledge, session.sources, session.files,
                                       selection->folder, counts));
    std::erase_if(faults, [&](const Diagnostic& fault) {
      return fault.span.is_known() &&
             !selection->covers(session.sources.get(fault.span.source).name());
    });
    session.console.show(faults, session.sources);
    session.console.write(counted(selected_examples(*knowledge, *selection), "example") + ", " +
                          std::to_string(faults.size()) + " failed\n");
    return faults.empty() ? kClean : kFindings;
  }

 private:
  static int no_answer(const Diagnostics& faults, Session& session) {
    session.console.show(faults, session.sources);
    return kNoAnswer;
  }

  static std::size_t selected_examples(const Knowledge& knowledge,
                                       const KnowledgeSelection& selection) {
    std::size_t count = 0;
    std::set<std::string_view> joined;  // records whose example fix a rule proves
    for (const RulePack* pack : knowledge.rule_packs())
      for (const Rule& rule : pack->rules) {
        joined.insert(rule.error);
        if (selection.covers(rule.path)) count += rule.examples.size();
      }
    for (const ErrorRecord& record : knowledge.dataset.records)
      if (selection.covers(record.path))
        count += record.examples.size() + record.near_misses.size() + joined.count(record.id);
    return count;
  }

  std::vector<std::string> paths_;
};

}  // namespace

std::unique_ptr<Command> make_test_command() { return std::make_unique<TestCommand>(); }

}  // namespace assay::cli
