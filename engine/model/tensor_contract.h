// What a kernel demands of its arguments, as its file says it (rules/kernels/<kernel>.yaml; the
// form is described in rules/kernels/FORMAT.md). The tensor table is the law; clauses put parts of
// it, and CEL over dimensions, into the order in which the engine's wrapper checks them, with its
// words. No behaviour.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/model/fact_schema.h"
#include "engine/model/rule.h"
#include "engine/text/span.h"

namespace assay {

// The element types of DLPack that engines use, by PyTorch's names without the prefix.
enum class DType : std::uint8_t {
  boolean,
  uint8,
  int8,
  int16,
  int32,
  int64,
  float16,
  bfloat16,
  float32,
  float64,
  float8_e4m3fn,
  float8_e5m2,
  float8_e4m3fnuz,
  float8_e5m2fnuz,
  float8_e8m0fnu,
  float4_e2m1fn_x2,
};

inline constexpr std::array<std::string_view, 16> kDTypeNames = {"bool",
                                                                 "uint8",
                                                                 "int8",
                                                                 "int16",
                                                                 "int32",
                                                                 "int64",
                                                                 "float16",
                                                                 "bfloat16",
                                                                 "float32",
                                                                 "float64",
                                                                 "float8_e4m3fn",
                                                                 "float8_e5m2",
                                                                 "float8_e4m3fnuz",
                                                                 "float8_e5m2fnuz",
                                                                 "float8_e8m0fnu",
                                                                 "float4_e2m1fn_x2"};
std::string_view to_string(DType dtype);

struct ContractDimension {
  std::string name;
  std::string documentation;
  Span span;
};

// One extent of a shape: a number, a dimension's name (bound by the first tensor that has it), an
// expression over dimensions and scalars ("2 * d_v"), or "at least" such an expression.
struct Extent {
  ExpressionText expression;
  bool is_at_least = false;
};

struct ContractTensor {
  std::string name;
  std::string documentation;
  bool is_optional = false;  // the caller may leave it out
  bool is_output = false;    // written by the kernel: must not overlap any other tensor
  std::vector<DType> dtypes;
  std::vector<Extent> shape;  // empty together with `elements` unset: a scalar tensor of rank 0
  std::optional<std::int64_t> elements;  // in place of a shape: so many elements, whatever the rank
  bool is_contiguous = true;             // row-major without gaps
  std::vector<ExpressionText> strides;   // in elements, when not contiguous; empty string: any
  std::string device;                    // "cuda", "cpu"; empty: any
  std::uint32_t alignment_bytes = 1;     // of the first element
  Span span;
};

struct ContractScalar {
  std::string name;
  std::string documentation;
  Type type;
  std::optional<Node> default_value;
  Span span;
};

enum class ContractProfile : std::uint8_t {
  safety = 1,  // what our kernel needs so as not to read or write what it must not
  engine = 2,  // what the engine's wrapper refuses
  both = 3,
};

// The parts of a tensor's law that a clause can name.
enum class TensorProperty : std::uint8_t {
  is_tensor,
  rank,
  dtype,
  shape,
  contiguous,
  device,
  same_device,
  aligned,
  no_alias
};

inline constexpr std::array<std::string_view, 9> kTensorPropertyNames = {
    "is_tensor", "rank",        "dtype",   "shape",   "contiguous",
    "device",    "same_device", "aligned", "no_alias"};
std::string_view to_string(TensorProperty property);

struct ContractClause {
  std::string id;  // unique in the contract
  ContractProfile profile = ContractProfile::engine;
  std::vector<TensorProperty> properties;  // of each of `tensors`; empty: `require` decides
  std::vector<std::string>
      tensors;  // a clause over several tensors is judged for each, in order; {name} in the message
  // Not 0: neighbours with the same number (a `for_each`) are judged together, all of them for the
  // first tensor, then all for the second.
  std::uint32_t group = 0;
  std::optional<ExpressionText>
      require;  // CEL over dimensions, scalars, has(tensor), and tensor attributes
  bool is_data_dependent =
      false;  // a clause over values: `require` reads `value`; judged by the kernel, not before it
  std::string
      enforced_by;  // data-dependent: "status" (the kernel counts), "checked" (a checked call)
  std::vector<std::string> back_ends;  // empty: all; else "cpu", "sm90"
  std::string
      message;  // template as in rules; may read dimensions, scalars, q.shape, q.dtype, q.device
  Span message_span;
  bool message_is_verbatim = false;
  std::string raises;  // exception class, when other than the contract's
  Span error_span;
  std::string error;  // id of the record it joins, may be empty
  Span span;
};

struct TensorContract {
  std::string kernel;
  std::string title;
  std::string repository;
  std::string summary;
  std::string documentation;
  RuleSource source;
  std::vector<ContractDimension> dimensions;
  std::vector<ContractTensor> tensors;
  std::vector<ContractScalar> scalars;
  std::vector<ContractClause> clauses;  // in the engine's order
  std::string path;
  Span span;
};

}  // namespace assay
