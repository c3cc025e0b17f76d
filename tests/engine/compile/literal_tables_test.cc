#include "engine/compile/literal_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
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
  EXPECT_EQ(tables.windows.size(), 2u);
}

std::size_t grams_in(const GramSlots& grams) {
  return static_cast<std::size_t>(std::ranges::count_if(
      grams.slots, [](const GramSlots::Slot& slot) { return slot.window != 0; }));
}

TEST(LiteralTables, AGramIsEnteredForEachPlaceOfTheStride) {
  const Built longer({{"one literal that is long enough"}});
  EXPECT_EQ(grams_in(longer.tables.long_grams), kStride);
  EXPECT_EQ(grams_in(longer.tables.short_grams), 0u);
  const Built shorter({{"fourteen bytes"}});
  EXPECT_EQ(grams_in(shorter.tables.long_grams), 0u);
  EXPECT_EQ(grams_in(shorter.tables.short_grams), kStride);
}

TEST(LiteralTables, TheFilterLetsEveryGramThroughWhateverFollowsAShortOne) {
  for (const std::size_t copies : {1u, 400u}) {  // few short ones, and nothing but
    Literals literals{{"one literal that is long enough"}};
    for (std::size_t i = 0; i < copies; ++i)
      literals.push_back({"thirteen " + std::to_string(1000 + i)});
    const Built built(literals);
    for (const auto& literal : literals) {
      std::size_t through = 0;
      const std::string text = literal[0] + "~~~~~~~~";
      for (std::size_t at = 0; at + kShortGramBytes <= literal[0].size(); ++at)
        through += built.tables.filter.lets_through(load_eight(text.data() + at)) ? 1 : 0;
      EXPECT_GE(through, kStride) << literal[0];
    }
  }
}

TEST(LiteralTables, AShortLiteralMakesTheStrideSmaller) {
  EXPECT_EQ(Built({{"twelve bytes"}}).tables.stride, kStride);
  EXPECT_EQ(Built({{"ten bytes."}}).tables.stride, kShortestStride);
}

TEST(LiteralTables, AreTheSameForTheSameLiterals) {
  EXPECT_EQ(build_literal_tables(some_literals()), build_literal_tables(some_literals()));
}

// A search for a gram that is not there must end.
TEST(LiteralTables, ASlotStaysEmptyHoweverFewGramsThereAre) {
  const Built built({{std::string(30, 'a')}});
  ASSERT_EQ(built.tables.windows.size(), 1u);
  EXPECT_LT(grams_in(built.tables.long_grams), built.tables.long_grams.slots.size());
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

// One that alters the filter or a print does no harm.
TEST(LiteralTables, AnAlteredByteIsRefusedOrLeavesIndicesInside) {
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
    for (const GramSlots* grams : {&tables->long_grams, &tables->short_grams})
      for (const GramSlots::Slot& slot : grams->slots)
        if (slot.window != 0) {
          ASSERT_LT(slot.index(), tables->windows.size()) << at;
        }
    for (const LiteralTables::Place& place : tables->places)
      ASSERT_LE(place.offset + kFastLiteralBytes, tables->literals[place.literal].length) << at;
  }
  EXPECT_GT(refused, 500u);
}

}  // namespace
}  // namespace assay
