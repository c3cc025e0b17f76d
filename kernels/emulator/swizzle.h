// Where the elements of a matrix operand lie in shared memory (PTX ISA, "Asynchronous warpgroup
// level matrix shared memory layout": matrix descriptor, strides, swizzling modes).
#pragma once

#include <cstdint>

namespace assay::emulator {

// The values are those of bits 62 and 63 of a matrix descriptor.
enum class Swizzle : std::uint8_t { none = 0, bytes128 = 1, bytes64 = 2, bytes32 = 3 };

// The bytes of K that a swizzled row holds; 16 without swizzle (a row of a core matrix).
constexpr std::uint32_t row_bytes(Swizzle swizzle) {
  switch (swizzle) {
    case Swizzle::none:
      return 16;
    case Swizzle::bytes128:
      return 128;
    case Swizzle::bytes64:
      return 64;
    case Swizzle::bytes32:
      return 32;
  }
  return 16;
}

// Exchanges 16-byte pieces: address bits 4 and up are xored with bits 7 and up, three bits of them
// for 128 bytes, two for 64, one for 32.
constexpr std::uint32_t swizzle_address(Swizzle swizzle, std::uint32_t address) {
  const std::uint32_t mask = row_bytes(swizzle) / 16 - 1;
  return address ^ (((address >> 7U) & mask) << 4U);
}

struct MatrixDescriptor {
  std::uint32_t address = 0;        // of the first byte; 18 bits, a multiple of 16
  std::uint32_t leading_bytes = 0;  // K-major, no swizzle: to the next 16 bytes of K
  std::uint32_t stride_bytes = 0;   // to the next 8 rows
  std::uint32_t base_offset = 0;
  Swizzle swizzle = Swizzle::none;
};

constexpr MatrixDescriptor decode_descriptor(std::uint64_t bits) {
  const auto field = [bits](unsigned shift, unsigned mask) {
    return static_cast<std::uint32_t>(bits >> shift) & mask;
  };
  return {field(0, 0x3fff) << 4U, field(16, 0x3fff) << 4U, field(32, 0x3fff) << 4U, field(49, 7),
          static_cast<Swizzle>(field(62, 3))};
}

// Of byte `k` of row `row` (of M or N) of a K-major operand.
constexpr std::uint32_t element_address(const MatrixDescriptor& matrix, std::uint32_t row,
                                        std::uint32_t k) {
  const std::uint32_t rows = matrix.address + row / 8 * matrix.stride_bytes;
  if (matrix.swizzle == Swizzle::none) {
    return rows + row % 8 * 16 + k / 16 * matrix.leading_bytes + k % 16;
  }
  return swizzle_address(matrix.swizzle, rows + row % 8 * row_bytes(matrix.swizzle) + k);
}

}  // namespace assay::emulator
