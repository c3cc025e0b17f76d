#include "engine/compile/pattern_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/compile/pattern_literals.h"

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

PatternSearch compiled(std::string_view pattern) {
  auto search = PatternSearch::compile(pattern, {});
  EXPECT_TRUE(search.has_value()) << pattern;
  return std::move(*search);
}

std::vector<std::string_view> captures(std::string_view pattern, std::string_view text) {
  PatternHit hit;
  const auto search = compiled(pattern);
  if (!search.search(text, hit)) return {"(no match)"};
  return hit.captures;
}

TEST(PatternSearch, LazyGroupBeforeALiteralEndTakesTheWholeValue) {
  EXPECT_THAT(captures(R"(requires kv-cache-dtype=fp8_e4m3, got (.+?)\.)",
                       "requires kv-cache-dtype=fp8_e4m3, got torch.bfloat16."),
              ElementsAre("torch.bfloat16"));
}

TEST(PatternSearch, LazyGroupAtTheEndTakesEverything) {
  EXPECT_THAT(captures("must be (.+?), got (.+?)", "q must be fp8, got torch.bfloat16 (cuda)"),
              ElementsAre("fp8", "torch.bfloat16 (cuda)"));
  EXPECT_THAT(captures("got (?P<dtype>.*?)", "got a b"), ElementsAre("a b"));
}

TEST(PatternSearch, LazyGroupElsewhereStaysLazy) {
  EXPECT_THAT(captures("a (.+?) b (\\d+)", "a x b 1 b 2"), ElementsAre("x", "1"));
}

TEST(PatternSearch, LeftmostMatchAndMissingGroup) {
  PatternHit hit;
  ASSERT_TRUE(compiled("x(a)?(b)").search("..xb", hit));
  EXPECT_EQ(hit.matched, "xb");
  ASSERT_EQ(hit.captures.size(), 2u);
  EXPECT_EQ(hit.captures[0].data(), nullptr);
  EXPECT_EQ(hit.captures[1], "b");
}

TEST(PatternSearch, BytesThatAreNoUtf8DoNotHideAMatch) {
  EXPECT_THAT(captures("got (.+?) here", "\xff\xfegot \x80\x81 here"), ElementsAre("\x80\x81"));
}

TEST(PatternSearch, RefusesWhatRe2Refuses) {
  for (const std::string& pattern :
       {std::string("("), std::string("a{100000}"), std::string("(?=a)"), std::string(),
        std::string(5000, 'a'), std::string("((((a{90}){90}){90}){90})")}) {
    const auto search = PatternSearch::compile(pattern, Span{3, 1, 2});
    ASSERT_FALSE(search.has_value()) << pattern.substr(0, 40);
    EXPECT_EQ(search.error()[0].code, code::bad_pattern);
    EXPECT_EQ(search.error()[0].span, (Span{3, 1, 2}));
  }
}

TEST(PatternSearch, MoreLiteralBytesAreMoreSpecific) {
  EXPECT_EQ(compiled("must be (.+?), got (.+?)").literal_bytes(), 14u);
  EXPECT_THAT(compiled("kv must be (.+?), got (.+?)").literals(),
              ElementsAre("kv must be ", ", got "));
}

TEST(RequiredLiterals, AreTheRunsThatEveryMatchContains) {
  EXPECT_THAT(required_literals("abc(.+?)def"), ElementsAre("abc", "def"));
  EXPECT_THAT(required_literals("ab?c"), ElementsAre("a", "c"));
  EXPECT_THAT(required_literals("ab+c"), ElementsAre("ab", "c"));
  EXPECT_THAT(required_literals("ab{0,2}c"), ElementsAre("a", "c"));
  EXPECT_THAT(required_literals("a(bc)d"), ElementsAre("abcd"));
  EXPECT_THAT(required_literals("a(bc)?d"), ElementsAre("a", "d"));
  EXPECT_THAT(required_literals("a(?:b|c)d"), ElementsAre("a", "d"));
  EXPECT_THAT(required_literals("a(b(c|d)e)f"), ElementsAre("ab", "ef"));
  EXPECT_THAT(required_literals(R"(a\.b\[c\]\d)"), ElementsAre("a.b[c]"));
  EXPECT_THAT(required_literals("a[.]b[xy]c[]d]e[^]f]g"), ElementsAre("a.b", "c", "e", "g"));
  EXPECT_THAT(required_literals("[[:alpha:]]x{y}"), ElementsAre("x{y}"));
  EXPECT_THAT(required_literals(R"(\x41b\x{42}c\pLd\p{Greek}e)"), ElementsAre("b", "c", "d", "e"));
}

TEST(RequiredLiterals, SayNothingWhereTheyCannotKnow) {
  EXPECT_THAT(required_literals("abc|def"), IsEmpty());
  EXPECT_THAT(required_literals("(?i)abc"), IsEmpty());
  EXPECT_THAT(required_literals("(?s:a(?i:bc))"), IsEmpty());
  EXPECT_THAT(required_literals(R"(\Qa+b\E)"), IsEmpty());
  EXPECT_THAT(required_literals(R"(abc\)"), ::testing::Contains("abc\\").Times(0));
}

TEST(ExtendLastGroup, ChangesOnlyALazyGroupBeforeALiteralEnd) {
  EXPECT_EQ(extend_last_group("got (.+?)"), "got (.+)");
  EXPECT_EQ(extend_last_group(R"(got (.+?)\. Bye)"), R"(got (.+)\. Bye)");
  EXPECT_EQ(extend_last_group("got (.{2,5}?)"), "got (.{2,5})");
  EXPECT_EQ(extend_last_group("got (.+?)(x)"), "got (.+?)(x)");
  EXPECT_EQ(extend_last_group("got (.+?) \\d"), "got (.+?) \\d");
  EXPECT_EQ(extend_last_group(R"(got (a\+?))"), R"(got (a\+?))");
  EXPECT_EQ(extend_last_group("got (a?)"), "got (a?)");
  EXPECT_EQ(extend_last_group("got ([+?])"), "got ([+?])");
}

}  // namespace
}  // namespace assay
