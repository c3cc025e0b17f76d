// Online softmax over blocks of tokens (Milakov and Gimelshein 2018; FlashAttention's order):
//
//   for each block: gather and decode its KV rows once for all heads
//     for each panel of heads: dots = K Q^T; weights = exp(dots - max); out = out * rescale + V^T P
//
// K Q^T runs in chunks of 192 columns, so that the panel of Q (12 KB for 16 float32 heads, 24 KB
// for 64 bfloat16 heads) stays in the L1 cache while the tokens pass by. V^T P runs in strips of 16
// columns, for which all three operands fit in L1. A block's K and V (about 200 KB) stay in L2.
#include "kernels/sparse_mla_prefill/cpu_attend.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/sparse_mla_prefill/bf16.h"

namespace assay::sparse_mla_prefill {
namespace {

constexpr std::size_t kWordBytes = 4;
constexpr std::size_t kChunkWords = 192;
constexpr std::size_t kStrips = kValueColumns / kStripColumns;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

AlignedBuffer make_words(std::size_t count) { return AlignedBuffer(count * kWordBytes); }

}  // namespace

QueryAttention::QueryAttention(const PrefillParams& params, const CpuKernels& kernels)
    : params_(params),
      kernels_(kernels),
      heads_(kernels.panel_heads),
      panels_(static_cast<std::size_t>(params.h_q) / kernels.panel_heads),
      key_words_(static_cast<std::size_t>(params.d_qk) / kernels.values_per_word),
      block_steps_(kernels.block_tokens / kernels.values_per_word),
      queries_(make_words(panels_ * heads_ * key_words_)),
      keys_(make_words(kernels.block_tokens * key_words_)),
      values_(make_words(kStrips * kStripColumns * block_steps_)),
      dots_(make_words(kernels.block_tokens * heads_)),
      weights_(make_words(block_steps_ * heads_)),
      sums_(make_words(panels_ * heads_ * kValueColumns)),
      state_(make_words((3 * panels_ + 1) * heads_)) {
  std::fill_n(state_.as<float>() + 3 * panels_ * heads_, heads_, 1.0F);
  rows_.reserve(static_cast<std::size_t>(params.topk));
}

bool QueryAttention::attend(std::int64_t query, const Cancellation* cancellation,
                            ValueFaults& faults) {
  gather_rows(params_, query, faults, rows_);
  if (rows_.empty()) {
    store_empty_rows(query);
    return true;
  }
  const auto h_q = static_cast<std::size_t>(params_.h_q);
  kernels_.pack_queries(params_.q + query * params_.h_q * params_.d_qk, h_q,
                        static_cast<std::size_t>(params_.d_qk), queries_.data());
  std::fill_n(state_.as<float>(), h_q, -kInfinity);
  std::fill_n(state_.as<float>() + h_q, h_q, 0.0F);
  for (std::size_t first = 0; first < rows_.size(); first += kernels_.block_tokens) {
    if (is_cancelled(cancellation)) return false;
    attend_block(first, std::min(kernels_.block_tokens, rows_.size() - first));
  }
  for (std::size_t panel = 0; panel < panels_; ++panel) store_panel(query, panel);
  return true;
}

void QueryAttention::attend_block(std::size_t first_token, std::size_t tokens) {
  kernels_.decode_rows(rows_.data() + first_token, tokens, static_cast<std::size_t>(params_.d_qk),
                       keys_.data(), values_.data());
  for (std::size_t panel = 0; panel < panels_; ++panel) {
    attend_panel(panel, tokens, first_token == 0);
  }
}

void QueryAttention::attend_panel(std::size_t panel, std::size_t tokens, bool is_first_block) {
  const std::size_t at = panel * heads_;
  float* const max = state_.as<float>() + at;
  float* const sum = max + panels_ * heads_;
  float* const rescale = sum + panels_ * heads_;
  const float* const ones = state_.as<float>() + 3 * panels_ * heads_;

  for (std::size_t chunk = 0; chunk < key_words_; chunk += kChunkWords) {
    kernels_.multiply({.a = keys_.as<float>(chunk * kWordBytes),
                       .a_row_stride = key_words_,
                       .a_step_stride = 1,
                       .rows = tokens,
                       .b = queries_.as<float>((at * key_words_ + chunk * heads_) * kWordBytes),
                       .steps = std::min(kChunkWords, key_words_ - chunk),
                       .c = dots_.as<float>(),
                       .start_factor = chunk == 0 ? nullptr : ones});
  }
  kernels_.softmax({.dots = dots_.as<float>(),
                    .tokens = tokens,
                    .logit_scale = static_cast<float>(params_.logit_scale()),
                    .max = max,
                    .sum = sum,
                    .rescale = rescale,
                    .p = weights_.data()});
  const std::size_t steps = (tokens + kernels_.values_per_word - 1) / kernels_.values_per_word;
  for (std::size_t strip = 0; strip < kStrips; ++strip) {
    kernels_.multiply({.a = values_.as<float>(strip * block_steps_ * kStripColumns * kWordBytes),
                       .a_row_stride = 1,
                       .a_step_stride = kStripColumns,
                       .rows = kStripColumns,
                       .b = weights_.data(),
                       .steps = steps,
                       .c = sums_.as<float>() + at * kValueColumns + strip * kStripColumns * heads_,
                       .start_factor = is_first_block ? nullptr : rescale});
  }
}

void QueryAttention::store_panel(std::int64_t query, std::size_t panel) {
  const std::size_t at = panel * heads_;
  const auto first_row = static_cast<std::size_t>(query * params_.h_q) + at;
  const float* const max = state_.as<float>() + at;
  const float* const sum = max + panels_ * heads_;
  float factor[kHeadMultiple];
  for (std::size_t head = 0; head < heads_; ++head) {
    const double row_max = max[head];
    const double row_sum = sum[head];
    const bool is_empty = max[head] == -kInfinity;  // tokens, but not one finite logit
    double denominator = row_sum;
    if (params_.attn_sink != nullptr) {
      denominator += std::exp(double{params_.attn_sink[at + head]} - row_max);
    }
    factor[head] = is_empty ? 0.0F : static_cast<float>(params_.kv_scale / denominator);
    params_.max_logits[first_row + head] = max[head];
    params_.lse[first_row + head] =
        is_empty ? kInfinity : static_cast<float>(row_max + std::log(row_sum));
  }
  // Transposed by strips, which keeps the 64 lines that are written and the one read in L1.
  for (std::size_t strip = 0; strip < kStrips; ++strip) {
    const std::size_t first_column = strip * kStripColumns;
    const float* const sums = sums_.as<float>() + at * kValueColumns + first_column * heads_;
    std::uint16_t rounded[kStripColumns][kHeadMultiple];
    for (std::size_t column = 0; column < kStripColumns; ++column) {
      for (std::size_t head = 0; head < heads_; ++head) {
        rounded[column][head] = float_to_bf16(sums[column * heads_ + head] * factor[head]);
      }
    }
    for (std::size_t head = 0; head < heads_; ++head) {
      std::uint16_t* const out = params_.out + (first_row + head) * kValueColumns + first_column;
      for (std::size_t column = 0; column < kStripColumns; ++column) {
        out[column] = rounded[column][head];
      }
    }
  }
}

void QueryAttention::store_empty_rows(std::int64_t query) {
  const auto first_row = static_cast<std::size_t>(query * params_.h_q);
  const auto h_q = static_cast<std::size_t>(params_.h_q);
  std::fill_n(params_.out + first_row * kValueColumns, h_q * kValueColumns, std::uint16_t{0});
  std::fill_n(params_.max_logits + first_row, h_q, -kInfinity);
  std::fill_n(params_.lse + first_row, h_q, kInfinity);
}

}  // namespace assay::sparse_mla_prefill
