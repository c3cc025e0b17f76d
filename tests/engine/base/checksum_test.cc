#include "engine/base/checksum.h"

#include <gtest/gtest.h>

#include <string>

namespace assay {
namespace {

// What the reference implementation (xxhsum -H64) gives.
TEST(Checksum, IsXxh64) {
  EXPECT_EQ(checksum(""), 0xef46db3751d8e999u);
  EXPECT_EQ(checksum("abc"), 0x44bc2cf5ad770999u);
  EXPECT_EQ(checksum("Nobody inspects the spammish repetition"), 0xfbcea83c8a378bf1u);
}

TEST(Checksum, SeesEveryByteOfALongText) {
  const std::string text(101, 'x');
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string changed = text;
    changed[at] = 'y';
    EXPECT_NE(checksum(changed), checksum(text)) << at;
  }
}

}  // namespace
}  // namespace assay
