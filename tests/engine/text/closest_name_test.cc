#include "engine/text/closest_name.h"

#include <gtest/gtest.h>

#include <string>

namespace assay {
namespace {

TEST(ClosestName, FindsATypingMistake) {
  EXPECT_EQ(closest_name("sevrity", {"summary", "severity", "step"}), "severity");
  EXPECT_EQ(closest_name("sevreity", {"severity"}), "severity") << "a swap counts once";
  EXPECT_EQ(closest_name("tp_sizes", {"pp_size", "tp_size"}), "tp_size");
  EXPECT_EQ(closest_name("abc", {"abd", "abe"}), "abd") << "the first of equally close ones";
}

TEST(ClosestName, IsEmptyWhenNothingIsClose) {
  EXPECT_EQ(closest_name("colour", {"severity", "step"}), "");
  EXPECT_EQ(closest_name("tp", {"pp"}), "");
  EXPECT_EQ(closest_name("", {"a"}), "");
  EXPECT_EQ(closest_name(std::string(1000, 'a'), {"a"}), "");
}

TEST(ClosestMisspelling, IsASlipOrTwoOfOneName) {
  EXPECT_EQ(closest_misspelling("fp8_e4m4", {"bf16", "fp8_e4m3"}), "fp8_e4m3");
  EXPECT_EQ(closest_misspelling("attention_bakcned", {"attention_backend"}), "attention_backend");
  EXPECT_EQ(closest_misspelling("fp16", {"bf16"}), "") << "two slips in a name of four letters";
  EXPECT_EQ(closest_misspelling("fp8", {"fp4"}), "");
  EXPECT_EQ(closest_misspelling("xp_size", {"tp_size", "dp_size"}), "") << "as likely";
  EXPECT_EQ(closest_misspelling("disable_cache", {"enable_cache"}), "") << "the opposite";
}

}  // namespace
}  // namespace assay
