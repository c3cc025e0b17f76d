// The arguments of the FP8 sparse MLA prefill: one query token attends to `topk` chosen KV tokens.
//
//   logit[j] = q_scale * kv_scale * sm_scale * <q, kv[indices[j]]>
//   out      = kv_scale * sum_j p_j V_j / (sum_j p_j + exp(attn_sink - max)),  V = kv[:, :512]
//
// `PrefillArguments` is what a caller hands over (metadata, unchecked); `PrefillParams` is what
// `validate` has let through: plain pointers to contiguous tensors that do not overlap.
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/sparse_mla_prefill/tensor_view.h"

namespace assay::sparse_mla_prefill {

inline constexpr std::int64_t kValueColumns = 512;  // d_v: the leading columns of a KV row
inline constexpr std::int64_t kHeadMultiple = 64;   // h_q is padded to a multiple of this
inline constexpr std::int64_t kTopkMultiple = 128;

struct PrefillArguments {
  TensorView q;         // float8_e4m3fn [s_q, h_q, d_qk], d_qk 512 or 576
  TensorView kv;        // float8_e4m3fn [s_kv, 1, d_qk]
  TensorView indices;   // int32 [s_q, 1, topk]; outside [0, s_kv): no token
  TensorView q_scale;   // float32, one element
  TensorView kv_scale;  // float32, one element
  float sm_scale = 1.0F;
  std::int64_t d_v = kValueColumns;
  std::optional<TensorView> topk_length;  // int32 [s_q]: only the first n indices count
  std::optional<TensorView> attn_sink;    // float32 [h_q]: joins the denominator only
  std::optional<TensorView> out;          // bfloat16 [s_q, h_q, 512]; made when not supplied
  std::optional<TensorView> max_logits;   // float32 [s_q, h_q], natural log; -inf for an empty row
  std::optional<TensorView> lse;          // float32 [s_q, h_q], natural log; +inf for an empty row
};

struct PrefillParams {
  std::int64_t s_q = 0;
  std::int64_t h_q = 0;
  std::int64_t d_qk = 0;
  std::int64_t s_kv = 0;
  std::int64_t topk = 0;
  float q_scale = 1.0F;
  float kv_scale = 1.0F;
  float sm_scale = 1.0F;
  const std::uint8_t* q = nullptr;   // e4m3 bytes
  const std::uint8_t* kv = nullptr;  // e4m3 bytes
  const std::int32_t* indices = nullptr;
  const std::int32_t* topk_length = nullptr;  // may be null
  const float* attn_sink = nullptr;           // may be null
  std::uint16_t* out = nullptr;               // bfloat16 bits
  float* max_logits = nullptr;
  float* lse = nullptr;

  // Dot products become logits by one factor, rounded to float32 once.
  double logit_scale() const { return double{q_scale} * double{kv_scale} * double{sm_scale}; }
};

}  // namespace assay::sparse_mla_prefill
