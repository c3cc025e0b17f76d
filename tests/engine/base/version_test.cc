#include "engine/base/version.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace assay {
namespace {

TEST(Version, OrdersAsPep440Does) {
  // The order of PEP 440's own summary, with local versions and an epoch added.
  const std::vector<std::string> ascending = {
      "0.4.9",       "0.5.dev1", "0.5.dev2",       "0.5a1.dev1", "0.5a1",     "0.5a1.post1.dev1",
      "0.5a1.post1", "0.5b2",    "0.5rc1.dev3",    "0.5rc1",     "0.5",       "0.5+abc.1",
      "0.5+abc.10",  "0.5+5",    "0.5.post1.dev2", "0.5.post1",  "0.5.post2", "0.5.1",
      "0.5.10.dev1", "0.5.10",   "0.10",           "12.8",       "570.86.15", "1!0.1"};
  for (std::size_t i = 0; i < ascending.size(); ++i)
    for (std::size_t j = 0; j < ascending.size(); ++j)
      EXPECT_EQ(compare_versions(ascending[i], ascending[j]), i < j   ? -1
                                                              : i > j ? 1
                                                                      : 0)
          << ascending[i] << " against " << ascending[j];
}

TEST(Version, TakesTheOtherSpellings) {
  EXPECT_EQ(compare_versions("v1.0", "1"), 0);
  EXPECT_EQ(compare_versions("1.0.0", "1"), 0);
  EXPECT_EQ(compare_versions("1.1-RC.2", "1.1rc2"), 0);
  EXPECT_EQ(compare_versions("1.1-alpha", "1.1a0"), 0);
  EXPECT_EQ(compare_versions("1.1-3", "1.1.post3"), 0);
  EXPECT_EQ(compare_versions("1.1.r4", "1.1.post4"), 0);
  EXPECT_EQ(compare_versions(" 1.1+CU_126 ", "1.1+cu.126"), 0);
}

TEST(Version, RefusesWhatIsNoVersion) {
  for (const char* text : {"", " ", "main", "1.", "1..2", "1.x", "1.0+", "1.0+a..b", "!1", "1!",
                           "99999999999999999999", "1.0rc1rc2", "1.0 beta 2", "0.5.*"})
    EXPECT_FALSE(parse_version(text)) << text;
  EXPECT_FALSE(parse_version(std::string(1000, '1')));
  EXPECT_EQ(compare_versions("1.0", "nightly"), std::nullopt);
}

bool in_range(std::string_view version, std::string_view range) {
  return parse_version_range(range)->contains(*parse_version(version));
}

TEST(VersionRange, ContainsWhatEveryComparisonAllows) {
  EXPECT_TRUE(in_range("0.5.8", ">=0.5.8,<0.6"));
  EXPECT_TRUE(in_range("0.5.8.post1", ">=0.5.8, <0.6"));
  EXPECT_FALSE(in_range("0.5.7", ">=0.5.8,<0.6"));
  EXPECT_FALSE(in_range("0.6", ">=0.5.8,<0.6"));
  EXPECT_TRUE(in_range("0.5.9", "!=0.5.8"));
  EXPECT_FALSE(in_range("0.5.8", "!=0.5.8"));
  EXPECT_TRUE(in_range("0.5.8", "<=0.5.8"));
  EXPECT_TRUE(in_range("7.1", "any"));
  EXPECT_TRUE(in_range("7.1", ""));
}

TEST(VersionRange, LeavesPrereleasesOfAnExclusiveUpperBoundOut) {
  EXPECT_FALSE(in_range("0.6rc1", "<0.6"));
  EXPECT_TRUE(in_range("0.6rc1", "<0.6rc2"));
  EXPECT_TRUE(in_range("0.5.9rc1", "<0.6"));
  EXPECT_TRUE(in_range("0.6rc1", ">=0.5.8"));
}

TEST(VersionRange, LeavesPostReleasesOfAnExclusiveLowerBoundOut) {
  EXPECT_FALSE(in_range("0.5.8.post1", ">0.5.8"));
  EXPECT_TRUE(in_range("0.5.8.post2", ">0.5.8.post1"));
  EXPECT_TRUE(in_range("0.5.9", ">0.5.8"));
}

TEST(VersionRange, IgnoresALocalPartThatTheComparisonLacks) {
  EXPECT_TRUE(in_range("2.7.0+cu126", "==2.7.0"));
  EXPECT_FALSE(in_range("2.7.0+cu126", "==2.7.0+cu128"));
  EXPECT_FALSE(in_range("2.7.0+cu126", ">2.7.0"));
}

TEST(VersionRange, SaysWhereItsSyntaxIsWrong) {
  const auto missing_operator = parse_version_range(">=0.5.8,0.6");
  ASSERT_FALSE(missing_operator);
  EXPECT_EQ(missing_operator.error().begin, 8u);
  EXPECT_EQ(missing_operator.error().end, 11u);
  const auto bad_number = parse_version_range(">=zero");
  ASSERT_FALSE(bad_number);
  EXPECT_NE(bad_number.error().message.find("`zero`"), std::string::npos);
  EXPECT_FALSE(parse_version_range(">=0.5,"));
  EXPECT_FALSE(parse_version_range(",>=0.5"));
  EXPECT_FALSE(parse_version_range("~=0.5"));
}

TEST(Version, PlainNumbersCompareAsTheWholeGrammarSays) {
  const std::string parts[] = {
      "0", "1", "2",    "10", "010", "999999999999999999", "18446744073709551615",
      "",  "x", "1rc1", " 1"};
  std::vector<std::string> texts;
  for (const std::string& a : parts)
    for (const std::string& b : parts) {
      texts.push_back(a + "." + b);
      texts.push_back(a + "." + b + ".0");
    }
  for (const std::string& part : parts) texts.push_back(part);
  for (const std::string& a : texts)
    for (const std::string& b : texts) {
      const auto left = parse_version(a);
      const auto right = parse_version(b);
      const auto order = compare_versions(a, b);
      ASSERT_EQ(order.has_value(), left && right) << a << " and " << b;
      if (!order) continue;
      const int expected = *left < *right ? -1 : *right < *left ? 1 : 0;
      ASSERT_EQ(*order, expected) << a << " and " << b;
    }
}

}  // namespace
}  // namespace assay
