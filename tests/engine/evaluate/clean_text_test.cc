// What is shown of a line is what was searched.
#include "engine/evaluate/clean_text.h"

#include <gtest/gtest.h>

#include <string_view>

namespace assay {
namespace {

TEST(CleanText, APartIsReadAsInItsText) {
  constexpr std::string_view kTime = "config[prefill[5m].backend";
  EXPECT_EQ(part_without_escapes(kTime.substr(7, 10), kTime), "prefill[5m");
  constexpr std::string_view kColour = "config[prefill[5m .backend";
  EXPECT_EQ(part_without_escapes(kColour.substr(7, 10), kColour), "prefill");
}

TEST(CleanText, APartAtTheEndOrFromElsewhereIsTakenByItself) {
  constexpr std::string_view kText = "config[prefill[5m";
  EXPECT_EQ(part_without_escapes(kText.substr(7), kText), "prefill");
  EXPECT_EQ(part_without_escapes("prefill[5m", kText), "prefill");
}

}  // namespace
}  // namespace assay
