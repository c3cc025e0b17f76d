#include "engine/compile/literal_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using ::testing::ElementsAre;

TEST(LiteralTables, TheRarestLongEnoughLiteralIsChosen) {
  const std::vector<std::vector<std::string>> literals{
      {"short", "the literal of the first pattern, which is long"},
      {"fifteen letters"},
      {"tiny"},
      {},
      {"fifteen letters"}};
  const LiteralTables tables = build_literal_tables(literals);
  ASSERT_EQ(tables.literals.size(), 2u);
  EXPECT_EQ(tables.text(tables.literals[0]), literals[0][1]);
  EXPECT_EQ(tables.literals[1].patterns, 2u);
  EXPECT_THAT(tables.without_literal, ElementsAre(2u, 3u));
  EXPECT_EQ(tables.long_tier.grams.size(), kLongStride);
  EXPECT_EQ(tables.short_tier.grams.size(), kShortStride);
}

TEST(LiteralTables, AShortLiteralMakesTheStrideSmaller) {
  EXPECT_EQ(build_literal_tables(std::vector<std::vector<std::string>>{{"twelve bytes"}})
                .short_tier.stride,
            kShortStride);
  EXPECT_EQ(
      build_literal_tables(std::vector<std::vector<std::string>>{{"ten bytes."}}).short_tier.stride,
      kShortestStride);
}

TEST(LiteralTables, AreTheSameForTheSameLiterals) {
  const std::vector<std::vector<std::string>> literals{
      {"one literal that is long enough for the tier"}, {"another one", "and some more of it"}};
  const LiteralTables a = build_literal_tables(literals);
  const LiteralTables b = build_literal_tables(literals);
  EXPECT_EQ(a.bytes, b.bytes);
  EXPECT_EQ(a.long_tier.filter, b.long_tier.filter);
  EXPECT_EQ(a.short_tier.slots, b.short_tier.slots);
  EXPECT_EQ(a.patterns, b.patterns);
}

}  // namespace
}  // namespace assay
