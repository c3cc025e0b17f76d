// Three properties on thousands of random launches of random packs. Index and loop give the same
// report. A rule with names for parts of its expressions means what it means with these parts
// written out. And what is concluded from few facts holds whatever the missing facts turn out to
// be.
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <string>

#include "engine/compile/compiled_pack.h"
#include "engine/evaluate/launch_checker.h"
#include "engine/text/diagnostic_rendering.h"
#include "tests/engine/evaluate/random_pack.h"
#include "tests/support/sample.h"

namespace assay::test {
namespace {

CompiledPackPtr compiled(RulePack pack) {
  Diagnostics warnings;
  auto result = compile_pack(std::move(pack), warnings);
  if (result) return std::move(*result);
  for (const Diagnostic& fault : result.error())
    ADD_FAILURE() << render_diagnostic(fault, SourceSet(), false);
  return nullptr;
}

std::string text_of(const Finding& finding) {
  std::string text = finding.rule->id + " " + std::string(to_string(finding.verdict)) + " \"" +
                     finding.message + "\" " + finding.label + finding.evaluation_error;
  if (finding.stops_here) text += " stops here";
  if (finding.stops_here_at_the_latest) text += " stops here at the latest";
  for (const std::string& name : finding.waits_for) text += " waits for " + name;
  for (const FactUse& use : finding.facts) {
    text += "\n    " + use.name + " = " + use.value + " (" +
            std::to_string(static_cast<int>(use.origin)) + ") " + use.before;
    if (use.rule != nullptr) text += " by " + use.rule->id;
  }
  return text + "\n";
}

std::string text_of(const CheckReport& report) {
  std::string text = "version " + report.engine_version + ", " +
                     std::to_string(report.rules_checked) + " checked, " +
                     std::to_string(report.rules_satisfied) + " satisfied, " +
                     std::to_string(report.rules_not_applicable) + " not applicable\n";
  for (const Finding& finding : report.findings) text += text_of(finding);
  text += "undecided:\n";
  for (const Finding& finding : report.undecided) text += text_of(finding);
  for (const Adjustment& adjustment : report.adjustments)
    text += adjustment.rule->id + ": " + adjustment.fact + " from " + adjustment.before + " to " +
            adjustment.after + " \"" + adjustment.message + "\"\n";
  return text;
}

// What a report says besides the words.
std::string text_of(const LaunchVerdicts& verdicts) {
  std::string text = verdicts.is_refused ? "refused" : "passes";
  for (const RuleVerdict& verdict : verdicts.violated)
    text += "\n" + verdict.rule->id + " " + std::to_string(static_cast<int>(verdict.stops));
  for (const Rule* rule : verdicts.undecided) text += "\nundecided " + rule->id;
  return text + "\n" + std::to_string(verdicts.counts.checked) + " " +
         std::to_string(verdicts.counts.satisfied) + " " +
         std::to_string(verdicts.counts.not_applicable);
}

std::string verdicts_of(const CheckReport& report) {
  LaunchVerdicts verdicts;
  verdicts.is_refused = report.has_violations();
  verdicts.counts = {report.rules_checked, report.rules_satisfied, report.rules_not_applicable};
  for (const Finding& finding : report.findings)
    verdicts.violated.push_back({finding.rule, finding.fault,
                                 finding.stops_here                 ? StopsHere::yes
                                 : finding.stops_here_at_the_latest ? StopsHere::at_the_latest
                                                                    : StopsHere::no});
  for (const Finding& finding : report.undecided) verdicts.undecided.push_back(finding.rule);
  return text_of(verdicts);
}

std::set<std::string> violated_checks(const CheckReport& report) {
  std::set<std::string> ids;
  for (const Finding& finding : report.findings)
    if (!finding.rule->is_derivation()) ids.insert(finding.rule->id);
  return ids;
}

// `text` with the names x, y and z replaced by what they stand for.
std::string written_out(std::string text, const std::vector<LetBinding>& lets) {
  for (auto let = lets.rbegin(); let != lets.rend(); ++let)
    text = std::regex_replace(text, std::regex("\\b" + let->name + "\\b"),
                              "(" + let->expression.text + ")");
  return text;
}

RulePack without_lets(RulePack pack) {
  for (Rule& rule : pack.rules) {
    const auto write_out = [&](ExpressionText& text) {
      text.text = written_out(text.text, rule.lets);
    };
    if (rule.when) write_out(*rule.when);
    if (rule.require) write_out(*rule.require);
    for (RuleCase& row : rule.cases) write_out(row.when);
    for (Assignment& assignment : rule.effect) write_out(assignment.expression);
    rule.lets.clear();
  }
  return pack;
}

// What is undecided, and why.
std::string reasons_of(const CheckReport& report) {
  std::string text;
  for (const Finding& finding : report.undecided) {
    text += finding.rule->id + ": " + finding.evaluation_error;
    for (const std::string& name : finding.waits_for) text += " " + name;
    text += "\n";
  }
  return text;
}

// The pack as it is where every assumption about an unresolved `stop_when` is right.
RulePack without_assumed_stops(RulePack pack) {
  for (PipelineStage& stage : pack.stages)
    for (PipelineStep& step : stage.steps)
      if (step.assume_not_when_unresolved) step.stop_when.reset();
  return pack;
}

class RandomPacks : public testing::TestWithParam<std::uint32_t> {};

TEST_P(RandomPacks, IndexAndLoopGiveTheSameReport) {
  RandomWorld world(GetParam());
  const RulePack source = world.pack(60);
  const CompiledPackPtr pack = compiled(source);
  ASSERT_NE(pack, nullptr);
  CheckWorkspace workspace(*pack);
  LaunchVerdicts verdicts;
  for (int launches = 0; launches < 60; ++launches) {
    const Launch launch = world.launch(source);
    const auto facts = world.some_facts();
    const CheckReport loop = check_launch(*pack, launch, facts, {false});
    const CheckReport index = check_launch(*pack, launch, facts, {true}, &workspace);
    ASSERT_EQ(text_of(loop), text_of(index));
    judge_launch(*pack, launch, facts, workspace, verdicts);
    ASSERT_EQ(text_of(verdicts), verdicts_of(loop));
  }
}

TEST_P(RandomPacks, LetNamesMeanWhatTheyStandFor) {
  RandomWorld world(GetParam() + 2000);
  const RulePack source = world.pack(60);
  const CompiledPackPtr named = compiled(source);
  ASSERT_NE(named, nullptr);
  const CompiledPackPtr plain = compiled(without_lets(source));
  ASSERT_NE(plain, nullptr);
  CheckWorkspace workspace(*named);
  LaunchVerdicts verdicts;
  for (int launches = 0; launches < 40; ++launches) {
    const Launch launch = world.launch(source);
    const auto facts = world.some_facts();
    const CheckReport written = check_launch(*plain, launch, facts, {false});
    const CheckReport report = check_launch(*named, launch, facts, {false});
    ASSERT_EQ(reasons_of(report), reasons_of(written));
    judge_launch(*named, launch, facts, workspace, verdicts);
    ASSERT_EQ(text_of(verdicts), verdicts_of(written));
  }
}

TEST_P(RandomPacks, WhatIsDecidedHoldsWhateverTheUnknownFactsAre) {
  RandomWorld world(GetParam() + 1000);
  const RulePack source = world.pack(40);
  const CompiledPackPtr pack = compiled(source);
  ASSERT_NE(pack, nullptr);
  const CompiledPackPtr as_assumed = compiled(without_assumed_stops(source));
  ASSERT_NE(as_assumed, nullptr);
  CheckWorkspace workspace(*pack);
  for (int launches = 0; launches < 20; ++launches) {
    Launch launch = world.launch(source);
    for (LaunchArgument& argument : launch.arguments) argument.is_known = true;
    const CheckReport partial = check_launch(*pack, launch, {}, {}, &workspace);
    const auto violated = violated_checks(partial);
    std::set<std::string> undecided;
    for (const Finding& finding : partial.undecided) undecided.insert(finding.rule->id);
    for (const auto& facts : RandomWorld::all_facts()) {
      const CheckReport total = check_launch(*pack, launch, facts, {}, &workspace);
      // Where the assumption turns out wrong, nothing is promised.
      if (text_of(total) != text_of(check_launch(*as_assumed, launch, facts))) continue;
      const auto really = violated_checks(total);
      for (const std::string& id : violated) EXPECT_TRUE(really.contains(id)) << id;
      for (const std::string& id : really)
        EXPECT_TRUE(violated.contains(id) || undecided.contains(id)) << id;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPacks,
                         testing::Range(0u, 40u, static_cast<unsigned>(sample_step())));

}  // namespace
}  // namespace assay::test
