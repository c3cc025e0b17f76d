// PyTorch's names for DLPack's codes. A dtype that PyTorch has no name for is shown by its numbers.
#include "kernels/sparse_mla_prefill/tensor_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace assay::sparse_mla_prefill {
namespace {

constexpr auto kDTypeNames = std::to_array<std::pair<DType, std::string_view>>({
    {{0, 8, 1}, "int8"},
    {{0, 16, 1}, "int16"},
    {kInt32, "int32"},
    {{0, 64, 1}, "int64"},
    {{1, 8, 1}, "uint8"},
    {{1, 16, 1}, "uint16"},
    {{1, 32, 1}, "uint32"},
    {{1, 64, 1}, "uint64"},
    {{2, 16, 1}, "float16"},
    {kFloat32, "float32"},
    {{2, 64, 1}, "float64"},
    {kBfloat16, "bfloat16"},
    {{5, 64, 1}, "complex64"},
    {{5, 128, 1}, "complex128"},
    {{6, 8, 1}, "bool"},
    {kFloat8E4m3fn, "float8_e4m3fn"},
    {{11, 8, 1}, "float8_e4m3fnuz"},
    {{12, 8, 1}, "float8_e5m2"},
    {{13, 8, 1}, "float8_e5m2fnuz"},
    {{14, 8, 1}, "float8_e8m0fnu"},
});

}  // namespace

std::string dtype_text(DType dtype) {
  const auto* const found = std::find_if(kDTypeNames.begin(), kDTypeNames.end(),
                                         [&](const auto& entry) { return entry.first == dtype; });
  if (found != kDTypeNames.end()) return fmt::format("torch.{}", found->second);
  return fmt::format("DLPack dtype (code {}, bits {}, lanes {})", dtype.code, dtype.bits,
                     dtype.lanes);
}

std::string shape_text(std::span<const std::int64_t> shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

std::string device_text(Device device) {
  if (device.type == kCpu.type) return "cpu";
  if (device.type == 2) return fmt::format("cuda:{}", device.id);
  return fmt::format("DLPack device {}:{}", device.type, device.id);
}

}  // namespace assay::sparse_mla_prefill
