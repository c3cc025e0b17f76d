#include "engine/evaluate/prompt_spans.h"

#include <gtest/gtest.h>

#include <string>

namespace assay {
namespace {

bool holds(std::string_view line) { return PromptSpans(line).holds(line.find("BAD")); }

TEST(PromptSpans, HoldTheTextOfRequestsAndAnswers) {
  EXPECT_TRUE(holds("obj=Req(rid='a', text='why BAD')"));
  EXPECT_TRUE(holds("Received request cmpl-1: prompt: 'why BAD', params: 1"));
  EXPECT_TRUE(holds(R"({"messages": [{"role": "user", "content": "why BAD"}]})"));
  EXPECT_TRUE(holds("text=['a', 'why BAD']"));
  EXPECT_TRUE(holds(R"(text='it\'s "BAD"')"));
  EXPECT_TRUE(holds("input_text='cut BAD"));
}

TEST(PromptSpans, HoldNothingElse) {
  EXPECT_FALSE(holds("BAD"));
  EXPECT_FALSE(holds("text='a' BAD"));
  EXPECT_FALSE(holds("text=BAD"));
  EXPECT_FALSE(holds("out={'text': '', 'message': 'BAD'}"));
  EXPECT_FALSE(holds("the prompt wasn't 'BAD'"));
  EXPECT_FALSE(holds("RuntimeError('BAD')"));
}

TEST(PromptSpans, LongLinesAreReadInPart) {
  EXPECT_TRUE(holds("text='" + std::string(1 << 20, '\\') + "BAD"));
  EXPECT_FALSE(holds(std::string(1 << 20, '\'') + "text='BAD'"));
}

}  // namespace
}  // namespace assay
