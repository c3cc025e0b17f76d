#include "engine/evaluate/literal_scan.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "engine/compile/literal_tables_builder.h"

namespace assay {
namespace {

const std::vector<std::vector<std::string>>& some_literals() {
  static const std::vector<std::vector<std::string>> literals{
      {"one literal that is long enough for the tier"},
      {"short one of 15"},
      {"short one of 15 and more of it"},
      {"none"},
      {std::string(24, 'a')},
      {"ten bytes."}};
  return literals;
}

// Each literal at every distance from a multiple of the strides.
std::string text_with_all() {
  std::string text;
  for (std::size_t i = 0; i < 32; ++i)
    for (const auto& literals : some_literals()) text += literals[0] + std::string(i % 17 + 1, '.');
  return text;
}

std::vector<LiteralHit> scan(const LiteralTables& tables, std::string_view text) {
  std::vector<LiteralHit> hits;
  scan_literals(tables, text, hits);
  return hits;
}

TEST(LiteralScan, FindsEachPlaceOfEachLiteralOnce) {
  const std::string image = build_literal_tables(some_literals());
  const LiteralTables tables = read_literal_tables(image, some_literals().size()).value();
  const std::string all = text_with_all();
  const std::string_view text = all;
  std::size_t expected = 0;
  for (const LiteralTables::Literal& literal : tables.literals)
    for (auto at = text.find(tables.text(literal)); at != std::string::npos;
         at = text.find(tables.text(literal), at + 1))
      ++expected;
  const auto hits = scan(tables, text);
  EXPECT_EQ(hits.size(), expected);
  for (const LiteralHit& hit : hits)
    EXPECT_TRUE(text.substr(hit.at).starts_with(tables.text(tables.literals[hit.literal])));
}

TEST(LiteralScan, EndsWhereALiteralHasOneGramOnly) {
  const std::vector<std::vector<std::string>> literals{{std::string(30, 'a')}};
  const std::string image = build_literal_tables(literals);
  const LiteralTables tables = read_literal_tables(image, 1).value();
  std::mt19937 random(1);
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += static_cast<char>('a' + random() % 4);
  EXPECT_EQ(scan(tables, text).size(), 0u);
  EXPECT_EQ(scan(tables, text + literals[0][0]).size(), 1u);
}

TEST(LiteralScan, TellsWhereOnlyTheWindowOfALiteralStands) {
  const std::vector<std::vector<std::string>> literals{{"0123456789abcdefghijklmnopqrstuvwxyz"}};
  const std::string image = build_literal_tables(literals);
  const LiteralTables tables = read_literal_tables(image, 1).value();
  std::vector<LiteralHit> hits;
  std::vector<BrokenLiteral> broken;
  const std::string text = std::string(11, '.') + literals[0][0];
  scan_literals(tables, text, hits, &broken);
  EXPECT_EQ(hits.size(), 1u);
  EXPECT_TRUE(broken.empty());
  for (const std::size_t at : {0u, 35u}) {
    std::string altered = text;
    altered[11 + at] = '~';
    hits.clear();
    broken.clear();
    scan_literals(tables, altered, hits, &broken);
    EXPECT_TRUE(hits.empty());
    // The window may be where the change is.
    if (broken.empty()) continue;
    EXPECT_LE(broken[0].begin, 11u);
    EXPECT_GE(broken[0].end, 47u);
  }
}

// Of tables that somebody altered and that are read all the same, a scan finds nothing that is not
// in the text.
TEST(LiteralScan, StaysInsideWhateverTheTablesAre) {
  const std::string image = build_literal_tables(some_literals());
  const std::string all = text_with_all();
  const std::string_view text = all;
  std::mt19937 random(2);
  std::size_t scanned = 0;
  for (int i = 0; i < 5'000; ++i) {
    std::string altered = image;
    for (std::size_t change = 0; change <= random() % 3; ++change) {
      std::size_t at = random() % altered.size();
      // Most of the image are the zeros of the filters.
      for (int turn = 0; turn < 20 && image[at] == '\0'; ++turn) at = random() % altered.size();
      altered[at] = static_cast<char>(random() % 2 == 0 ? altered[at] + 1 : random());
    }
    const auto tables = read_literal_tables(altered, some_literals().size());
    if (!tables) continue;
    ++scanned;
    for (const LiteralHit& hit : scan(*tables, text)) {
      ASSERT_LT(hit.literal, tables->literals.size());
      ASSERT_TRUE(text.substr(hit.at).starts_with(tables->text(tables->literals[hit.literal])));
    }
  }
  EXPECT_GT(scanned, 100u);
}

}  // namespace
}  // namespace assay
