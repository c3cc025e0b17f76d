#include "engine/evaluate/error_anchors.h"

#include <gtest/gtest.h>

#include <string>

namespace assay {
namespace {

TEST(ErrorAnchors, FindsEveryWordAtEveryPlaceInEveryCase) {
  for (const std::string word :
       {"Error", "ERROR", "exception", "Traceback", "Assert", "FATAL", "CRITICAL"})
    for (std::size_t at = 0; at < 200; ++at) {
      const std::string text = std::string(at, 'x') + word + std::string(100, 'y');
      EXPECT_EQ(find_error_anchor(text, 0), at) << word << " at " << at;
      EXPECT_EQ(find_error_anchor(text.substr(0, at + word.size()), 0), at) << word;
      EXPECT_EQ(find_error_anchor(text, at + 1), std::string::npos);
    }
}

TEST(ErrorAnchors, AHealthyTextHasNone) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "terra arrow stretcher facet asset site [TP0] decode ";
  EXPECT_EQ(find_error_anchor(text, 0), std::string::npos);
  EXPECT_EQ(find_error_anchor("", 0), std::string::npos);
  EXPECT_EQ(find_error_anchor("erro", 0), std::string::npos);
}

}  // namespace
}  // namespace assay
