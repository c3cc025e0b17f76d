// PyTorch's names for DLPack's codes, in both directions. A dtype that PyTorch has no name for is
// shown by its numbers.
#include "engine/model/tensor_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "engine/base/check.h"

namespace assay {
namespace {

constexpr auto kElementTypes = std::to_array<std::pair<ElementType, std::string_view>>({
    {{0, 8, 1}, "int8"},
    {{0, 16, 1}, "int16"},
    {{0, 32, 1}, "int32"},
    {{0, 64, 1}, "int64"},
    {{1, 8, 1}, "uint8"},
    {{1, 16, 1}, "uint16"},
    {{1, 32, 1}, "uint32"},
    {{1, 64, 1}, "uint64"},
    {{2, 16, 1}, "float16"},
    {{2, 32, 1}, "float32"},
    {{2, 64, 1}, "float64"},
    {{4, 16, 1}, "bfloat16"},
    {{5, 64, 1}, "complex64"},
    {{5, 128, 1}, "complex128"},
    {{6, 8, 1}, "bool"},
    {{10, 8, 1}, "float8_e4m3fn"},
    {{11, 8, 1}, "float8_e4m3fnuz"},
    {{12, 8, 1}, "float8_e5m2"},
    {{13, 8, 1}, "float8_e5m2fnuz"},
    {{14, 8, 1}, "float8_e8m0fnu"},
    {{17, 4, 2}, "float4_e2m1fn_x2"},
});

// DLDeviceType.
constexpr auto kDevices = std::to_array<std::pair<std::int32_t, std::string_view>>({
    {kCpuDeviceType, "cpu"},
    {kCudaDeviceType, "cuda"},
    {3, "cuda_host"},
    {4, "opencl"},
    {7, "vulkan"},
    {8, "metal"},
    {9, "vpi"},
    {10, "rocm"},
    {13, "cuda_managed"},
    {14, "oneapi"},
    {15, "webgpu"},
});

}  // namespace

std::string dtype_text(ElementType dtype) {
  const auto* const found = std::find_if(kElementTypes.begin(), kElementTypes.end(),
                                         [&](const auto& entry) { return entry.first == dtype; });
  if (found != kElementTypes.end()) return fmt::format("torch.{}", found->second);
  return fmt::format("DLPack dtype (code {}, bits {}, lanes {})", dtype.code, dtype.bits,
                     dtype.lanes);
}

std::string shape_text(std::span<const std::int64_t> shape) {
  return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

std::string device_text(Device device) {
  if (device.type == kCpuDeviceType) return "cpu";
  if (device.type == kCudaDeviceType) return fmt::format("cuda:{}", device.id);
  return fmt::format("DLPack device {}:{}", device.type, device.id);
}

std::optional<ElementType> parse_element_type(std::string_view name) {
  if (name.starts_with("torch.")) name.remove_prefix(6);
  for (const auto& [dtype, known] : kElementTypes)
    if (known == name) return dtype;
  return std::nullopt;
}

std::optional<Device> parse_device(std::string_view text) {
  Device device;
  const std::size_t colon = text.find(':');
  if (colon != std::string_view::npos) {
    const char* const end = text.data() + text.size();
    const auto [stop, fault] = std::from_chars(text.data() + colon + 1, end, device.id);
    if (fault != std::errc{} || stop != end || device.id < 0) return std::nullopt;
  }
  for (const auto& [type, name] : kDevices) {
    if (name != text.substr(0, colon)) continue;
    device.type = type;
    return device;
  }
  return std::nullopt;
}

ElementType element_type_of(DType dtype) {
  const auto type = parse_element_type(to_string(dtype));
  ASSAY_CHECK(type.has_value(), "every element type of contracts has DLPack numbers");
  return *type;
}

}  // namespace assay
