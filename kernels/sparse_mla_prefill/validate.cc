// A list of clauses after each other; each says what must hold and, if it does not, in which words.
// A clause that reads the dimensions of a tensor is skipped when the tensor's rank is wrong: that
// has been said already. Arithmetic on extents is checked, they may be anything.
#include "kernels/sparse_mla_prefill/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "engine/model/tensor_text.h"

namespace assay::sparse_mla_prefill {
namespace {

using Shape = std::span<const std::int64_t>;

constexpr std::uintptr_t kVectorAlignment = 16;  // the GPU's loads; one contract for both
constexpr std::uintptr_t kNaturalAlignment = 4;  // float32, int32
constexpr std::int64_t kMaxExtent = std::numeric_limits<std::int32_t>::max();

struct Named {
  std::string_view name;
  const TensorView* tensor;  // null: not supplied
  DType dtype;
  std::uintptr_t alignment;
};

const TensorView* pointer(const std::optional<TensorView>& tensor) {
  return tensor ? &*tensor : nullptr;
}

bool is_shape(const TensorView& tensor, std::initializer_list<std::int64_t> shape) {
  return std::equal(tensor.shape.begin(), tensor.shape.end(), shape.begin(), shape.end());
}

// How many elements, or nothing if that does not fit.
std::optional<std::int64_t> element_count(Shape shape) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) {
    if (extent < 0 || __builtin_mul_overflow(count, extent, &count)) return std::nullopt;
  }
  return count;
}

std::optional<std::int64_t> size_bytes(const TensorView& tensor) {
  const auto count = element_count(tensor.shape);
  const std::int64_t element_bytes = (std::int64_t{tensor.dtype.bits} * tensor.dtype.lanes + 7) / 8;
  std::int64_t bytes = 0;
  if (!count || __builtin_mul_overflow(*count, element_bytes, &bytes)) return std::nullopt;
  return bytes;
}

// As torch defines it: the stride of a dimension of extent 1 does not matter.
bool is_contiguous(const TensorView& tensor) {
  if (tensor.strides.empty()) return true;
  if (tensor.strides.size() != tensor.shape.size()) return false;
  std::int64_t expected = 1;
  for (std::size_t i = tensor.shape.size(); i-- > 0;) {
    if (tensor.shape[i] == 1) continue;
    if (tensor.strides[i] != expected) return false;
    if (__builtin_mul_overflow(expected, tensor.shape[i], &expected)) return false;
  }
  return true;
}

bool has_valid_extents(const TensorView& tensor) {
  return std::all_of(tensor.shape.begin(), tensor.shape.end(),
                     [](auto extent) { return extent > 0 && extent <= kMaxExtent; }) &&
         size_bytes(tensor).has_value();
}

// Whether the byte ranges of two tensors share a byte. Only asked of tensors that are what they
// should be: the range of one with another dtype or shape says nothing about the one that was
// meant.
bool overlap(const Named& a, const Named& b) {
  for (const Named* named : {&a, &b}) {
    if (named->tensor == nullptr || named->tensor->dtype != named->dtype ||
        !has_valid_extents(*named->tensor) || !is_contiguous(*named->tensor)) {
      return false;
    }
  }
  const auto a_begin = reinterpret_cast<std::uintptr_t>(a.tensor->data);
  const auto b_begin = reinterpret_cast<std::uintptr_t>(b.tensor->data);
  const std::uintptr_t gap = a_begin < b_begin ? b_begin - a_begin : a_begin - b_begin;
  return gap < static_cast<std::uintptr_t>(*size_bytes(a_begin < b_begin ? *a.tensor : *b.tensor));
}

class Validator {
 public:
  explicit Validator(const PrefillArguments& arguments)
      : arguments_(arguments),
        q_(arguments.q),
        kv_(arguments.kv),
        indices_(arguments.indices),
        q_known_(q_.shape.size() == 3),
        kv_known_(kv_.shape.size() == 3),
        indices_known_(indices_.shape.size() == 3),
        inputs_{{{"q", &q_, kFloat8E4m3fn, kVectorAlignment},
                 {"kv", &kv_, kFloat8E4m3fn, kVectorAlignment},
                 {"indices", &indices_, kInt32, kVectorAlignment},
                 {"topk_length", pointer(arguments.topk_length), kInt32, kNaturalAlignment},
                 {"attn_sink", pointer(arguments.attn_sink), kFloat32, kNaturalAlignment},
                 {"q_scale", &arguments.q_scale, kFloat32, kNaturalAlignment},
                 {"kv_scale", &arguments.kv_scale, kFloat32, kNaturalAlignment}}},
        outputs_{{{"out", pointer(arguments.out), kBfloat16, kVectorAlignment},
                  {"max_logits", pointer(arguments.max_logits), kFloat32, kNaturalAlignment},
                  {"lse", pointer(arguments.lse), kFloat32, kNaturalAlignment}}} {}

  Diagnostics run() {
    check_ranks();
    check_devices_and_types();
    check_dimensions();
    check_topk_length();
    require(arguments_.d_v == kValueColumns,
            "sparse_mla_q8kv8_prefill_fwd only supports d_v=512, got {}", arguments_.d_v);
    check_attn_sink();
    check_scale("q_scale", arguments_.q_scale);
    check_scale("kv_scale", arguments_.kv_scale);
    const std::int64_t s_q = q_known_ ? q_.shape[0] : -1;
    const std::int64_t h_q = q_known_ ? q_.shape[1] : -1;
    check_output("out", arguments_.out, kBfloat16, std::array{s_q, h_q, kValueColumns});
    check_output("max_logits", arguments_.max_logits, kFloat32, std::array{s_q, h_q});
    check_output("lse", arguments_.lse, kFloat32, std::array{s_q, h_q});
    check_aliasing();
    check_memory();
    return std::move(violations_);
  }

 private:
  // The arguments of a message are rendered only when it is needed.
  template <typename... Parts>
  void require(bool holds, fmt::format_string<Parts...> message, Parts&&... parts) {
    if (holds) return;
    violations_.push_back(make_error(code::contract_violated, {},
                                     fmt::format(message, std::forward<Parts>(parts)...)));
  }

  void check_ranks() {
    if (!q_known_)
      require(false, "q must have shape (s_q, h_q, d_qk), got {}", shape_text(q_.shape));
    if (!kv_known_) {
      require(false, "kv must have shape (s_kv, h_kv, d_qk), got {}", shape_text(kv_.shape));
    }
    if (!indices_known_) {
      require(false, "indices must have shape (s_q, h_kv, topk), got {}",
              shape_text(indices_.shape));
    }
  }

  void check_devices_and_types() {
    require_cpu("q", q_);
    require_device("kv", kv_);
    require_device("indices", indices_);
    require_dtype("q must be torch.float8_e4m3fn, got {}", q_, kFloat8E4m3fn);
    require_dtype("kv must be torch.float8_e4m3fn, got {}", kv_, kFloat8E4m3fn);
    require_contiguous("q", q_);
    require_contiguous("kv", kv_);
    require_contiguous("indices", indices_);
  }

  void check_dimensions() {
    if (q_known_ && kv_known_) {
      require(kv_.shape[2] == q_.shape[2], "kv d_qk must match q d_qk={}, got {}", q_.shape[2],
              kv_.shape[2]);
    }
    if (q_known_) {
      require(q_.shape[1] > 0 && q_.shape[1] % kHeadMultiple == 0,
              "sparse_mla_q8kv8_prefill_fwd requires h_q padded to a positive multiple of 64, got "
              "{}",
              q_.shape[1]);
    }
    if (kv_known_) {
      require(kv_.shape[1] == 1, "sparse_mla_q8kv8_prefill_fwd requires h_kv=1, got {}",
              kv_.shape[1]);
    }
    if (q_known_) {
      require(q_.shape[2] == 512 || q_.shape[2] == 576,
              "sparse_mla_q8kv8_prefill_fwd supports d_qk=512/576, got {}", q_.shape[2]);
    }
    if (q_known_ && kv_known_ && indices_known_ &&
        (indices_.shape[0] != q_.shape[0] || indices_.shape[1] != kv_.shape[1])) {
      require(false, "indices must have shape ({}, {}, topk), got {}", q_.shape[0], kv_.shape[1],
              shape_text(indices_.shape));
    }
    require_dtype("indices must be int32, got {}", indices_, kInt32);
    if (indices_known_) {
      require(indices_.shape[2] > 0 && indices_.shape[2] % kTopkMultiple == 0,
              "Q8KV8 sparse-prefill topk width must be a positive multiple of 128, got {}",
              indices_.shape[2]);
    }
  }

  void check_topk_length() {
    if (!arguments_.topk_length) return;
    const TensorView& length = *arguments_.topk_length;
    if (q_known_ && (!is_shape(length, {q_.shape[0]}) || length.dtype != kInt32)) {
      require(false, "topk_length must be int32 with shape ({},), got {}/{}", q_.shape[0],
              shape_text(length.shape), dtype_text(length.dtype));
    }
    require_device("topk_length", length);
    require_contiguous("topk_length", length);
  }

  void check_attn_sink() {
    if (!arguments_.attn_sink) return;
    const TensorView& sink = *arguments_.attn_sink;
    if (q_known_ && (!is_shape(sink, {q_.shape[1]}) || sink.dtype != kFloat32)) {
      require(false, "attn_sink must be float32 with shape ({},), got {}/{}", q_.shape[1],
              shape_text(sink.shape), dtype_text(sink.dtype));
    }
    require_device("attn_sink", sink);
    require_contiguous("attn_sink", sink);
  }

  void check_scale(std::string_view name, const TensorView& scale) {
    require_device(name, scale);
    if (scale.dtype != kFloat32) {
      require(false, "{} must be float32, got {}", name, dtype_text(scale.dtype));
    }
    if (element_count(scale.shape) != 1) {
      require(false, "{} must be a scalar tensor, got shape {}", name, shape_text(scale.shape));
    }
    require_contiguous(name, scale);
  }

  void check_output(std::string_view name, const std::optional<TensorView>& output, DType dtype,
                    Shape shape) {
    if (!output) return;
    if (q_known_ &&
        !std::equal(output->shape.begin(), output->shape.end(), shape.begin(), shape.end())) {
      require(false, "{} must have shape {}, got {}", name, shape_text(shape),
              shape_text(output->shape));
    }
    if (output->dtype != dtype) {
      require(false, "{} must have dtype {}, got {}", name, dtype_text(dtype),
              dtype_text(output->dtype));
    }
    if (output->device != q_.device) {
      require(false, "{} must be on device {}, got {}", name, device_text(q_.device),
              device_text(output->device));
    }
    require_contiguous(name, *output);
  }

  void check_aliasing() {
    const auto meet = [](const Named& a, const Named& b) {
      return a.tensor != nullptr && b.tensor != nullptr &&
             (a.tensor->data == b.tensor->data || overlap(a, b));
    };
    require(!meet(outputs_[0], outputs_[1]) && !meet(outputs_[0], outputs_[2]) &&
                !meet(outputs_[1], outputs_[2]),
            "out, max_logits and lse must not alias each other");
  }

  // What the engine's wrapper does not check.
  void check_memory() {
    for (const Named& input : inputs_) check_memory_of(input);
    for (const Named& output : outputs_) check_memory_of(output);
    for (const Named& output : outputs_) {
      for (const Named& input : inputs_) {
        require(!overlap(output, input), "{} must not overlap {}", output.name, input.name);
      }
    }
  }

  void check_memory_of(const Named& named) {
    if (named.tensor == nullptr) return;
    const TensorView& tensor = *named.tensor;
    if (!has_valid_extents(tensor)) {
      require(false, "{} must have extents from 1 to {} and a size below 2^63 bytes, got shape {}",
              named.name, kMaxExtent, shape_text(tensor.shape));
    }
    require(tensor.data != nullptr, "{} must not be a null pointer", named.name);
    require(reinterpret_cast<std::uintptr_t>(tensor.data) % named.alignment == 0,
            "{} must be aligned to {} bytes, got address {}", named.name, named.alignment,
            tensor.data);
  }

  void require_cpu(std::string_view name, const TensorView& tensor) {
    if (tensor.device == kCpu) return;
    require(false, "{} must be a CPU tensor, got {}", name, device_text(tensor.device));
  }

  void require_device(std::string_view name, const TensorView& tensor) {
    if (tensor.device == q_.device) return;
    require(false, "{} must be on q's device {}, got {}", name, device_text(q_.device),
            device_text(tensor.device));
  }

  void require_dtype(fmt::format_string<std::string> message, const TensorView& tensor,
                     DType dtype) {
    if (tensor.dtype != dtype) require(false, message, dtype_text(tensor.dtype));
  }

  void require_contiguous(std::string_view name, const TensorView& tensor) {
    require(is_contiguous(tensor), "{} must be contiguous", name);
  }

  const PrefillArguments& arguments_;
  const TensorView& q_;
  const TensorView& kv_;
  const TensorView& indices_;
  bool q_known_;  // its dimensions are: the rank is right
  bool kv_known_;
  bool indices_known_;
  std::array<Named, 7> inputs_;
  std::array<Named, 3> outputs_;
  Diagnostics violations_;
};

template <typename T>
T* data_of(const std::optional<TensorView>& tensor) {
  // Outputs come as views, whose pointer is to const; the contract says that they are written.
  return tensor ? static_cast<T*>(const_cast<void*>(tensor->data)) : nullptr;
}

}  // namespace

Diagnostics validate(const PrefillArguments& arguments) { return Validator(arguments).run(); }

PrefillParams bind(const PrefillArguments& arguments) {
  return {.s_q = arguments.q.shape[0],
          .h_q = arguments.q.shape[1],
          .d_qk = arguments.q.shape[2],
          .s_kv = arguments.kv.shape[0],
          .topk = arguments.indices.shape[2],
          .q_scale = *static_cast<const float*>(arguments.q_scale.data),
          .kv_scale = *static_cast<const float*>(arguments.kv_scale.data),
          .sm_scale = arguments.sm_scale,
          .q = static_cast<const std::uint8_t*>(arguments.q.data),
          .kv = static_cast<const std::uint8_t*>(arguments.kv.data),
          .indices = static_cast<const std::int32_t*>(arguments.indices.data),
          .topk_length = data_of<const std::int32_t>(arguments.topk_length),
          .attn_sink = data_of<const float>(arguments.attn_sink),
          .out = data_of<std::uint16_t>(arguments.out),
          .max_logits = data_of<float>(arguments.max_logits),
          .lse = data_of<float>(arguments.lse)};
}

}  // namespace assay::sparse_mla_prefill
