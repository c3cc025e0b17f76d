#include "engine/report/knowledge_changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/report/report_sample.h"

namespace assay {
namespace {

using ::testing::ElementsAre;

TEST(KnowledgeChanges, AreNewDifferentAndGoneItems) {
  ReportSample older;
  ReportSample newer;
  newer.dataset.version = "2026-09-01";
  newer.dataset.records[0].documentation += " More.";
  newer.dataset.records[0].tags.push_back("new");
  newer.dataset.records[1].id = "00000000000000ff";
  newer.pack.rules[1].when->text += " && true";
  newer.pack.rules[1].source.line = 99;  // where it stands is no difference
  const RulePack* older_packs[] = {&older.pack};
  const RulePack* newer_packs[] = {&newer.pack};
  const KnowledgeChanges changes =
      compare_knowledge({older_packs, &older.dataset}, {newer_packs, &newer.dataset});
  EXPECT_EQ(changes.now, "2026-09-01");
  EXPECT_FALSE(changes.empty());
  ASSERT_EQ(changes.records.changed.size(), 1u);
  EXPECT_THAT(changes.records.changed[0].fields, ElementsAre("meaning", "tags"));
  EXPECT_THAT(changes.records.added, ElementsAre(&newer.dataset.records[1]));
  EXPECT_THAT(changes.records.gone, ElementsAre(&older.dataset.records[1]));
  ASSERT_EQ(changes.rules.changed.size(), 1u);
  EXPECT_THAT(changes.rules.changed[0].fields, ElementsAre("condition"));
}

TEST(KnowledgeChanges, OfTheSameKnowledgeAreNone) {
  const ReportSample sample;
  const RulePack* packs[] = {&sample.pack};
  const KnowledgeState state{packs, &sample.dataset};
  EXPECT_TRUE(compare_knowledge(state, state).empty());
}

}  // namespace
}  // namespace assay
