// Instructions without memory. exp2 and log2 are exact here to the last bit or two, where the
// hardware's approximations differ by up to 2^-22: compare with tolerance.
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/emulator/device_calls.h"
#include "kernels/sparse_mla_prefill/bf16.h"
#include "kernels/sparse_mla_prefill/fp8.h"

namespace assay::emulator {
namespace {

constexpr float kLargestE4m3 = 448.0F;

std::uint32_t encode_saturating(float value) {
  if (std::isnan(value)) return 0x7f;
  return sparse_mla_prefill::encode_e4m3(std::clamp(value, -kLargestE4m3, kLargestE4m3));
}

// .ftz: subnormal operands and results count as zero of their sign.
float flush(float value) {
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0F, value) : value;
}

}  // namespace

// PTX ISA prmt, default mode: bits 0 to 2 of each selector nibble choose a byte, bit 3 spreads that
// byte's sign instead.
std::uint32_t permute_bytes(std::uint32_t low, std::uint32_t high, std::uint32_t selector) {
  const std::uint64_t bytes = (std::uint64_t{high} << 32U) | low;
  std::uint32_t result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const std::uint32_t nibble = selector >> (4 * i) & 0xfU;
    const auto byte = static_cast<std::uint32_t>(bytes >> (8 * (nibble & 7U))) & 0xffU;
    const std::uint32_t spread = (byte & 0x80U) != 0 ? 0xffU : 0U;
    result |= ((nibble & 8U) != 0 ? spread : byte) << (8 * i);
  }
  return result;
}

std::uint32_t pack_e4m3(float low, float high) {
  return encode_saturating(low) | encode_saturating(high) << 8U;
}

std::uint32_t pack_bf16(float low, float high) {
  const std::uint32_t high_bits = sparse_mla_prefill::float_to_bf16(high);
  return sparse_mla_prefill::float_to_bf16(low) | high_bits << 16U;
}

float exp2_approximate(float value) { return flush(std::exp2(flush(value))); }

float log2_approximate(float value) { return std::log2(flush(value)); }

float max_or_nan(float a, float b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<float>::quiet_NaN();
  return std::max(a, b);
}

}  // namespace assay::emulator
