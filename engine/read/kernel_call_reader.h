// Reads the metadata of one kernel call from JSON, as somebody wrote it down or logged it:
//
//   {"tensors": {"q": {"dtype": "float8_e4m3fn", "shape": [4, 128, 576], "strides": [73728, 576,
//   1],
//                      "device": "cuda:0", "data": "0x7f0000000000", "byte_offset": 0},
//                "out": null},
//    "scalars": {"d_v": 512}}
#pragma once

#include <optional>
#include <vector>

#include "engine/model/tensor_contract.h"
#include "engine/model/tensor_view.h"
#include "engine/model/value.h"
#include "engine/text/document.h"
#include "engine/text/result.h"

namespace assay {

inline constexpr std::size_t kMaxDescribedRank = 64;

struct DescribedTensor {
  std::uint64_t address = 0;
  ElementType dtype{};
  Device device;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
  std::uint64_t byte_offset = 0;

  // Looks at this tensor's vectors.
  TensorView view() const;
};

struct DescribedCall {
  std::vector<std::optional<DescribedTensor>> tensors;  // as in the contract; none: not given
  std::vector<Value> scalars;                           // as in the contract; null: not given
};

// A tensor without a `device` is where the contract wants it, one without `data` lies apart from
// all others, aligned. A dtype is PyTorch's name, or DLPack's numbers {"code": 2, "bits": 32,
// "lanes": 1}. Errors, all together: unknown_key, missing_key, wrong_type, invalid_value.
Result<DescribedCall> read_kernel_call(const Node& document, const TensorContract& contract);

}  // namespace assay
