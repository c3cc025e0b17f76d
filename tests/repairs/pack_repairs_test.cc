// Every violating example of every rule of the shipped pack, as a launch: a repair is found that
// leaves no violation, or one that leaves less. Each repair is made and checked once more here, by
// the whole pipeline, after the search that found it has ended.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>

#include "engine/compile/compiled_pack.h"
#include "engine/evaluate/fact_path.h"
#include "engine/evaluate/launch_checker.h"
#include "engine/evaluate/repair_search.h"
#include "engine/evaluate/repair_trial.h"
#include "engine/read/pack_reader.h"
#include "engine/text/diagnostic_rendering.h"
#include "tests/support/sample.h"

namespace assay {
namespace {

struct Example {
  Launch launch;
  std::vector<GivenFact> facts;
};

Example as_launch(const FactSchema& schema, const RuleExample& example) {
  Example result;
  result.launch.pack = "sglang";
  result.launch.form = LaunchForm::dump;  // nothing to edit: a repaired command is made afresh
  for (const FactValue& given : example.facts) {
    const FactPath target = find_fact_path(schema, given.name);
    const FactDeclaration& fact = schema.facts[target.fact];
    if (!fact.is_argument) {
      result.facts.push_back({given.name, given.value, Origin::command_line_fact, {}, {}});
      continue;
    }
    auto& arguments = result.launch.arguments;
    auto argument = std::find_if(arguments.begin(), arguments.end(),
                                 [&](const LaunchArgument& a) { return a.fact == target.fact; });
    if (argument == arguments.end()) {
      argument = arguments.insert(argument, LaunchArgument());
      argument->fact = target.fact;
      argument->spelling = fact.name;
    }
    set_node_at(argument->value, target.path, given.value);
  }
  return result;
}

Launch repaired(const FactSchema& schema, const Launch& launch, const Repair& repair) {
  std::vector<ArgumentChange> changes;
  for (const RepairChange& change : repair.changes)
    changes.push_back({change.fact, change.is_unset, change.value});
  return change_launch(schema, launch, changes);
}

struct Counts {
  std::size_t examples = 0;
  std::size_t break_nothing = 0;
  std::size_t repaired = 0;
  std::size_t repaired_partly = 0;
  std::size_t explained = 0;
  std::map<std::size_t, std::size_t> by_changes;
};

class PackRepairs : public testing::Test {
 protected:
  void SetUp() override {
    Diagnostics warnings;
    auto source = read_pack(sources_, DiskFileSystem(),
                            std::string(ASSAY_SOURCE_DIR) + "/rules/sglang", warnings);
    ASSERT_TRUE(source);
    auto pack = compile_pack(std::move(*source), warnings);
    ASSERT_TRUE(pack);
    pack_ = std::move(*pack);
    workspace_.emplace(*pack_);
  }

  void try_example(const CompiledRule& rule, const RuleExample& example) {
    ++counts_.examples;
    const auto [launch, facts] = as_launch(pack_->schema(), example);
    CheckReport report = check_launch(*pack_, launch, facts, {}, &*workspace_);
    if (!report.has_violations()) {
      ++counts_.break_nothing;
      return;
    }
    find_repairs(*pack_, sources_, launch, facts, report);
    const auto place = [&] {
      return rule.source->id + ", example at byte " + std::to_string(example.span.begin);
    };
    if (report.repairs.empty()) {
      EXPECT_FALSE(report.no_repair_reason.empty()) << place();
      ++(report.partial_repair ? counts_.repaired_partly : counts_.explained);
      return;
    }
    ++counts_.repaired;
    ++counts_.by_changes[report.repairs.front().changes.size()];
    for (const Repair& repair : report.repairs) {
      const CheckReport again =
          check_launch(*pack_, repaired(pack_->schema(), launch, repair), facts, {}, &*workspace_);
      EXPECT_FALSE(again.has_violations()) << place() << ": " << repair.command;
    }
  }

  SourceSet sources_;
  CompiledPackPtr pack_;
  std::optional<CheckWorkspace> workspace_;
  Counts counts_;
};

TEST_F(PackRepairs, EveryViolatingExampleIsRepairedOrItIsSaidWhyNot) {
  std::size_t number = 0;
  for (const CompiledRule& rule : pack_->rules())
    for (const RuleExample& example : rule.source->examples)
      if (example.kind == RuleExample::Kind::violates && number++ % test::sample_step() == 0)
        try_example(rule, example);
  std::printf(
      "%zu violating examples: %zu repaired, %zu partly, %zu with a reason why not, %zu break "
      "nothing in the whole pipeline\n",
      counts_.examples, counts_.repaired, counts_.repaired_partly, counts_.explained,
      counts_.break_nothing);
  for (const auto& [changes, repairs] : counts_.by_changes)
    std::printf("%zu repaired by %zu changes\n", repairs, changes);
  EXPECT_EQ(counts_.break_nothing, 0u);
  EXPECT_EQ(counts_.explained, 0u);
  EXPECT_GE(counts_.repaired * 100, counts_.examples * 99);
}

}  // namespace
}  // namespace assay
