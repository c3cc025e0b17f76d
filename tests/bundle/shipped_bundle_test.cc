// The shipped knowledge from its sources and from a bundle of it: examples of its rules, as
// launches, get the same reports, byte for byte. ASSAY_ALL_EXAMPLES takes every example in place of
// one in kEvery.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "engine/evaluate/knowledge_bundle.h"
#include "engine/evaluate/launch_checker.h"
#include "engine/evaluate/repair_search.h"
#include "engine/report/json_report.h"
#include "tests/support/sample.h"

namespace assay::test {
namespace {

struct LaunchWithFacts {
  Launch launch;
  std::vector<GivenFact> facts;
};

LaunchWithFacts as_launch(const CompiledPack& pack, const RuleExample& example) {
  LaunchWithFacts result;
  result.launch.pack = pack.source().name;
  result.launch.form = LaunchForm::map;
  for (const FactValue& given : example.facts) {
    const auto found = pack.schema().by_name.find(given.name);
    if (found == pack.schema().by_name.end()) continue;  // a path into a value
    if (pack.schema().facts[found->second].is_argument)
      result.launch.arguments.push_back({found->second, given.value, given.name, {}, {}, true});
    else
      result.facts.push_back({given.name, given.value, Origin::command_line_fact, {}, {}});
  }
  return result;
}

constexpr std::size_t kEvery = 8;
// Repairs cost a thousand times as much as the check: they are searched for one launch in so many.
constexpr std::size_t kEveryRepaired = 320;

std::string answer(const Knowledge& knowledge, const SourceSet& sources, std::size_t rule,
                   std::size_t example) {
  const CompiledPack& pack = *knowledge.packs[0];
  const Rule& of = pack.source().rules[rule];
  const LaunchWithFacts asked = as_launch(pack, of.examples[example]);
  CheckReport report = check_launch(pack, asked.launch, asked.facts);
  if ((rule + example) % kEveryRepaired == 0 && report.has_violations())
    find_repairs(pack, sources, asked.launch, asked.facts, report);
  const CheckedLaunch checked{&asked.launch, std::move(report)};
  return write_json_report({{&checked, 1}, &sources, &knowledge.dataset});
}

class ShippedBundle : public testing::Test {
 protected:
  void SetUp() override {
    const std::string root = ASSAY_SOURCE_DIR;
    Diagnostics warnings;
    auto loaded =
        load_knowledge(sources_, DiskFileSystem(), KnowledgeFolder::below(root), warnings);
    ASSERT_TRUE(loaded);
    source_ = std::move(*loaded);
    const std::string prefix = root + "/";
    BundleInput input;
    input.knowledge = &source_;
    input.sources = &sources_;
    input.root = prefix;
    auto written = write_bundle(input);
    ASSERT_TRUE(written);
    bytes_ = std::move(*written);
    auto file = BundleFile::open(FileBytes(bytes_), "shipped.assay");
    ASSERT_TRUE(file);
    auto opened = open_bundle(bundle_sources_, std::move(*file), prefix);
    ASSERT_TRUE(opened);
    bundle_ = std::move(*opened);
  }

  SourceSet sources_;
  Knowledge source_;
  std::string bytes_;
  SourceSet bundle_sources_;
  Knowledge bundle_;
};

TEST_F(ShippedBundle, GivesTheSameReports) {
  const LazyList<Rule>& rules = source_.packs[0]->source().rules;
  const std::size_t every =
      sample_step() * (std::getenv("ASSAY_ALL_EXAMPLES") == nullptr ? kEvery : 1);
  std::size_t compared = 0;
  for (std::size_t rule = 0; rule < rules.size(); ++rule)
    for (std::size_t example = 0; example < rules[rule].examples.size(); ++example) {
      if ((rule + example) % every != 0) continue;
      ++compared;
      ASSERT_EQ(answer(bundle_, bundle_sources_, rule, example),
                answer(source_, sources_, rule, example))
          << rules[rule].id << ", example " << example;
    }
  EXPECT_GT(compared * sample_step(), 200u);
  EXPECT_TRUE(bundle_.damage().empty());
}

}  // namespace
}  // namespace assay::test
