#include "engine/text/utf16.h"

#include <gtest/gtest.h>

#include <string_view>

namespace assay {
namespace {

using namespace std::string_view_literals;

std::string decode(std::string_view text) { return decode_utf16(std::string(text)); }

TEST(Utf16, BothByteOrdersAreDecoded) {
  EXPECT_EQ(decode("\xff\xfe"
                   "a\0\n\0"sv),
            "a\n");
  EXPECT_EQ(decode("\xfe\xff"
                   "\0a\0\n"sv),
            "a\n");
  EXPECT_EQ(decode("\xff\xfe"
                   "\xe9\0\xac\x20"sv),
            "\xc3\xa9\xe2\x82\xac");
  EXPECT_EQ(decode("\xfe\xff\xd8\x3d\xde\x00"sv), "\xf0\x9f\x98\x80");
  EXPECT_EQ(decode("\xff\xfe"sv), "");
}

TEST(Utf16, BrokenPairsAndAnOddByteAreReplaced) {
  EXPECT_EQ(decode("\xff\xfe"
                   "\x3d\xd8"
                   "a\0"sv),
            "\xef\xbf\xbd"
            "a");
  EXPECT_EQ(decode("\xff\xfe"
                   "\x00\xde"sv),
            "\xef\xbf\xbd");
  EXPECT_EQ(decode("\xff\xfe"
                   "\x3d\xd8"sv),
            "\xef\xbf\xbd");
  EXPECT_EQ(decode("\xff\xfe"
                   "a\0b"sv),
            "a\xef\xbf\xbd");
}

TEST(Utf16, WithoutAMarkNothingIsChanged) {
  for (const std::string_view text : {""sv, "a"sv, "\xff"sv, "a\0b\0"sv,
                                      "\xef\xbb\xbf"
                                      "a"sv,
                                      "\xff\xfe\0\0a\0\0\0"sv})
    EXPECT_EQ(decode(text), text);
}

}  // namespace
}  // namespace assay
