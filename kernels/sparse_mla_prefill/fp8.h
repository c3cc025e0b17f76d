// float8_e4m3fn: one sign bit, four exponent bits with bias 7, three mantissa bits; no infinities;
// NaN is 0x7f and 0xff; the largest value is 448, the smallest 2^-9. Every value is exact in
// bfloat16, so products of two are exact in float32.
#pragma once

#include <array>
#include <cstdint>
#include <limits>

namespace assay::sparse_mla_prefill {

constexpr float decode_e4m3(std::uint8_t bits) {
  const int exponent = (bits >> 3) & 15;
  const int mantissa = bits & 7;
  const float sign = (bits & 0x80) != 0 ? -1.0F : 1.0F;
  if (exponent == 15 && mantissa == 7) {
    constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
    return (bits & 0x80) != 0 ? -kNaN : kNaN;
  }
  float value = static_cast<float>(exponent == 0 ? mantissa : mantissa + 8) * 0x1p-9F;
  for (int doubling = 1; doubling < exponent; ++doubling) value *= 2.0F;
  return sign * value;
}

// Rounds to nearest, ties to even. As torch's cast does, it does not saturate: what would round
// beyond 448 (an absolute value above 464), an infinity and a NaN become NaN. Clamp first to
// saturate.
std::uint8_t encode_e4m3(float value);

// The magnitudes 0x00 to 0x7f as bfloat16 bits, for back ends that decode by table.
extern const std::array<std::uint16_t, 128> kE4m3AsBf16;

}  // namespace assay::sparse_mla_prefill
