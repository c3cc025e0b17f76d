// The loading warpgroup: copies Q once, then gathers the rows of one block of tokens after the
// other into the ring, 16 bytes a copy.
//
// Thread t copies piece t % 4 of rows t / 4 and t / 4 + 32 of every tile, so four lanes read 64
// consecutive bytes of a row. A row that means "no token" is filled with zeros and never read;
// which rows are tokens goes to the math warpgroups as ballots: bit 4i of word 2w + h of a slot is
// token 32h + 8w + i.
#pragma once

#include "kernels/ptx/async_copy.h"
#include "kernels/ptx/mbarrier.h"
#include "kernels/ptx/memory.h"
#include "kernels/ptx/warp.h"
#include "kernels/sparse_mla_prefill/barriers.cuh"
#include "kernels/sparse_mla_prefill/block_task.cuh"

namespace assay::cuda {

template <class Config>
class LoadRole {
 public:
  ASSAY_DEVICE LoadRole(const DeviceParams& params, const BlockTask& task, ptx::SharedAddress base)
      : params_(params),
        task_(task),
        base_(base),
        thread_(ptx::thread_index() - Config::kMathThreads),
        row_(thread_ / 4),
        piece_(thread_ % 4),
        offset_(piece_address(0, row_, piece_)) {}

  ASSAY_DEVICE void run() {
    load_query();
    std::uint32_t out_of_range = 0;
    for (std::uint32_t block = 0; block < 2 * task_.pairs; ++block) {
      const RingPosition<Config> position(block);
      ptx::mbarrier_wait(position.empty(base_), 1 - position.parity);
      std::uint32_t ballots[2];
      ASSAY_UNROLL
      for (std::uint32_t half = 0; half < 2; ++half) {
        const std::int32_t index = index_of(block * Config::kTokens + row_ + 32 * half);
        const bool is_token = index >= 0 && index < params_.s_kv;
        out_of_range += !is_token && index != -1 ? 1 : 0;
        load_row(position.data(base_), half, is_token ? index : 0, is_token ? 16 : 0);
        ballots[half] = ptx::vote_ballot(is_token);
      }
      if (thread_ % 32 == 0) {
        const ptx::SharedAddress words = position.valid(base_) + thread_ / 32 * 8;
        ptx::store_shared(words, ballots[0]);
        ptx::store_shared(words + 4, ballots[1]);
        ptx::mbarrier_arrive(position.full(base_));  // the copies' arrival releases only copies
      }
      ptx::copy_async_arrive(position.full(base_));
    }
    report(out_of_range);
  }

 private:
  ASSAY_DEVICE void load_query() {
    ASSAY_UNROLL
    for (std::uint32_t half = 0; half < 2; ++half) {
      const std::uint32_t row = row_ + 32 * half;
      const std::int64_t head = task_.query * params_.h_q + task_.first_head + row;
      const std::uint8_t* from = params_.q + head * Config::kQueryDepth + 16 * piece_;
      ASSAY_UNROLL
      for (std::uint32_t tile = 0; tile < Config::kTiles; ++tile) {
        ptx::copy_async_16(base_ + Config::kQuery + place_of(tile, half), from + 64 * tile);
      }
    }
    ptx::copy_async_arrive(base_ + Config::kQueryFull);
  }

  ASSAY_DEVICE std::int32_t index_of(std::uint32_t position) const {
    if (position >= task_.length) return -1;
    return static_cast<std::int32_t>(
        ptx::load_global_constant(params_.indices + task_.query * params_.topk + position));
  }

  // Of the thread's piece in a tile. Rows 32 apart have the same swizzle, so one register serves
  // for all: the rest are immediate offsets.
  ASSAY_DEVICE std::uint32_t place_of(std::uint32_t tile, std::uint32_t half) const {
    return offset_ + tile * Config::kTileBytes + half * Config::kTileBytes / 2;
  }

  ASSAY_DEVICE void load_row(ptx::SharedAddress slot, std::uint32_t half, std::int64_t index,
                             std::uint32_t bytes) {
    const std::uint8_t* from = params_.kv + index * Config::kQueryDepth + 16 * piece_;
    ASSAY_UNROLL
    for (std::uint32_t tile = 0; tile < Config::kTiles; ++tile) {
      ptx::copy_async_16(slot + place_of(tile, half), from + 64 * tile, bytes);
    }
  }

  // Once for a query, and once for each row.
  ASSAY_DEVICE void report(std::uint32_t out_of_range) {
    if (params_.status == nullptr || task_.first_head != 0 || piece_ != 0) return;
    if (out_of_range > 0) ptx::add_global(&params_.status->out_of_range_indices, out_of_range);
    if (thread_ == 0 && task_.is_length_out_of_range) {
      ptx::add_global(&params_.status->out_of_range_lengths, 1);
    }
  }

  const DeviceParams& params_;
  const BlockTask& task_;
  ptx::SharedAddress base_;
  std::uint32_t thread_, row_, piece_, offset_;
};

}  // namespace assay::cuda
