#include "engine/compile/message_shape.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

std::string pattern_shape(std::string_view pattern) {
  const auto shape = shape_of_pattern(pattern);
  return shape ? to_string(*shape) : "none";
}

TEST(MessageShape, OfAPatternOpensGroupsClassesAndDots) {
  EXPECT_EQ(pattern_shape(R"(got (.+?)\.)"), "got {}.");
  EXPECT_EQ(pattern_shape(R"(^a\d+b[^)\]]*c(?:x|y)d.*$)"), "a{}b{}c{}d{}");
  EXPECT_EQ(pattern_shape(R"(\(SM100\/SM12x\)\n)"), "(SM100/SM12x)\n");
}

TEST(MessageShape, OfAPatternThatIsNoSequenceIsNone) {
  EXPECT_EQ(pattern_shape("a|b"), "none");
  EXPECT_EQ(pattern_shape("colou?r"), "none");
  EXPECT_EQ(pattern_shape("(?i)a"), "none");
  EXPECT_EQ(pattern_shape("(unclosed"), "none");
  EXPECT_EQ(pattern_shape("end\\"), "none");
}

TEST(MessageShape, CoversWhatItsOpenPartsCanStandFor) {
  const MessageShape outer = shape_of_record_message("{} must be {name}.");
  EXPECT_TRUE(covers(outer, *shape_of_template("x must be {y + 1}.")));
  EXPECT_TRUE(covers(outer, *shape_of_template("a must be b must be {c}.")));
  EXPECT_FALSE(covers(outer, *shape_of_template("x must not be {y}.")));
  EXPECT_FALSE(
      covers(shape_of_record_message("x must be 1."), *shape_of_template("x must be {y}.")));
}

TEST(MessageShape, OfAPatternIsFoundAnywhere) {
  const MessageShape part = *shape_of_pattern("must be (.+)");
  EXPECT_TRUE(covers_part(part, *shape_of_template("x must be {y}")));
  EXPECT_FALSE(covers_part(part, *shape_of_template("x must  be {y}")));
}

}  // namespace
}  // namespace assay
