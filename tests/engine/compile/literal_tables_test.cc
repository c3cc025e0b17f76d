#include "engine/compile/literal_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "engine/compile/literal_tables_builder.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using Literals = std::vector<std::vector<std::string>>;

// An image and the tables in it.
struct Built {
  explicit Built(const Literals& literals)
      : image(build_literal_tables(literals)),
        tables(read_literal_tables(image, literals.size()).value()) {}
  std::string image;
  LiteralTables tables;
};

const Literals& some_literals() {
  static const Literals literals{{"one literal that is long enough for the tier"},
                                 {"another one", "and some more of it"},
                                 {"none"},
                                 {"one literal that is long enough for the tier"},
                                 {"and a tail of fifteen"}};
  return literals;
}

TEST(LiteralTables, TheRarestLongEnoughLiteralIsChosen) {
  const Literals literals{{"short", "the literal of the first pattern, which is long"},
                          {"fifteen letters"},
                          {"tiny"},
                          {},
                          {"fifteen letters"}};
  const Built built(literals);
  const LiteralTables& tables = built.tables;
  ASSERT_EQ(tables.literals.size(), 2u);
  EXPECT_EQ(tables.text(tables.literals[0]), literals[0][1]);
  EXPECT_EQ(tables.literals[1].patterns, 2u);
  EXPECT_THAT(tables.without_literal, ElementsAre(2u, 3u));
  EXPECT_EQ(tables.long_tier.grams.size(), kLongStride);
  EXPECT_EQ(tables.short_tier.grams.size(), kShortStride);
}

TEST(LiteralTables, AShortLiteralMakesTheStrideSmaller) {
  EXPECT_EQ(Built({{"twelve bytes"}}).tables.short_tier.stride, kShortStride);
  EXPECT_EQ(Built({{"ten bytes."}}).tables.short_tier.stride, kShortestStride);
}

TEST(LiteralTables, AreTheSameForTheSameLiterals) {
  EXPECT_EQ(build_literal_tables(some_literals()), build_literal_tables(some_literals()));
}

// Such a literal has one gram, and a search for another one must end.
TEST(LiteralTables, ASlotStaysEmptyHoweverFewGramsThereAre) {
  const Built built({{std::string(30, 'a')}});
  ASSERT_EQ(built.tables.long_tier.grams.size(), 1u);
  EXPECT_THAT(built.tables.long_tier.slots, testing::Contains(0u));
}

TEST(LiteralTables, OfOtherPatternsAreRefused) {
  const std::string image = build_literal_tables(some_literals());
  EXPECT_TRUE(read_literal_tables(image, 5));
  EXPECT_FALSE(read_literal_tables(image, 4));
  EXPECT_FALSE(read_literal_tables(image, 6));
}

TEST(LiteralTables, CutOffAnywhereOrTooLongAreRefused) {
  const std::string image = build_literal_tables(some_literals());
  for (std::size_t size = 0; size < image.size(); ++size)
    ASSERT_FALSE(read_literal_tables(std::string(image, 0, size), 5)) << size;
  EXPECT_FALSE(read_literal_tables(image + '\0', 5));
}

// What is behind the filters: one that lets other grams through does no harm.
TEST(LiteralTables, AnAlteredByteIsRefusedOrIsInAFilterOrChangesNoPlace) {
  const std::string image = build_literal_tables(some_literals());
  std::mt19937 random(1);
  std::size_t refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string altered = image;
    const std::size_t at = random() % altered.size();
    altered[at] = static_cast<char>(random());
    const auto tables = read_literal_tables(altered, 5);
    refused += tables ? 0u : 1u;
    if (!tables) continue;
    for (const LiteralTier* tier : {&tables->long_tier, &tables->short_tier}) {
      for (const std::uint32_t slot : tier->slots)
        ASSERT_LE(slot & kSlotIndex, tier->grams.size()) << at;
      for (const LiteralTier::Place& place : tier->places)
        ASSERT_LE(place.offset + tier->gram_bytes, tables->literals[place.literal].length) << at;
    }
  }
  EXPECT_GT(refused, 500u);
}

}  // namespace
}  // namespace assay
