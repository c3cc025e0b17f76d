#include "engine/text/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace assay {
namespace {

TEST(Utf8, ReadsBackEveryCodePoint) {
  for (char32_t c = 0; c < 0x110000; ++c) {
    if (c == 0xd800) c = 0xe000;
    std::string text;
    append_utf8(text, c);
    std::size_t offset = 0;
    ASSERT_EQ(next_code_point(text, offset), c);
    ASSERT_EQ(offset, text.size());
    ASSERT_EQ(first_invalid_utf8(text), text.size());
  }
}

TEST(Utf8, FindsTheFirstWrongByte) {
  const std::string good = "0123456789 \xc3\xa4 ";
  for (const char* bad :
       {"\x80", "\xc0\x80", "\xc1\xbf", "\xc3", "\xc3(", "\xe0\x80\x80", "\xe2\x82", "\xed\xa0\x80",
        "\xf0\x80\x80\x80", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "\xf0\x9f\x98"}) {
    EXPECT_EQ(first_invalid_utf8(good + bad), good.size());
    EXPECT_EQ(first_invalid_utf8(good + bad + " and more text behind"), good.size());
  }
}

TEST(Utf8, StepsOverAWrongByte) {
  const std::string_view text = "\xe2\x82z";
  std::size_t offset = 0;
  EXPECT_EQ(next_code_point(text, offset), kNotUtf8);
  EXPECT_EQ(next_code_point(text, offset), kNotUtf8);
  EXPECT_EQ(next_code_point(text, offset), U'z');
  EXPECT_EQ(offset, text.size());
}

}  // namespace
}  // namespace assay
