#include "engine/compile/browser_pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using ::testing::HasSubstr;

std::string translated(std::string_view pattern) {
  const auto result = javascript_pattern(pattern);
  return result ? *result : "refused: " + result.error();
}

TEST(BrowserPattern, LiteralTextStaysAndWhatHasAMeaningIsQuoted) {
  EXPECT_EQ(translated("kv cache"), "kv cache");
  EXPECT_EQ(translated(R"(a\.b\[0\] {x} /)"), R"(a\.b\[0\] \{x\} \/)");
  EXPECT_EQ(translated(R"(\Qa.b\E+c)"), R"(a\.b+c)");
  EXPECT_EQ(translated("\xc3\xa9\t"), R"(\xc3\xa9\x09)");
  EXPECT_EQ(translated(R"(\x41\x{42}\103\n)"), R"(ABC\n)");
}

TEST(BrowserPattern, ClassesAndDotsBecomeSetsOfBytes) {
  EXPECT_EQ(translated("(.+?)x"), R"(([^\n]+?)x)");
  EXPECT_EQ(translated("(?s)."), "[^]");
  EXPECT_EQ(translated(R"(\C)"), "[^]");
  EXPECT_EQ(translated(R"(\d\s)"), R"([0-9][\x09\n\x0c\x0d ])");
  EXPECT_EQ(translated(R"(\D)"), "[^0-9]");
  EXPECT_EQ(translated("[[:alpha:]_-]"), R"([\x2dA-Z_a-z])");
  EXPECT_EQ(translated("[^a-c]"), "[^a-c]");
  EXPECT_EQ(translated("[]x]"), R"([\]x])");
  EXPECT_EQ(translated("[[:^digit:]]"), "[^0-9]");
}

TEST(BrowserPattern, FlagsAreWrittenOut) {
  EXPECT_EQ(translated("(?i)Kv1"), "[Kk][Vv]1");
  EXPECT_EQ(translated("a(?i:b)c"), "a(?:[Bb])c");
  EXPECT_EQ(translated("(?:(?i)b)c"), "(?:[Bb])c");
  EXPECT_EQ(translated("(?i)[^a]"), "[^Aa]");
  EXPECT_EQ(translated("(?U)a+b+?"), "a+?b+");
  EXPECT_EQ(translated("(?m)^a$"), R"((?:^|(?<=\n))a(?=\n|$))");
  EXPECT_EQ(translated(R"(\Aa\z|^b$)"), "^a$|^b$");
}

TEST(BrowserPattern, NamesOfGroupsAreLeftOut) {
  EXPECT_EQ(translated("(?P<got>a|b)?(c)"), "(a|b)?(c)");
  EXPECT_EQ(translated("(?:ab){2,3}(x)+"), "(?:ab){2,3}(x)+");
}

TEST(BrowserPattern, WhatTheLanguagesDoDifferentlyIsRefused) {
  EXPECT_THAT(translated(R"(\p{Greek})"), HasSubstr("refused: it asks for a class of Unicode"));
  EXPECT_THAT(translated(R"(\x{100})"), HasSubstr("refused: it asks for a character"));
  EXPECT_THAT(translated("(?i)\xc3\xa9"), HasSubstr("refused: it ignores the case"));
  EXPECT_THAT(translated("(a*)?"), HasSubstr("refused: it repeats what may be empty"));
  EXPECT_THAT(translated("(?:^)*"), HasSubstr("refused: it repeats what may be empty"));
  EXPECT_THAT(translated("(?:x(a))+"), HasSubstr("refused: it repeats a group in a group"));
}

TEST(BrowserPattern, WhatCouldTakeExponentialTimeIsRefused) {
  EXPECT_THAT(translated("(?:a+)+b"), HasSubstr("refused: it repeats what has choices"));
  EXPECT_THAT(translated("(?:a|ab)*"), HasSubstr("refused: it repeats what has choices"));
  EXPECT_THAT(translated("(?:a?b){40}"), HasSubstr("refused: it repeats what has choices"));
}

TEST(BrowserPattern, WhatIsNoPatternIsRefusedWithoutHarm) {
  for (const std::string_view pattern :
       {"(", ")", "[", "[^", "[a", "\\", "(?", "(?P<", "(?P<x", "(?i", "*", "a)", "\\x", "\\x{",
        "[[:", "[\\", "(?:", "\\Q\\E*"})
    EXPECT_FALSE(javascript_pattern(pattern).has_value() && pattern != "\\x" && pattern != "\\x{")
        << pattern;
  EXPECT_FALSE(javascript_pattern(std::string(5000, '(')).has_value());
  EXPECT_FALSE(javascript_pattern(std::string(5000, '(') + std::string(5000, ')')).has_value());
}

}  // namespace
}  // namespace assay
