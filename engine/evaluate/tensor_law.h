// What the tensor table demands of one tensor of a call, judged part by part, with what was
// expected and found.
#pragma once

#include <optional>
#include <string>

#include "engine/evaluate/call_values.h"
#include "engine/model/tensor_geometry.h"

namespace assay {

// A demand that is not met.
struct Breach {
  std::string expected;
  std::string found;
  std::string words;  // ours, for a demand that no clause words
};

class TensorLaw {
 public:
  // Keeps references to all.
  TensorLaw(const CompiledContract& contract, const KernelCall& call, CallValues& values)
      : contract_(contract), call_(call), values_(values) {}

  // Nothing: it holds, or cannot be said. Of a tensor that is not given, only is_tensor can be
  // broken. Not for no_alias, which is about tensors together.
  std::optional<Breach> judge(TensorProperty property, std::size_t tensor);

  // Demands that have no name in a contract, because no engine checks them.
  std::optional<Breach> judge_negative_strides(std::size_t tensor) const;
  std::optional<Breach> judge_extents(std::size_t tensor) const;
  std::optional<Breach> judge_null(std::size_t tensor) const;

  // The bytes of a tensor that is what the table says; nothing for another, whose range would say
  // nothing about the one that was meant.
  std::optional<ByteRange> range_if_lawful(std::size_t tensor);

 private:
  std::optional<Breach> judge_shape(std::size_t tensor);
  std::optional<Breach> judge_strides(std::size_t tensor);
  std::optional<Breach> judge_alignment(std::size_t tensor) const;
  std::optional<Breach> judge_device(std::size_t tensor, bool same) const;
  std::int64_t stride_of(const TensorView& view, std::size_t axis) const;
  const ContractTensor& law(std::size_t tensor) const { return contract_.source.tensors[tensor]; }

  const CompiledContract& contract_;
  const KernelCall& call_;
  CallValues& values_;
};

}  // namespace assay
