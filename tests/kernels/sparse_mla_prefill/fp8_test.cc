#include "kernels/sparse_mla_prefill/fp8.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "kernels/sparse_mla_prefill/bf16.h"

namespace assay::sparse_mla_prefill {
namespace {

bool is_nan_byte(unsigned bits) { return (bits & 0x7f) == 0x7f; }

TEST(Fp8, decodes_every_byte_as_the_format_defines_it) {
  for (unsigned bits = 0; bits < 256; ++bits) {
    const float value = decode_e4m3(static_cast<std::uint8_t>(bits));
    const int exponent = static_cast<int>(bits >> 3 & 15);
    const double fraction = (bits & 7) / 8.0;
    const double magnitude =
        exponent == 0 ? std::ldexp(fraction, -6) : std::ldexp(1 + fraction, exponent - 7);
    EXPECT_EQ(std::signbit(value), bits >= 128) << bits;
    if (is_nan_byte(bits)) {
      EXPECT_TRUE(std::isnan(value)) << bits;
    } else {
      EXPECT_EQ(std::fabs(double{value}), magnitude) << bits;
    }
  }
}

TEST(Fp8, every_magnitude_is_exact_in_bfloat16) {
  for (unsigned bits = 0; bits < 128; ++bits) {
    const float expected = decode_e4m3(static_cast<std::uint8_t>(bits));
    const float value = bf16_to_float(kE4m3AsBf16[bits]);
    EXPECT_TRUE(value == expected || (std::isnan(value) && is_nan_byte(bits))) << bits;
  }
}

TEST(Fp8, encodes_every_value_back_to_its_byte) {
  for (unsigned bits = 0; bits < 256; ++bits) {
    const auto byte = static_cast<std::uint8_t>(bits);
    EXPECT_EQ(encode_e4m3(decode_e4m3(byte)), byte) << bits;
  }
}

TEST(Fp8, rounds_to_the_nearest_value_and_ties_to_the_even_byte) {
  for (unsigned bits = 0; bits < 0x7e; ++bits) {
    const auto lower = static_cast<std::uint8_t>(bits);
    const auto upper = static_cast<std::uint8_t>(bits + 1);
    const float middle = (decode_e4m3(lower) + decode_e4m3(upper)) / 2;
    EXPECT_EQ(encode_e4m3(middle), bits % 2 == 0 ? lower : upper) << bits;
    EXPECT_EQ(encode_e4m3(std::nextafter(middle, 0.0F)), lower) << bits;
    EXPECT_EQ(encode_e4m3(std::nextafter(middle, 1000.0F)), upper) << bits;
    EXPECT_EQ(encode_e4m3(-middle), (bits % 2 == 0 ? lower : upper) | 0x80) << bits;
  }
}

TEST(Fp8, what_rounds_beyond_448_is_nan) {
  EXPECT_EQ(encode_e4m3(464.0F), 0x7e);
  EXPECT_EQ(encode_e4m3(std::nextafter(464.0F, 500.0F)), 0x7f);
  EXPECT_EQ(encode_e4m3(-INFINITY), 0xff);
  EXPECT_EQ(encode_e4m3(3e38F), 0x7f);
  EXPECT_EQ(encode_e4m3(NAN) & 0x7f, 0x7f);
}

TEST(Fp8, what_is_nearer_to_zero_than_to_the_smallest_value_is_a_signed_zero) {
  EXPECT_EQ(encode_e4m3(0x1p-10F), 0x00);
  EXPECT_EQ(encode_e4m3(-0x1p-10F), 0x80);
  EXPECT_EQ(encode_e4m3(1e-45F), 0x00);
  EXPECT_EQ(encode_e4m3(-0.0F), 0x80);
}

TEST(Bf16, rounds_to_nearest_even_and_keeps_nan) {
  EXPECT_EQ(float_to_bf16(1.0F), 0x3f80);
  EXPECT_EQ(float_to_bf16(std::bit_cast<float>(0x3f808000U)), 0x3f80);  // a tie, down to even
  EXPECT_EQ(float_to_bf16(std::bit_cast<float>(0x3f818000U)), 0x3f82);  // a tie, up to even
  EXPECT_EQ(float_to_bf16(std::bit_cast<float>(0x3f808001U)), 0x3f81);
  EXPECT_EQ(float_to_bf16(3.4e38F), 0x7f80);
  EXPECT_TRUE(std::isnan(bf16_to_float(float_to_bf16(std::bit_cast<float>(0x7f800001U)))));
  EXPECT_TRUE(std::isnan(bf16_to_float(float_to_bf16(std::bit_cast<float>(0xffffffffU)))));
}

}  // namespace
}  // namespace assay::sparse_mla_prefill
