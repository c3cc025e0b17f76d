// How the checks of a legal call read a tensor, so that they can be compiled for what a caller has
// as it is: the functions of ViewAccess for TensorView, of DlpackAccess for DLPack's structure
// (bindings/c). None reads a tensor's data.
#pragma once

#include "engine/model/tensor_view.h"

namespace assay {

struct ViewAccess {
  using Tensor = TensorView;
  static bool has_shape(const TensorView& view, std::size_t rank) {
    return view.shape.size() == rank;
  }
  static bool has_axis(const TensorView& view, std::size_t axis) {
    return axis < view.shape.size();
  }
  // Of a tensor whose shape is of that rank.
  static bool has_strides(const TensorView& view, std::size_t rank) {
    return view.strides.size() == rank;
  }
  static bool has_no_strides(const TensorView& view) { return view.strides.empty(); }
  static const std::int64_t* shape(const TensorView& view) { return view.shape.data(); }
  static const std::int64_t* strides(const TensorView& view) { return view.strides.data(); }
  static const void* data(const TensorView& view) { return view.data; }
  static std::uint64_t byte_offset(const TensorView& view) { return view.byte_offset; }
  static std::uint32_t dtype(const TensorView& view) { return view.dtype.number(); }
  static Device device(const TensorView& view) { return view.device; }
  // Whether it can be looked at as a view at all, which may not be asked of another.
  static bool is_readable(const TensorView& /*view*/) { return true; }
  static const TensorView& view(const TensorView& view) { return view; }
};

}  // namespace assay
