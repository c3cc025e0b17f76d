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

}  // namespace
}  // namespace assay
