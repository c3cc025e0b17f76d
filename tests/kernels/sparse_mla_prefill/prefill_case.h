// One call of the prefill for tests: its tensors, filled at random, and how its outputs compare
// with the reference. Needs nothing of the engine, so that it can be built where only nvcc is.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "kernels/sparse_mla_prefill/params.h"
#include "kernels/sparse_mla_prefill/reference.h"

namespace assay::sparse_mla_prefill {

struct CaseOptions {
  std::int64_t s_q = 2;
  std::int64_t s_kv = 300;
  std::int64_t h_q = 64;
  std::int64_t d_qk = 576;
  std::int64_t topk = 128;
  bool has_lengths = false;
  bool has_sink = false;
  bool has_outputs = true;   // supplied by the caller
  double masked_share = 0;   // of the indices, half of them -1, half out of range
  float value_scale = 1.0F;  // standard deviation of the e4m3 values
  float q_scale = 0.7F;
  float kv_scale = 1.3F;
  float sm_scale = 1.0F / 24;
  std::uint32_t seed = 1;
};

// How far a result is from the reference. Elements that are not finite in one of the two do not
// enter the numbers; `same_nonfinite` says whether they agree.
struct Accuracy {
  double out_relative_mean = 0;  // sum |x - r| / sum |r|
  double out_cosine_difference = 0;
  double lse_difference = 0;  // the largest
  double max_logits_difference = 0;
  bool same_nonfinite = true;  // NaN where NaN, an infinity where the same infinity
};

class PrefillCase {
 public:
  explicit PrefillCase(const CaseOptions& options);

  PrefillArguments arguments();
  PrefillParams params();
  ReferenceOutputs reference() { return compute_reference(params()); }
  // Of `out`, `max_logits` and `lse` as they are.
  Accuracy compare(const ReferenceOutputs& reference) const;

  std::vector<std::uint8_t> q, kv;
  std::vector<std::int32_t> indices, lengths;
  std::vector<float> sink, max_logits, lse;
  std::vector<std::uint16_t> out;
  float q_scale, kv_scale;
  CaseOptions options;

 private:
  std::array<std::int64_t, 3> q_shape_, kv_shape_, indices_shape_, out_shape_;
  std::array<std::int64_t, 2> rows_shape_;
  std::array<std::int64_t, 1> lengths_shape_, sink_shape_;
};

}  // namespace assay::sparse_mla_prefill
