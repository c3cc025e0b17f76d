// Arithmetic on tensor metadata that may hold anything: every product is checked, nothing is read
// through a pointer, nothing is allocated. Inline, since the checks of a call are made of it.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "engine/model/tensor_view.h"

namespace assay {

inline constexpr std::int64_t kMaxExtent = std::numeric_limits<std::int32_t>::max();

// How many elements; nothing if an extent is negative or the product does not fit.
inline std::optional<std::int64_t> element_count(std::span<const std::int64_t> shape) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape)
    if (extent < 0 || __builtin_mul_overflow(count, extent, &count)) return std::nullopt;
  return count;
}

inline bool has_no_element(const TensorView& tensor) {
  for (const std::int64_t extent : tensor.shape)
    if (extent == 0) return true;
  return false;
}

// Row-major without gaps, as torch defines it: the stride of a dimension of extent 1 does not
// matter, and a tensor without an element is contiguous.
inline bool is_contiguous(const TensorView& tensor) {
  if (tensor.strides.empty()) return true;
  if (tensor.strides.size() != tensor.shape.size()) return false;
  std::int64_t expected = 1;
  bool is_beyond = false;  // no stride is as large as the next one has to be
  for (std::size_t i = tensor.shape.size(); i-- > 0;) {
    if (tensor.shape[i] == 1) continue;
    if (is_beyond || tensor.strides[i] != expected) return has_no_element(tensor);
    is_beyond = __builtin_mul_overflow(expected, tensor.shape[i], &expected);
  }
  return true;
}

// One element, whatever the rank: no stride matters.
inline bool holds_one_element(const TensorView& tensor) {
  if (!tensor.strides.empty() && tensor.strides.size() != tensor.shape.size()) return false;
  for (const std::int64_t extent : tensor.shape)
    if (extent != 1) return false;
  return true;
}

inline bool has_negative_stride(const TensorView& tensor) {
  for (std::size_t i = 0; i < tensor.strides.size() && i < tensor.shape.size(); ++i)
    if (tensor.strides[i] < 0 && tensor.shape[i] > 1) return true;
  return false;
}

// How many bytes lie between the first and the last one of the tensor, both included. Nothing where
// that cannot be said: an extent outside [0, 2^31), a negative stride, strides of another number
// than extents, a size of 2^63 bytes or more, or an end beyond the last address.
inline std::optional<std::int64_t> reach_bytes(const TensorView& tensor) {
  const std::int64_t element_bytes = tensor.dtype.size_bytes();
  const bool is_strided = !tensor.strides.empty();
  if (is_strided && tensor.strides.size() != tensor.shape.size()) return std::nullopt;
  std::int64_t elements = 1;  // packed: how many; strided: one more than the last one's offset
  bool has_none = false;
  for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
    const std::int64_t extent = tensor.shape[i];
    if (extent < 0 || extent > kMaxExtent) return std::nullopt;
    has_none |= extent == 0;
    if (!is_strided) {
      if (__builtin_mul_overflow(elements, extent, &elements)) return std::nullopt;
    } else if (extent > 1) {
      std::int64_t offset = 0;
      if (tensor.strides[i] < 0 || __builtin_mul_overflow(extent - 1, tensor.strides[i], &offset) ||
          __builtin_add_overflow(elements, offset, &elements))
        return std::nullopt;
    }
  }
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(has_none ? 0 : elements, element_bytes, &bytes)) return std::nullopt;
  std::uintptr_t end = 0;
  if (__builtin_add_overflow(reinterpret_cast<std::uintptr_t>(tensor.data), tensor.byte_offset,
                             &end) ||
      __builtin_add_overflow(end, static_cast<std::uintptr_t>(bytes), &end))
    return std::nullopt;
  return bytes;
}

struct ByteRange {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;  // one past the last byte; equal to `begin` for none
};

inline bool overlap(const ByteRange& a, const ByteRange& b) {
  return a.begin < b.end && b.begin < a.end && a.begin < a.end && b.begin < b.end;
}

}  // namespace assay
