// The engine's tensor metadata under the names that the prefill uses.
#pragma once

#include "engine/model/tensor_view.h"

namespace assay::sparse_mla_prefill {

using assay::Device;
using assay::TensorView;
using DType = assay::ElementType;

inline constexpr DType kInt32{0, 32, 1};
inline constexpr DType kFloat32{2, 32, 1};
inline constexpr DType kBfloat16{4, 16, 1};
inline constexpr DType kFloat8E4m3fn{10, 8, 1};
inline constexpr Device kCpu{};

}  // namespace assay::sparse_mla_prefill
