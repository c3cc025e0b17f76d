// Encoding float8_e4m3fn by letting float32 addition round: adding 2^k, whose last mantissa bit
// weighs as much as the last bit wanted, drops the rest to nearest-even; subtracting it again is
// exact. The tests compare every finite value, every midpoint and their neighbours with a search.
#include "kernels/sparse_mla_prefill/fp8.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "kernels/sparse_mla_prefill/bf16.h"

namespace assay::sparse_mla_prefill {

std::uint8_t encode_e4m3(float value) {
  const auto sign = static_cast<std::uint8_t>(std::signbit(value) ? 0x80 : 0);
  const float magnitude = std::fabs(value);
  if (!(magnitude <= 464.0F)) return static_cast<std::uint8_t>(sign | 0x7f);
  // The last bit of a normal value weighs 2^(exponent - 3), of a subnormal one 2^-9.
  const int exponent = magnitude == 0.0F ? -6 : std::max(std::ilogb(magnitude), -6);
  const float carrier = std::ldexp(1.0F, exponent - 3 + 23);
  const float rounded = (magnitude + carrier) - carrier;
  const auto steps = static_cast<int>(std::ldexp(rounded, 3 - exponent));  // 0 to 16
  // A carry out of the mantissa (16 steps, or 8 from a subnormal) adds into the exponent field.
  return static_cast<std::uint8_t>(sign | (((exponent + 6) << 3) + steps));
}

constinit const std::array<std::uint16_t, 128> kE4m3AsBf16 = [] {
  std::array<std::uint16_t, 128> table{};
  for (std::size_t bits = 0; bits < table.size(); ++bits) {
    table[bits] = float_to_bf16(decode_e4m3(static_cast<std::uint8_t>(bits)));
  }
  return table;
}();

}  // namespace assay::sparse_mla_prefill
