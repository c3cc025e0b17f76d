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
  constexpr std::uint32_t number() const { return std::bit_cast<std::uint32_t>(*this); }
  // As one number: the hot path of every check.
  constexpr bool operator==(const ElementType& other) const { return number() == other.number(); }

  std::int64_t size_bytes() const { return (std::int64_t{bits} * lanes + 7) / 8; }
};

struct Device {
  std::int32_t type = 1;  // DLDeviceType: 1 the CPU, 2 CUDA, ...
  std::int32_t id = 0;
  constexpr bool operator==(const Device& other) const {
    return std::bit_cast<std::uint64_t>(*this) == std::bit_cast<std::uint64_t>(other);
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
