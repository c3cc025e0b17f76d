// Each part is judged by itself, so that all that is wrong is said. The rank comes before the
// extents: where a clause words the rank, a wrong rank is not reported as a wrong shape again.
#include "engine/evaluate/tensor_law.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "engine/model/tensor_text.h"

namespace assay {
namespace {

using State = IntegerResult::State;

std::uintptr_t alignment_of(const ContractTensor& law, const TensorView& view) {
  const auto element = static_cast<std::uintptr_t>(view.dtype.size_bytes());
  const auto demanded = static_cast<std::uintptr_t>(law.alignment_bytes);
  return std::has_single_bit(element) ? std::max(demanded, element) : demanded;
}

}  // namespace

std::optional<Breach> TensorLaw::judge(TensorProperty property, std::size_t tensor) {
  const TensorView* const view = call_.tensors[tensor];
  const ContractTensor& own = law(tensor);
  if (view == nullptr) {
    if (property != TensorProperty::is_tensor || own.is_optional) return std::nullopt;
    return Breach{"a tensor", "none", fmt::format("{} must be given", own.name)};
  }
  const std::vector<ElementType>& dtypes = contract_.plan.tensors[tensor].dtypes;
  switch (property) {
    case TensorProperty::is_tensor:
    case TensorProperty::no_alias:
      return std::nullopt;
    case TensorProperty::rank:
      if (own.elements || view->shape.size() == own.shape.size()) return std::nullopt;
      return Breach{fmt::format("{} dimensions", own.shape.size()), shape_text(view->shape),
                    fmt::format("{} must have {} dimensions, got shape {}", own.name,
                                own.shape.size(), shape_text(view->shape))};
    case TensorProperty::dtype:
      if (dtypes.empty() || std::find(dtypes.begin(), dtypes.end(), view->dtype) != dtypes.end())
        return std::nullopt;
      return Breach{dtypes_text(own.dtypes), dtype_text(view->dtype),
                    fmt::format("{} must be {}, got {}", own.name, dtypes_text(own.dtypes),
                                dtype_text(view->dtype))};
    case TensorProperty::shape:
      return judge_shape(tensor);
    case TensorProperty::contiguous:
      return judge_strides(tensor);
    case TensorProperty::device:
      return judge_device(tensor, false);
    case TensorProperty::same_device:
      return judge_device(tensor, true);
    case TensorProperty::aligned:
      return judge_alignment(tensor);
  }
  return std::nullopt;
}

std::optional<Breach> TensorLaw::judge_shape(std::size_t tensor) {
  const TensorView& view = *call_.tensors[tensor];
  const ContractTensor& own = law(tensor);
  bool holds = true;
  if (own.elements) {
    holds = element_count(view.shape) == *own.elements;
  } else if (view.shape.size() != own.shape.size()) {
    holds = contract_.plan.tensors[tensor].is_worded(TensorProperty::rank);
  } else {
    for (std::size_t axis = 0; axis < own.shape.size(); ++axis) {
      const IntegerResult expected = values_.expected_extent(tensor, axis);
      if (expected.state == State::unknown) continue;
      holds &= expected.state == State::value &&
               (own.shape[axis].is_at_least ? view.shape[axis] >= expected.value
                                            : view.shape[axis] == expected.value);
    }
  }
  if (holds) return std::nullopt;
  const std::string expected = values_.expected_shape(tensor);
  return Breach{expected, shape_text(view.shape),
                fmt::format("{} must have {}{}, got {}", own.name, own.elements ? "" : "shape ",
                            expected, shape_text(view.shape))};
}

// The stride as given, or what a tensor without strides has.
std::int64_t TensorLaw::stride_of(const TensorView& view, std::size_t axis) const {
  if (!view.strides.empty()) return view.strides[axis];
  std::int64_t stride = 1;
  for (std::size_t i = axis + 1; i < view.shape.size(); ++i)
    if (__builtin_mul_overflow(stride, view.shape[i], &stride)) return -1;
  return stride;
}

std::optional<Breach> TensorLaw::judge_strides(std::size_t tensor) {
  const TensorView& view = *call_.tensors[tensor];
  const ContractTensor& own = law(tensor);
  const std::string found = fmt::format("strides {}", shape_text(view.strides));
  if (own.is_contiguous) {
    if (is_contiguous(view)) return std::nullopt;
    return Breach{"contiguous", found, fmt::format("{} must be contiguous", own.name)};
  }
  bool holds = view.strides.empty() || view.strides.size() == view.shape.size();
  const std::vector<PlannedStride>& strides = contract_.plan.tensors[tensor].strides;
  if (holds && view.shape.size() != strides.size()) return std::nullopt;  // the rank is wrong
  std::string expected;
  for (std::size_t axis = 0; axis < strides.size(); ++axis) {
    expected += expected.empty() ? "" : ", ";
    if (strides[axis].is_any) {
      expected += "any";
      continue;
    }
    const IntegerResult stride = values_.compute(
        strides[axis].expression, contract_.tensors[tensor].strides[strides[axis].predicate]);
    expected +=
        stride.state == State::value ? std::to_string(stride.value) : own.strides[axis].text;
    if (!holds || stride.state == State::unknown || view.shape[axis] == 1) continue;
    holds = stride.state == State::value && stride_of(view, axis) == stride.value;
  }
  if (holds) return std::nullopt;
  return Breach{fmt::format("strides ({})", expected), found,
                fmt::format("{} must have strides ({}), got {}", own.name, expected,
                            shape_text(view.strides))};
}

std::optional<Breach> TensorLaw::judge_device(std::size_t tensor, bool same) const {
  const TensorView& view = *call_.tensors[tensor];
  const std::string& name = law(tensor).name;
  if (same) {
    const TensorView* const first = call_.tensors[0];
    if (first == nullptr || view.device == first->device) return std::nullopt;
    const std::string expected = device_text(first->device);
    return Breach{
        expected, device_text(view.device),
        fmt::format("{} must be on device {}, got {}", name, expected, device_text(view.device))};
  }
  const std::int32_t type = contract_.plan.tensors[tensor].device_type;
  if (type == 0 || view.device.type == type) return std::nullopt;
  return Breach{law(tensor).device, device_text(view.device),
                fmt::format("{} must be a tensor on {}, got {}", name, law(tensor).device,
                            device_text(view.device))};
}

std::optional<Breach> TensorLaw::judge_alignment(std::size_t tensor) const {
  const TensorView& view = *call_.tensors[tensor];
  const std::uintptr_t alignment = alignment_of(law(tensor), view);
  if (view.address() % alignment == 0) return std::nullopt;
  return Breach{fmt::format("an address divisible by {}", alignment),
                fmt::format("{:#x}", view.address()),
                fmt::format("{} must be aligned to {} bytes, got address {:#x}", law(tensor).name,
                            alignment, view.address())};
}

std::optional<Breach> TensorLaw::judge_negative_strides(std::size_t tensor) const {
  const TensorView& view = *call_.tensors[tensor];
  if (!has_negative_stride(view)) return std::nullopt;
  return Breach{"no negative stride", shape_text(view.strides),
                fmt::format("{} must not have a negative stride, got strides {}", law(tensor).name,
                            shape_text(view.strides))};
}

std::optional<Breach> TensorLaw::judge_extents(std::size_t tensor) const {
  TensorView view = *call_.tensors[tensor];
  // Negative strides and strides of the wrong number have words of their own.
  if (has_negative_stride(view) || view.strides.size() != view.shape.size()) view.strides = {};
  if (reach_bytes(view)) return std::nullopt;
  return Breach{fmt::format("extents from 0 to {}, within the address space", kMaxExtent),
                shape_text(view.shape),
                fmt::format("{} must have extents from 0 to {} and lie within the address space, "
                            "got shape {} at {:#x}",
                            law(tensor).name, kMaxExtent, shape_text(view.shape), view.address())};
}

std::optional<Breach> TensorLaw::judge_null(std::size_t tensor) const {
  const TensorView& view = *call_.tensors[tensor];
  if (view.data != nullptr || has_no_element(view)) return std::nullopt;
  return Breach{"an address", "null",
                fmt::format("{} must not be a null pointer", law(tensor).name)};
}

std::optional<ByteRange> TensorLaw::range_if_lawful(std::size_t tensor) {
  const TensorView* const view = call_.tensors[tensor];
  if (view == nullptr || judge_null(tensor)) return std::nullopt;
  for (const TensorProperty property : {TensorProperty::rank, TensorProperty::dtype,
                                        TensorProperty::shape, TensorProperty::contiguous})
    if (judge(property, tensor)) return std::nullopt;
  const auto bytes = reach_bytes(*view);
  if (!bytes) return std::nullopt;
  return ByteRange{view->address(), view->address() + static_cast<std::uintptr_t>(*bytes)};
}

}  // namespace assay
