#include "engine/read/timestamp.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(Timestamp, KnowsItsForm) {
  EXPECT_TRUE(is_timestamp("2026-08-28T05:10:05.995Z"));
  EXPECT_TRUE(is_timestamp("2026-08-28T05:10:05Z"));
  EXPECT_TRUE(is_timestamp("2016-12-31T23:59:60Z")) << "a leap second";
  for (const char* text :
       {"", "Z", "2026-08-28", "2026-08-28T05:10:05", "2026-08-28T05:10:05+02:00",
        "2026-08-28 05:10:05Z", "2026-13-28T05:10:05Z", "2026-00-28T05:10:05Z",
        "2026-08-32T05:10:05Z", "2026-08-28T24:10:05Z", "2026-08-28T05:60:05Z",
        "2026-08-28T05:10:61Z", "2026-08-28T05:10:05.Z", "2026-08-28T05:10:05.9x9Z"})
    EXPECT_FALSE(is_timestamp(text)) << text;
}

TEST(Timestamp, OrdersFractionsAfterTheWholeSecond) {
  EXPECT_TRUE(is_earlier("2026-08-28T05:10:05Z", "2026-08-28T05:10:05.995Z"));
  EXPECT_FALSE(is_earlier("2026-08-28T05:10:05.995Z", "2026-08-28T05:10:05Z"));
  EXPECT_TRUE(is_earlier("2026-08-28T05:10:05.995Z", "2026-08-28T05:10:06Z"));
  EXPECT_FALSE(is_earlier("2026-08-28T05:10:05Z", "2026-08-28T05:10:05Z"));
}

}  // namespace
}  // namespace assay
