// Tensor metadata in the words of PyTorch, which the engine's messages are made of.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "kernels/sparse_mla_prefill/tensor_view.h"

namespace assay::sparse_mla_prefill {

std::string dtype_text(DType dtype);                          // "torch.float8_e4m3fn"
std::string shape_text(std::span<const std::int64_t> shape);  // "(4, 128, 576)", "(4,)", "()"
std::string device_text(Device device);                       // "cpu", "cuda:0"

}  // namespace assay::sparse_mla_prefill
