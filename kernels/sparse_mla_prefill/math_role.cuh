// The two math warpgroups. For each pair of token blocks: warpgroup g makes S = Q K^T of block g,
// the two agree on one maximum for each head, each writes P of its block, and each adds its 256
// value columns of O^T = V^T P^T over both blocks.
//
// V^T is the A operand in registers: ldmatrix.trans on the row-major tokens gives two tokens of two
// columns in a register, prmt takes the columns apart. Row r of a tile of 64 columns is then column
// 2r of its warp's 16, row r + 8 column 2r + 1; byte b of k 4q + 16i is token 16i + 2q, 2q + 1, 2q
// + 8, 2q + 9. That is the order in which a thread's part of S holds a row's tokens, so P is stored
// a word at a time, and as it lies is the K-major B operand. S of the next pair
// is issued before O^T of this one, and its softmax runs while the last products of O^T do.
#pragma once

#include "kernels/ptx/arithmetic.h"
#include "kernels/ptx/mbarrier.h"
#include "kernels/ptx/memory.h"
#include "kernels/ptx/warp.h"
#include "kernels/ptx/wgmma.h"
#include "kernels/sparse_mla_prefill/barriers.cuh"
#include "kernels/sparse_mla_prefill/block_task.cuh"
#include "kernels/sparse_mla_prefill/online_softmax.cuh"
#include "kernels/sparse_mla_prefill/store_output.cuh"

namespace assay::cuda {

template <class Config>
class MathRole {
 public:
  ASSAY_DEVICE MathRole(const DeviceParams& params, ptx::SharedAddress base)
      : params_(params),
        base_(base),
        group_(ptx::thread_index() / 128),
        warp_(ptx::thread_index() / 32 % 4),
        lane_(ptx::thread_index() % 32) {}

  ASSAY_DEVICE void run() {
    TaskPosition position = TaskPosition::first<Config>(params_);
    std::uint32_t first_pair = 0;
    std::uint32_t parity = 0;
    do {
      const std::uint32_t pairs = BlockTask::of<Config>(params_, position.query).pairs;
      ptx::mbarrier_wait(base_ + Config::kQueryFull, parity);
      parity = 1 - parity;
      attend(position, first_pair, pairs);
      first_pair = RingPosition<Config>::wrap(2 * (first_pair + pairs)) / 2;
    } while (position.advance(params_));
  }

 private:
  // One task, whose pairs of blocks are counted from `first_pair` on.
  ASSAY_DEVICE void attend(const TaskPosition& position, std::uint32_t first_pair,
                           std::uint32_t pairs) {
    const float scale = ptx::float_of(ptx::load_global_constant(params_.q_scale)) *
                        ptx::float_of(ptx::load_global_constant(params_.kv_scale)) *
                        params_.sm_scale * kLog2E;
    OnlineSoftmax<Config> softmax(scale);
    ptx::Accumulator<64> o[4];
    ptx::Accumulator<64> s;
    ptx::FragmentA fragments[2][4];  // outlive the products of add_values
    const std::uint32_t end_pair = first_pair + pairs;
    if (pairs > 0) {
      issue_scores(s, first_pair);
      ptx::wgmma_wait<0>();
      share_maxima(softmax, s, first_pair);
      make_probabilities(softmax, s, first_pair);
      sync_math<Config>(NamedBarrier::probabilities);
    }
    if (pairs <= 1) release_query();
    for (std::uint32_t pair = first_pair; pair < end_pair; ++pair) {
      const bool has_next = pair + 1 < end_pair;
      if (pair > first_pair) rescale(o);
      if (has_next) issue_scores(s, pair + 1);
      const RingPosition<Config> first(2 * pair);
      const RingPosition<Config> second(2 * pair + 1);
      add_values(o, fragments, first, pair > first_pair);
      ptx::wgmma_wait<2>();  // the scores on their way; the products just issued go on
      if (pair + 2 == end_pair) release_query();
      if (has_next) share_maxima(softmax, s, pair + 1);
      finish_values(o, fragments, first, second);
      if (has_next) make_probabilities(softmax, s, pair + 1);
      ptx::wgmma_wait<0>();
      release(second);
      if (has_next) sync_math<Config>(NamedBarrier::probabilities);
    }
    store_output<Config>(params_, position, pairs, base_, softmax, o);
  }

  // S of the warpgroup's block of a pair, as one group of products.
  ASSAY_DEVICE void issue_scores(ptx::Accumulator<64>& s, std::uint32_t pair) {
    const RingPosition<Config> first(2 * pair);
    const RingPosition<Config> second(2 * pair + 1);
    // Both, though S needs one: a thread that skips phases cannot tell them apart by parity.
    ptx::mbarrier_wait(first.full(base_), first.parity);
    ptx::mbarrier_wait(second.full(base_), second.parity);
    ptx::fence_proxy_async();  // cp.async wrote in the generic proxy
    const ptx::SharedAddress slot = RingPosition<Config>(2 * pair + group_).data(base_);
    ptx::wgmma_fence();
    ASSAY_UNROLL
    for (std::uint32_t step = 0; step < 2 * Config::kTiles; ++step) {
      const std::uint32_t tile = step / 2 * Config::kTileBytes;
      ptx::wgmma_n64(s, tile_operand(base_ + Config::kQuery + tile, step % 2 * 32),
                     tile_operand(slot + tile, step % 2 * 32), step > 0);
    }
    ptx::wgmma_commit();
  }

  // From S, which must be complete, to the block's maxima, for the other warpgroup. Products of the
  // pair before may still run, here and in make_probabilities.
  ASSAY_DEVICE void share_maxima(OnlineSoftmax<Config>& softmax, ptx::Accumulator<64>& s,
                                 std::uint32_t pair) {
    float maxima[2];
    softmax.find_maxima(s, RingPosition<Config>(2 * pair + group_).valid(base_), maxima);
    ASSAY_UNROLL
    for (std::uint32_t h = 0; h < 2; ++h) {
      if (lane_ % 4 == 0) {
        ptx::store_shared(row_of_maxima() + (group_ * Config::kHeads + 8 * h) * 4,
                          ptx::bits_of(maxima[h]));
      }
    }
  }

  // From S and both blocks' maxima to P of the warpgroup's block and the factors for O^T.
  ASSAY_DEVICE void make_probabilities(OnlineSoftmax<Config>& softmax, ptx::Accumulator<64>& s,
                                       std::uint32_t pair) {
    const RingPosition<Config> block(2 * pair + group_);
    sync_math<Config>(NamedBarrier::maxima);
    ASSAY_UNROLL
    for (std::uint32_t h = 0; h < 2; ++h) {
      const ptx::SharedAddress at = row_of_maxima() + 8 * h * 4;
      const float first = ptx::float_of(ptx::load_shared(at));
      const float second = ptx::float_of(ptx::load_shared(at + Config::kHeads * 4));
      float factor;
      softmax.move_maximum(static_cast<int>(h), first, second, factor);
      if (lane_ % 4 == 0) ptx::store_shared(factors() + (row() + 8 * h) * 4, ptx::bits_of(factor));
    }
    std::uint32_t words[2][4];
    softmax.exponentiate(s, words);
    const ptx::SharedAddress p = block.data(base_) + Config::kProbabilityTile * Config::kTileBytes;
    ASSAY_UNROLL
    for (std::uint32_t h = 0; h < 2; ++h) {
      ASSAY_UNROLL
      for (std::uint32_t i = 0; i < 4; ++i) {
        ptx::store_shared(piece_address(p, row() + 8 * h, i) + 4 * (lane_ % 4), words[h][i]);
      }
    }
    ptx::fence_proxy_async();
  }

  // Columns of O^T are heads: 16 factors a thread. Most of the time no maximum has moved.
  ASSAY_DEVICE void rescale(ptx::Accumulator<64> (&o)[4]) {
    ASSAY_UNROLL
    for (int j = 0; j < 8; ++j) {
      ASSAY_UNROLL
      for (int c = 0; c < 2; ++c) {
        const std::uint32_t head = static_cast<std::uint32_t>(8 * j + c) + 2 * (lane_ % 4);
        const float factor = ptx::float_of(ptx::load_shared(factors() + head * 4));
        if (factor == 1.0F) continue;
        ASSAY_UNROLL
        for (int t = 0; t < 4; ++t) {
          o[t].set(4 * j + c, o[t].get(4 * j + c) * factor);
          o[t].set(4 * j + 2 + c, o[t].get(4 * j + 2 + c) * factor);
        }
      }
    }
  }

  // O^T takes four steps of 32 tokens: the first block's here, the second's in finish_values.
  // Fragments of a step are loaded while the products of the step before run.
  ASSAY_DEVICE void add_values(ptx::Accumulator<64> (&o)[4], ptx::FragmentA (&fragments)[2][4],
                               const RingPosition<Config>& first, bool accumulates) {
    add_step(o, fragments[0], first, 0, accumulates);
    add_step(o, fragments[1], first, 32, true);
  }

  // Those of the step before the last are waited for, since its registers are taken again. The last
  // two steps are left running.
  ASSAY_DEVICE void finish_values(ptx::Accumulator<64> (&o)[4], ptx::FragmentA (&fragments)[2][4],
                                  const RingPosition<Config>& first,
                                  const RingPosition<Config>& second) {
    ptx::wgmma_wait<1>();
    add_step(o, fragments[0], second, 0, true);
    ptx::wgmma_wait<1>();
    release(first);
    add_step(o, fragments[1], second, 32, true);
  }

  // One group of products: 32 tokens of a block, all of the warpgroup's columns.
  ASSAY_DEVICE void add_step(ptx::Accumulator<64> (&o)[4], ptx::FragmentA (&fragments)[4],
                             const RingPosition<Config>& block, std::uint32_t first_token,
                             bool accumulates) {
    const ptx::SharedAddress slot = block.data(base_);
    ASSAY_UNROLL
    for (std::uint32_t t = 0; t < 4; ++t) {
      load_fragment(fragments[t], slot + (4 * group_ + t) * Config::kTileBytes, first_token);
    }
    ptx::wgmma_fence();
    const std::uint64_t p =
        tile_operand(slot + Config::kProbabilityTile * Config::kTileBytes, first_token);
    ASSAY_UNROLL
    for (int t = 0; t < 4; ++t) ptx::wgmma_n64(o[t], fragments[t], p, accumulates);
    ptx::wgmma_commit();
  }

  // Tokens first_token to + 31 of the warp's 16 columns of a tile.
  ASSAY_DEVICE void load_fragment(ptx::FragmentA& fragment, ptx::SharedAddress tile,
                                  std::uint32_t first_token) {
    std::uint32_t pairs[4];
    ptx::load_matrix_x4_transposed(piece_address(tile, first_token + lane_, warp_), pairs);
    constexpr std::uint32_t kEvenColumn = 0x6420;
    constexpr std::uint32_t kOddColumn = 0x7531;
    fragment.set(0, ptx::permute_bytes(pairs[0], pairs[1], kEvenColumn));
    fragment.set(1, ptx::permute_bytes(pairs[0], pairs[1], kOddColumn));
    fragment.set(2, ptx::permute_bytes(pairs[2], pairs[3], kEvenColumn));
    fragment.set(3, ptx::permute_bytes(pairs[2], pairs[3], kOddColumn));
  }

  // After the last scores of a task. In one without a token nothing else holds the warp together: a
  // lane that has yet to wait for Q would find the next task's.
  ASSAY_DEVICE void release_query() {
    ptx::sync_warp();
    if (lane_ == 0) ptx::mbarrier_arrive(base_ + Config::kQueryEmpty);
  }

  ASSAY_DEVICE void release(const RingPosition<Config>& block) {
    ptx::sync_warp();
    if (lane_ == 0) ptx::mbarrier_arrive(block.empty(base_));
  }

  ASSAY_DEVICE std::uint32_t row() const { return 16 * warp_ + lane_ / 4; }
  ASSAY_DEVICE ptx::SharedAddress row_of_maxima() const {
    return base_ + Config::kMaxima + row() * 4;
  }
  ASSAY_DEVICE ptx::SharedAddress factors() const {
    return base_ + Config::kFactors + group_ * Config::kHeads * 4;
  }

  const DeviceParams& params_;
  ptx::SharedAddress base_;
  std::uint32_t group_, warp_, lane_;
};

}  // namespace assay::cuda
