// The loading warpgroup: for each task copies Q, once nobody needs the one before any more, then
// gathers the rows of one block of tokens after the other into the ring, 16 bytes a copy.
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
  ASSAY_DEVICE LoadRole(const DeviceParams& params, ptx::SharedAddress base)
      : params_(params),
        base_(base),
        thread_(ptx::thread_index() - Config::kMathThreads),
        row_(thread_ / 4),
        piece_(thread_ % 4),
        offset_(piece_address(0, row_, piece_)) {}

  ASSAY_DEVICE void run() {
    TaskPosition position = TaskPosition::first<Config>(params_);
    std::uint32_t first_block = 0;
    std::uint32_t parity = 1;
    do {
      ptx::mbarrier_wait(base_ + Config::kQueryEmpty, parity);
      parity = 1 - parity;
      load_query(position.first_row(params_));
      const BlockTask task = BlockTask::of<Config>(params_, position.query);
      report(task, position, load_rows(task, position.query, first_block));
      first_block = RingPosition<Config>::wrap(first_block + 2 * task.pairs);
    } while (position.advance(params_));
  }

 private:
  // Returns how many of the thread's indices were out of range.
  ASSAY_DEVICE std::uint32_t load_rows(const BlockTask& task, std::uint32_t query,
                                       std::uint32_t first_block) {
    const std::int32_t* indices = params_.indices + std::int64_t{query} * params_.topk;
    std::uint32_t out_of_range = 0;
    for (std::uint32_t block = 0; block < 2 * task.pairs; ++block) {
      // Before the wait, which hides how long they take.
      std::int32_t index[2];
      ASSAY_UNROLL
      for (std::uint32_t half = 0; half < 2; ++half) {
        const std::uint32_t place = block * Config::kTokens + row_ + 32 * half;
        index[half] = place < task.length
                          ? static_cast<std::int32_t>(ptx::load_global_constant(indices + place))
                          : -1;
      }
      const RingPosition<Config> position(first_block + block);
      ptx::mbarrier_wait(position.empty(base_), 1 - position.parity);
      std::uint32_t ballots[2];
      ASSAY_UNROLL
      for (std::uint32_t half = 0; half < 2; ++half) {
        const bool is_token = index[half] >= 0 && index[half] < params_.s_kv;
        out_of_range += !is_token && index[half] != -1 ? 1 : 0;
        load_row(position.data(base_), half, is_token ? index[half] : 0, is_token ? 16 : 0);
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
    return out_of_range;
  }

  ASSAY_DEVICE void load_query(std::int64_t first_row) {
    ASSAY_UNROLL
    for (std::uint32_t half = 0; half < 2; ++half) {
      const std::uint32_t row = row_ + 32 * half;
      const std::uint8_t* from = params_.q + (first_row + row) * Config::kQueryDepth + 16 * piece_;
      ASSAY_UNROLL
      for (std::uint32_t tile = 0; tile < Config::kTiles; ++tile) {
        ptx::copy_async_16(base_ + Config::kQuery + place_of(tile, half), from + 64 * tile);
      }
    }
    ptx::copy_async_arrive(base_ + Config::kQueryFull);
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
  ASSAY_DEVICE void report(const BlockTask& task, const TaskPosition& position,
                           std::uint32_t out_of_range) {
    if (params_.status == nullptr || position.first_head != 0 || piece_ != 0) return;
    if (out_of_range > 0) ptx::add_global(&params_.status->out_of_range_indices, out_of_range);
    if (thread_ == 0 && task.is_length_out_of_range) {
      ptx::add_global(&params_.status->out_of_range_lengths, 1);
    }
  }

  const DeviceParams& params_;
  ptx::SharedAddress base_;
  std::uint32_t thread_, row_, piece_, offset_;
};

}  // namespace assay::cuda
