#include "engine/evaluate/table_facts.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace assay {
namespace {

constexpr const char* kModelTable = R"(sources: {here: {documentation: Made for this test.}}
keys: [layers]
quantization_keys: []
models:
  Acme/Big: {source: here, config: {layers: 61}}
)";

RulePack toy_pack() {
  RulePack pack;
  for (const char* name : {"model_path", "model.config"}) {
    FactDeclaration fact;
    fact.name = name;
    fact.type = Type::of(pack.schema.facts.empty() ? TypeKind::string : TypeKind::map);
    fact.is_argument = pack.schema.facts.empty();
    pack.schema.by_name.emplace(fact.name, static_cast<FactId>(pack.schema.facts.size()));
    pack.schema.facts.push_back(std::move(fact));
  }
  return pack;
}

Launch launch_of(const std::string& model) {
  Launch launch;
  LaunchArgument argument;
  argument.fact = 0;
  argument.value.kind = NodeKind::string;
  argument.value.text = model;
  launch.arguments.push_back(std::move(argument));
  return launch;
}

class TableFactsOfAPublicModel : public ::testing::Test {
 protected:
  Result<std::vector<GivenFact>> collect(const std::string& model,
                                         std::optional<std::string_view> config = {}) {
    SourceSet known;
    KnowledgeTables tables;
    tables.models = known.add("/srv/knowledge/rules/models.yaml", kModelTable);
    sources_.add("<text>", "toy serve " + model);
    return TableFacts(known, tables)
        .collect({}, config, pack_, launch_of(model), sources_, faults_);
  }

  const RulePack pack_ = toy_pack();
  SourceSet sources_;
  Diagnostics faults_;
};

TEST_F(TableFactsOfAPublicModel, StandWhereTheTableSaysThem) {
  const auto facts = collect("acme/big");
  ASSERT_TRUE(facts);
  ASSERT_EQ(facts->size(), 1u);
  const GivenFact& config = facts->front();
  EXPECT_EQ(sources_.get(config.span.source).name(), "models.yaml");
  EXPECT_EQ(sources_.text(config.span), "{layers: 61}");
  EXPECT_EQ(sources_.text(config.value.entries.at(0).value.span), "61");
}

TEST_F(TableFactsOfAPublicModel, GiveWayToAConfigurationThatIsGiven) {
  const auto facts = collect("acme/big", R"({"layers": 2})");
  ASSERT_TRUE(facts);
  ASSERT_EQ(facts->size(), 1u);
  EXPECT_EQ(sources_.text(facts->front().value.entries.at(0).value.span), "2");
}

TEST_F(TableFactsOfAPublicModel, AreNoneOfAModelThatNobodyKnows) {
  const auto facts = collect("someone/small");
  ASSERT_TRUE(facts);
  EXPECT_TRUE(facts->empty());
  EXPECT_EQ(sources_.size(), 1u);
}

TEST(TableFacts, AGpuNeedsATableOfThem) {
  SourceSet sources;
  Diagnostics warnings;
  const RulePack pack = toy_pack();
  SaidFacts said;
  said.gpu = "H200";
  const auto facts =
      TableFacts(SourceSet(), {}).collect(said, {}, pack, launch_of("m"), sources, warnings);
  ASSERT_FALSE(facts);
  EXPECT_EQ(facts.error().front().code, code::unreadable_file);
}

}  // namespace
}  // namespace assay
