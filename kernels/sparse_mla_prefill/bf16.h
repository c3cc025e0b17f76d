// bfloat16 as its 16 bits: the upper half of a float32. Rounding is to nearest, ties to even; a NaN
// stays a NaN (its quiet bit is set, so that cutting the payload cannot make an infinity of it).
#pragma once

#include <bit>
#include <cstdint>

namespace assay::sparse_mla_prefill {

constexpr float bf16_to_float(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

constexpr std::uint16_t float_to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = bits + 0x7fffU + ((bits >> 16) & 1U);
  const bool is_nan = (bits & 0x7fffffffU) > 0x7f800000U;
  return static_cast<std::uint16_t>((is_nan ? bits | 0x00400000U : rounded) >> 16);
}

}  // namespace assay::sparse_mla_prefill
