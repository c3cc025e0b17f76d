#include "engine/evaluate/message_template_miner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "engine/compile/pattern_search.h"
#include "engine/text/privacy_mask.h"

namespace assay {
namespace {

using ::testing::SizeIs;

TEST(MessageTemplate, ReplacesWhatVaries) {
  EXPECT_EQ(message_template("got 17 heads"), "got <*> heads");
  EXPECT_EQ(message_template("shape [2, 84738, 16] is bad"), "shape [<*>] is bad");
  EXPECT_EQ(message_template("Tried to allocate 2.00 GiB. GPU 0 has"),
            "Tried to allocate <*>. GPU <*> has");
  EXPECT_EQ(message_template("cannot open '/models/x' of bob"), "cannot open '<*>' of bob");
  EXPECT_EQ(message_template("cannot open /models/x: denied"), "cannot open <*>: denied");
  EXPECT_EQ(message_template("address 0x7f00aabbccdd of rank12"), "address <*> of <*>");
  EXPECT_EQ(message_template("tcp://10.0.0.2:40043 in use"), "<*> in use");
}

TEST(MessageTemplate, KeepsTheAuthorsWords) {
  EXPECT_EQ(message_template("query must be bfloat16, can't be fp8_e4m3"),
            "query must be bfloat16, can't be fp8_e4m3");
}

TEST(MessageTemplate, IsTheSameForMessagesThatDifferInTheirVariableParts) {
  EXPECT_EQ(message_template("layer 'a.1' has 3 of [1, 2]"),
            message_template("layer 'model.b' has 117 of [4, 5, 6]"));
}

TEST(MessageTemplate, ItsPatternMatchesTheMessage) {
  for (const std::string message :
       {"got 17 heads (of 20)", "cannot open '/x' [Errno 2]", "a+b is 3? {x}"}) {
    const auto pattern = PatternSearch::compile(template_as_pattern(message_template(message)), {});
    ASSERT_TRUE(pattern.has_value()) << message;
    EXPECT_TRUE(pattern->matches(message)) << message;
  }
  EXPECT_EQ(template_as_error_message("got <*> heads"), "got {} heads");
}

TEST(MessageTemplate, TakesWhatIsMaskedForAVariablePart) {
  const std::string message =
      "the peer 10.1.2.3:4000 of host=gpu-17.corp.example.com wants /home/alice/x with "
      "token=hf_abcdefghijklmnopqrstuvwxyz123456";
  const auto pattern =
      PatternSearch::compile(template_as_pattern(message_template(mask_private(message))), {});
  ASSERT_TRUE(pattern.has_value());
  EXPECT_TRUE(pattern->matches(message));
  EXPECT_TRUE(pattern->matches(mask_private(message)));
}

TEST(MessageTemplate, HostileMessagesEnd) {
  for (const char c : {'\'', '"', '[', '1', '/', '\xff', '\0', ':'})
    EXPECT_LE(message_template(std::string(100'000, c)).size(), 4096u);
}

TEST(MessageTemplateMiner, CountsAndRanks) {
  MessageTemplateMiner miner;
  miner.add("ValueError", "got 1 head", "a.log", 3, "");
  miner.add("KeyError", "no key 7", "a.log", 4, "");
  miner.add("KeyError", "no key 8", "b.log", 9, "");
  const auto ranked = miner.ranked();
  ASSERT_THAT(ranked, SizeIs(2));
  EXPECT_EQ(ranked[0].text, "no key <*>");
  EXPECT_EQ(ranked[0].count, 2u);
  EXPECT_EQ(ranked[0].example, "no key 7");
  EXPECT_EQ(ranked[0].line, 4u);
}

TEST(MessageTemplateMiner, KeepsWhatComesOftenWhenThereIsNoRoom) {
  MessageTemplateMiner miner;
  const auto word = [](std::size_t n) {
    std::string text;
    for (; n > 0; n /= 26) text += static_cast<char>('a' + n % 26);
    return "kind " + text;
  };
  for (int i = 0; i < 5; ++i) miner.add("", "often seen", "a.log", 1, "");
  for (std::size_t i = 1; i < 3 * MessageTemplateMiner::kMaxTemplates; ++i)
    miner.add("", word(i), "a.log", i, "");
  const auto ranked = miner.ranked();
  EXPECT_LE(ranked.size(), MessageTemplateMiner::kMaxTemplates);
  EXPECT_EQ(ranked[0].text, "often seen");
  EXPECT_GT(miner.dropped(), 0u);
}

}  // namespace
}  // namespace assay
