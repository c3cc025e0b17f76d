// DLPack's structures as the engine's views: copied field by field, nothing is read through a
// tensor's data.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

#include "engine/bindings/c/edge.h"
#include "engine/model/tensor_access.h"
#include "engine/model/tensor_view.h"
#include "engine/report/contract_report.h"

namespace assay::c {

inline constexpr std::int32_t kMaxRank = 64;

// Whether its shape can be looked at at all.
inline bool is_readable(const DLTensor& tensor) {
  return tensor.ndim >= 0 && tensor.ndim <= kMaxRank &&
         (tensor.shape != nullptr || tensor.ndim == 0);
}
// Says why not.
assay_status unreadable(std::string_view name, const DLTensor& tensor, char** message);

// Of a readable one; borrows its shape and strides.
inline TensorView view_of(const DLTensor& tensor) {
  const auto rank = static_cast<std::size_t>(tensor.ndim);
  // Types and devices as one number each: a processor waits where it reads as one what was written
  // in parts. The device's may be one that DLPack's enum lacks.
  return {.data = tensor.data,
          .dtype = std::bit_cast<ElementType>(tensor.dtype),
          .device = std::bit_cast<Device>(tensor.device),
          .shape = {tensor.shape, rank},
          .strides = {tensor.strides, tensor.strides == nullptr ? 0 : rank},
          .byte_offset = tensor.byte_offset};
}

// Tensors as they were given, of which any field may be anything (model/tensor_access.h). Types and
// devices as one number each, as in view_of.
struct DlpackAccess {
  using Tensor = DLTensor;
  static bool has_shape(const DLTensor& tensor, std::size_t rank) {
    return tensor.ndim == static_cast<std::int32_t>(rank) && tensor.shape != nullptr;
  }
  static bool has_axis(const DLTensor& tensor, std::size_t axis) {
    return tensor.ndim <= kMaxRank && tensor.ndim > static_cast<std::int32_t>(axis) &&
           tensor.shape != nullptr;
  }
  static bool has_strides(const DLTensor& tensor, std::size_t /*rank*/) {
    return tensor.strides != nullptr;
  }
  static bool has_no_strides(const DLTensor& tensor) { return tensor.strides == nullptr; }
  static const std::int64_t* shape(const DLTensor& tensor) { return tensor.shape; }
  static const std::int64_t* strides(const DLTensor& tensor) { return tensor.strides; }
  static const void* data(const DLTensor& tensor) { return tensor.data; }
  static std::uint64_t byte_offset(const DLTensor& tensor) { return tensor.byte_offset; }
  static std::uint32_t dtype(const DLTensor& tensor) {
    return std::bit_cast<std::uint32_t>(tensor.dtype);
  }
  static Device device(const DLTensor& tensor) { return std::bit_cast<Device>(tensor.device); }
  static bool is_readable(const DLTensor& tensor) { return c::is_readable(tensor); }
  static TensorView view(const DLTensor& tensor) { return view_of(tensor); }
};

// ASSAY_FINDINGS with the report of it, where somebody wants it.
assay_status refusal(const ContractReportInput& input, char** report, char** message);

}  // namespace assay::c
