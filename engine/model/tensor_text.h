// Tensor metadata in the words of PyTorch, which the engines' messages are made of.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/model/tensor_contract.h"
#include "engine/model/tensor_view.h"

namespace assay {

std::string dtype_text(ElementType dtype);                    // "torch.float8_e4m3fn"
std::string shape_text(std::span<const std::int64_t> shape);  // "(4, 128, 576)", "(4,)", "()"
std::string device_text(Device device);                       // "cpu", "cuda:0"

// By PyTorch's name, with or without "torch.": every name that dtype_text knows.
std::optional<ElementType> parse_element_type(std::string_view name);
// "cpu", "cuda", "cuda:1", or another device by DLPack's name ("rocm:0"), in lower case.
std::optional<Device> parse_device(std::string_view text);
// What a contract's element type is in DLPack's numbers.
ElementType element_type_of(DType dtype);

}  // namespace assay
