// Values are normally distributed and cast as torch would cast them; outputs start as a pattern
// that no computation leaves (a NaN of an unusual payload), so that what was not written shows.
#include "tests/kernels/sparse_mla_prefill/prefill_case.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "kernels/sparse_mla_prefill/bf16.h"
#include "kernels/sparse_mla_prefill/fp8.h"

namespace assay::sparse_mla_prefill {
namespace {

std::vector<std::uint8_t> random_values(std::int64_t count, float scale, std::mt19937& random) {
  std::normal_distribution<float> normal(0, scale);
  std::vector<std::uint8_t> values(static_cast<std::size_t>(count));
  for (auto& value : values) value = encode_e4m3(std::clamp(normal(random), -448.0F, 448.0F));
  return values;
}

}  // namespace

PrefillCase::PrefillCase(const CaseOptions& o)
    : q_scale(o.q_scale),
      kv_scale(o.kv_scale),
      options(o),
      q_shape_{o.s_q, o.h_q, o.d_qk},
      kv_shape_{o.s_kv, 1, o.d_qk},
      indices_shape_{o.s_q, 1, o.topk},
      out_shape_{o.s_q, o.h_q, kValueColumns},
      rows_shape_{o.s_q, o.h_q},
      lengths_shape_{o.s_q},
      sink_shape_{o.h_q} {
  std::mt19937 random(o.seed);
  q = random_values(o.s_q * o.h_q * o.d_qk, o.value_scale, random);
  kv = random_values(o.s_kv * o.d_qk, o.value_scale, random);
  std::uniform_int_distribution<std::int32_t> token(0, static_cast<std::int32_t>(o.s_kv) - 1);
  std::uniform_real_distribution<double> share(0, 1);
  for (std::int64_t i = 0; i < o.s_q * o.topk; ++i) {
    const bool masked = share(random) < o.masked_share;
    const std::int32_t faulty = share(random) < 0.5 ? -1 : token(random) % 2 == 0 ? 1 << 30 : -7;
    indices.push_back(masked ? faulty : token(random));
  }
  std::uniform_int_distribution<std::int32_t> length(0, static_cast<std::int32_t>(o.topk));
  for (std::int64_t i = 0; i < o.s_q; ++i) lengths.push_back(length(random));
  std::normal_distribution<float> normal;
  for (std::int64_t i = 0; i < o.h_q; ++i) sink.push_back(normal(random));
  const auto rows = static_cast<std::size_t>(o.s_q * o.h_q);
  out.assign(rows * kValueColumns, 0x7fa5);
  max_logits.assign(rows, std::bit_cast<float>(0x7fa5a5a5U));
  lse = max_logits;
}

PrefillArguments PrefillCase::arguments() {
  PrefillArguments a;
  a.q = {q.data(), kFloat8E4m3fn, kCpu, q_shape_, {}};
  a.kv = {kv.data(), kFloat8E4m3fn, kCpu, kv_shape_, {}};
  a.indices = {indices.data(), kInt32, kCpu, indices_shape_, {}};
  a.q_scale = {&q_scale, kFloat32, kCpu, {}, {}};
  a.kv_scale = {&kv_scale, kFloat32, kCpu, {}, {}};
  a.sm_scale = options.sm_scale;
  if (options.has_lengths) {
    a.topk_length = TensorView{lengths.data(), kInt32, kCpu, lengths_shape_, {}};
  }
  if (options.has_sink) a.attn_sink = TensorView{sink.data(), kFloat32, kCpu, sink_shape_, {}};
  if (options.has_outputs) {
    a.out = TensorView{out.data(), kBfloat16, kCpu, out_shape_, {}};
    a.max_logits = TensorView{max_logits.data(), kFloat32, kCpu, rows_shape_, {}};
    a.lse = TensorView{lse.data(), kFloat32, kCpu, rows_shape_, {}};
  }
  return a;
}

PrefillParams PrefillCase::params() {
  return {.s_q = options.s_q,
          .h_q = options.h_q,
          .d_qk = options.d_qk,
          .s_kv = options.s_kv,
          .topk = options.topk,
          .q_scale = q_scale,
          .kv_scale = kv_scale,
          .sm_scale = options.sm_scale,
          .q = q.data(),
          .kv = kv.data(),
          .indices = indices.data(),
          .topk_length = options.has_lengths ? lengths.data() : nullptr,
          .attn_sink = options.has_sink ? sink.data() : nullptr,
          .out = out.data(),
          .max_logits = max_logits.data(),
          .lse = lse.data()};
}

namespace {

struct Difference {
  double absolute_sum = 0, reference_sum = 0, largest = 0;
  double dot = 0, square = 0, reference_square = 0;
  bool same_nonfinite = true;

  void add(double x, double r) {
    if (!std::isfinite(x) || !std::isfinite(r)) {
      same_nonfinite = same_nonfinite && ((std::isnan(x) && std::isnan(r)) || x == r);
      return;
    }
    absolute_sum += std::fabs(x - r);
    reference_sum += std::fabs(r);
    largest = std::max(largest, std::fabs(x - r));
    dot += x * r;
    square += x * x;
    reference_square += r * r;
  }
};

}  // namespace

Accuracy PrefillCase::compare(const ReferenceOutputs& expected) const {
  Difference out_difference, max_difference, lse_difference;
  for (std::size_t i = 0; i < expected.out.size(); ++i) {
    out_difference.add(double{bf16_to_float(out[i])}, expected.out[i]);
  }
  for (std::size_t i = 0; i < expected.lse.size(); ++i) {
    max_difference.add(double{max_logits[i]}, expected.max_logits[i]);
    lse_difference.add(double{lse[i]}, expected.lse[i]);
  }
  const bool has_values = out_difference.reference_sum > 0;
  return {
      .out_relative_mean =
          has_values ? out_difference.absolute_sum / out_difference.reference_sum : 0,
      .out_cosine_difference =
          has_values ? 1 - out_difference.dot /
                               std::sqrt(out_difference.square * out_difference.reference_square)
                     : 0,
      .lse_difference = lse_difference.largest,
      .max_logits_difference = max_difference.largest,
      .same_nonfinite = out_difference.same_nonfinite && max_difference.same_nonfinite &&
                        lse_difference.same_nonfinite,
  };
}

}  // namespace assay::sparse_mla_prefill
