// The end of a task: sums of both warpgroups, max_logits, lse, and O^T divided into `out`.
#pragma once

#include "kernels/ptx/arithmetic.h"
#include "kernels/ptx/memory.h"
#include "kernels/sparse_mla_prefill/barriers.cuh"
#include "kernels/sparse_mla_prefill/block_task.cuh"
#include "kernels/sparse_mla_prefill/online_softmax.cuh"

namespace assay::cuda {

// Called by all math threads with the same `pairs`. Element 4j + 2h + c of o[t] is value column
// 256 warpgroup + 64t + 16 warp + 2 (lane / 4) + h of head 8j + 2 (lane % 4) + c, so two of them
// make one word of `out`, and eight lanes write 32 consecutive bytes: whole sectors.
template <class Config>
ASSAY_DEVICE void store_output(const DeviceParams& params, const TaskPosition& position,
                               std::uint32_t pairs, ptx::SharedAddress base,
                               OnlineSoftmax<Config>& softmax, ptx::Accumulator<64> (&o)[4]) {
  const std::uint32_t group = ptx::thread_index() / 128;
  const std::uint32_t warp = ptx::thread_index() / 32 % 4;
  const std::uint32_t lane = ptx::thread_index() % 32;
  const std::uint32_t row = 16 * warp + lane / 4;
  const std::int64_t first_row = position.first_row(params);
  const ptx::SharedAddress sums = base + Config::kSums;
  const ptx::SharedAddress factors = base + Config::kFactors + group * Config::kHeads * 4;
  float own_sum[2];
  ASSAY_UNROLL
  for (std::uint32_t h = 0; h < 2; ++h) {
    own_sum[h] = softmax.whole_sum(static_cast<int>(h));
    if (lane % 4 == 0) {
      ptx::store_shared(sums + (group * Config::kHeads + row + 8 * h) * 4,
                        ptx::bits_of(own_sum[h]));
    }
  }
  sync_math<Config>(NamedBarrier::maxima);
  if (lane % 4 == 0) {
    const float kv_scale = ptx::float_of(ptx::load_global_constant(params.kv_scale));
    ASSAY_UNROLL
    for (std::uint32_t h = 0; h < 2; ++h) {
      const std::uint32_t head = row + 8 * h;
      const std::uint32_t other = (1 - group) * Config::kHeads + head;
      const float other_sum = ptx::float_of(ptx::load_shared(sums + other * 4));
      // In one order, so that both warpgroups divide by the same number.
      const float sum = group == 0 ? own_sum[h] + other_sum : other_sum + own_sum[h];
      const float maximum = softmax.maximum(static_cast<int>(h));
      const bool is_empty = maximum == minus_infinity();
      float denominator = sum;
      if (params.attn_sink != nullptr) {
        const float sink =
            ptx::float_of(ptx::load_global_constant(params.attn_sink + position.first_head + head));
        denominator += ptx::exp2_approximate(sink * kLog2E - maximum + kProbabilityScaleLog2);
      }
      const float factor = is_empty ? 0.0F : kv_scale / denominator;
      ptx::store_shared(factors + head * 4, ptx::bits_of(factor));
      if (group != 0) continue;
      const float lse = (maximum + ptx::log2_approximate(sum) - kProbabilityScaleLog2) * kLn2;
      ptx::store_global(params.max_logits + first_row + head, ptx::bits_of(maximum * kLn2));
      ptx::store_global(params.lse + first_row + head, is_empty ? 0x7f800000U : ptx::bits_of(lse));
    }
  }
  sync_math<Config>(NamedBarrier::probabilities);
  const std::uint32_t first_column = 256 * group + 16 * warp + 2 * (lane / 4);
  ASSAY_UNROLL
  for (int j = 0; j < 8; ++j) {
    ASSAY_UNROLL
    for (int c = 0; c < 2; ++c) {
      const std::uint32_t head = static_cast<std::uint32_t>(8 * j + c) + 2 * (lane % 4);
      const float factor = ptx::float_of(ptx::load_shared(factors + head * 4));
      std::uint16_t* to = params.out + (first_row + head) * Config::kValueColumns + first_column;
      ASSAY_UNROLL
      for (int t = 0; t < 4; ++t) {
        std::uint32_t word = 0;
        if (pairs > 0) {
          word = ptx::pack_bf16(o[t].get(4 * j + c) * factor, o[t].get(4 * j + 2 + c) * factor);
        }
        ptx::store_global(to + 64 * t, word);
      }
    }
  }
}

}  // namespace assay::cuda
