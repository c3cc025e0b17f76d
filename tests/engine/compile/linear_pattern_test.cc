#include "engine/compile/linear_pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <re2/re2.h>

#include <random>

namespace assay {
namespace {

using ::testing::ElementsAre;

struct Hit {
  std::string_view matched = "(no match)";
  std::vector<std::string_view> captures;
};

Hit search(std::string_view pattern, std::string_view text) {
  Hit hit;
  const auto linear = LinearPattern::parse(pattern);
  EXPECT_TRUE(linear.has_value()) << pattern;
  if (linear) linear->search(text, hit.matched, hit.captures);
  return hit;
}

TEST(LinearPattern, LiteralsStandAtTheirFirstPlaces) {
  const Hit hit = search("a (.+?) b (.*?)c(.+)", "xa b b b c and more");
  EXPECT_EQ(hit.matched, "a b b b c and more");
  EXPECT_THAT(hit.captures, ElementsAre("b", "b ", " and more"));
}

TEST(LinearPattern, AGreedyGroupReachesToTheLastPlace) {
  EXPECT_THAT(search(R"(got (.+)\.)", "got torch.bfloat16. no").captures,
              ElementsAre("torch.bfloat16"));
  EXPECT_EQ(search("a(.+)b", "ab").matched, "(no match)");
  EXPECT_THAT(search("a(.*)b", "ab").captures, ElementsAre(""));
}

TEST(LinearPattern, OtherPatternsAreNotTaken) {
  for (const std::string pattern :
       {"", "a|b", "ab?", "ab*", "a{2}", "(.+?)(.+?)", "(.+?)", "(a)", "a.", "^a", "a$", "\\d",
        "[a]", "(.+)a(.+)", "a\\nb", "(.+?)+a", "\\x41", "(?i)a"})
    EXPECT_FALSE(LinearPattern::parse(pattern).has_value()) << pattern;
}

TEST(LinearPattern, FindsWhatRe2Finds) {
  std::mt19937 random(3);
  const std::vector<std::string> parts{"a",   "b",    "ab",    "ba",    "aab",
                                       "\\.", "\xe9", "(.+?)", "(.*?)", "(.+?)"};
  const std::string alphabet =
      "aaabbb.\xe9"
      "c";
  re2::RE2::Options options(re2::RE2::Latin1);
  options.set_log_errors(false);
  int matches = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string pattern;
    for (std::size_t i = 1 + random() % 7; i > 0; --i) pattern += parts[random() % parts.size()];
    if (random() % 3 == 0) pattern += random() % 2 == 0 ? "(.+)" : "(.*)b";
    const auto linear = LinearPattern::parse(pattern);
    if (!linear) continue;
    const re2::RE2 re(pattern, options);
    std::string text(random() % 20, ' ');
    for (char& c : text) c = alphabet[random() % alphabet.size()];
    std::vector<re2::StringPiece> pieces(1 +
                                         static_cast<std::size_t>(re.NumberOfCapturingGroups()));
    Hit hit;
    const bool is_found = linear->search(text, hit.matched, hit.captures);
    ASSERT_EQ(is_found, re.Match(text, 0, text.size(), re2::RE2::UNANCHORED, pieces.data(),
                                 static_cast<int>(pieces.size())))
        << pattern << " in " << text;
    if (!is_found) continue;
    ++matches;
    ASSERT_EQ(hit.matched, std::string_view(pieces[0].data(), pieces[0].size()))
        << pattern << " in " << text;
    ASSERT_EQ(hit.captures.size() + 1, pieces.size());
    for (std::size_t i = 1; i < pieces.size(); ++i)
      ASSERT_EQ(hit.captures[i - 1].data(), pieces[i].data()) << pattern << " in " << text;
  }
  EXPECT_GT(matches, 300);
}

}  // namespace
}  // namespace assay
