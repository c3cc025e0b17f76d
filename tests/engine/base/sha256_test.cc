#include "engine/base/sha256.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

// The examples of FIPS 180-4, and lengths around the end of a block.
TEST(Sha256, GivesTheStandardsDigests) {
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_hex(std::string(64, 'a')),
            "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb");
}

TEST(Sha256, GivesARecordItsId) {
  EXPECT_EQ(sha256_hex("vllm-project/vllm\nengine-core-initialization-failed").substr(0, 16),
            "369c8e87e4a87529");
}

}  // namespace
}  // namespace assay
