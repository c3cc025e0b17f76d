// What a caller tells about one tensor: the metadata that DLPack carries, borrowed and not owned.
// Numbers of dtype and device are DLPack's, so that a binding copies fields and converts nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace assay::sparse_mla_prefill {

struct DType {
  std::uint8_t code;  // DLDataTypeCode
  std::uint8_t bits;  // of one lane
  std::uint16_t lanes;
  bool operator==(const DType&) const = default;
};

inline constexpr DType kInt32{0, 32, 1};
inline constexpr DType kFloat32{2, 32, 1};
inline constexpr DType kBfloat16{4, 16, 1};
inline constexpr DType kFloat8E4m3fn{10, 8, 1};

struct Device {
  std::int32_t type = 1;  // DLDeviceType: 1 the CPU, 2 CUDA, ...
  std::int32_t id = 0;
  bool operator==(const Device&) const = default;
};
inline constexpr Device kCpu{};

struct TensorView {
  const void* data = nullptr;  // the first element (DLPack's byte_offset added)
  DType dtype{};
  Device device{};
  std::span<const std::int64_t> shape;    // elements; empty for a scalar
  std::span<const std::int64_t> strides;  // elements; empty means contiguous, rows first
};

}  // namespace assay::sparse_mla_prefill
