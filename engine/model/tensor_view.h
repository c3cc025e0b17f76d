// What a caller tells about one tensor: the metadata that DLPack carries, borrowed and not owned.
// Numbers of element type and device are DLPack's, so that a binding copies fields and converts
// nothing.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace assay {

struct ElementType {
  std::uint8_t code;  // DLDataTypeCode
  std::uint8_t bits;  // of one lane
  std::uint16_t lanes;
  // As one number, as which a check compares it.
  friend constexpr bool operator==(ElementType a, ElementType b) {
    return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
  }

  std::int64_t size_bytes() const { return (std::int64_t{bits} * lanes + 7) / 8; }
};

struct Device {
  std::int32_t type = 1;  // DLDeviceType: 1 the CPU, 2 CUDA, ...
  std::int32_t id = 0;
  friend constexpr bool operator==(Device a, Device b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
  }
};
inline constexpr std::int32_t kCpuDeviceType = 1;
inline constexpr std::int32_t kCudaDeviceType = 2;

struct TensorView {
  const void* data = nullptr;  // never read through by what checks metadata
  ElementType dtype{};
  Device device{};
  std::span<const std::int64_t> shape;    // elements; empty for a scalar
  std::span<const std::int64_t> strides;  // elements; empty means contiguous, rows first
  std::uint64_t byte_offset = 0;          // of the first element, from `data`

  std::uintptr_t address() const { return reinterpret_cast<std::uintptr_t>(data) + byte_offset; }
};

}  // namespace assay
