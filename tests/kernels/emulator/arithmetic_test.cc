// Instructions on registers, as the PTX ISA says.
#include "kernels/ptx/arithmetic.h"

#include <gtest/gtest.h>

#include <cmath>

namespace assay::emulator {
namespace {

TEST(arithmetic, permutes_bytes_as_the_isa_says) {
  EXPECT_EQ(ptx::permute_bytes(0x33221100, 0x77665544, 0x6420), 0x66442200U);
  EXPECT_EQ(ptx::permute_bytes(0x33221100, 0x77665544, 0x7531), 0x77553311U);
  EXPECT_EQ(ptx::permute_bytes(0x00008000, 0, 0x0009), 0x000000ffU);  // byte 1's sign, then byte 0
}

TEST(arithmetic, packs_low_first_and_saturates) {
  EXPECT_EQ(ptx::pack_e4m3(1.0F, -2.0F), 0xc038U);
  EXPECT_EQ(ptx::pack_e4m3(1e9F, -1e9F), 0xfe7eU);
  EXPECT_EQ(ptx::pack_e4m3(std::nanf(""), 0.0F), 0x007fU);
  EXPECT_EQ(ptx::pack_bf16(1.0F, 2.0F), 0x40003f80U);
  EXPECT_TRUE(std::isnan(ptx::max_or_nan(1, std::nanf(""))));
  EXPECT_EQ(ptx::max_or_nan(1, 2), 2);
}

}  // namespace
}  // namespace assay::emulator
