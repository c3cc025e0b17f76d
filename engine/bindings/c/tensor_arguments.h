// DLPack's structures as the engine's views: copied field by field, nothing is read through a
// tensor's data.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

#include "engine/bindings/c/edge.h"
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
  TensorView view;
  view.data = tensor.data;
  view.dtype = {tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes};
  view.device = std::bit_cast<Device>(tensor.device);  // may hold a number that the enum lacks
  view.shape = {tensor.shape, rank};
  if (tensor.strides != nullptr) view.strides = {tensor.strides, rank};
  view.byte_offset = tensor.byte_offset;
  return view;
}

// ASSAY_FINDINGS with the report of it, where somebody wants it.
assay_status refusal(const ContractReportInput& input, char** report, char** message);

}  // namespace assay::c
