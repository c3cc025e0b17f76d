// Which part of the call a block of threads works on: 64 heads of one query at a time, a task. It
// takes one after the other until none is left, so that Q and the first rows of the next are on
// their way while the last products of this one run.
#pragma once

#include "kernels/ptx/memory.h"
#include "kernels/ptx/special_registers.h"
#include "kernels/sparse_mla_prefill/device_params.h"
#include "kernels/sparse_mla_prefill/tile_config.cuh"

namespace assay::cuda {

// Tasks are counted query by query, so that the blocks of one query's heads run together and share
// its rows in L2. A block's first task is its number, each next one a whole grid further: by steps
// that the host has worked out, since a division would take the loading threads' few registers.
struct TaskPosition {
  std::uint32_t query, first_head;

  template <class Config>
  ASSAY_DEVICE static TaskPosition first(const DeviceParams& params) {
    const std::uint32_t head_blocks = params.h_q / Config::kHeads;
    return {ptx::block_index() / head_blocks, ptx::block_index() % head_blocks * Config::kHeads};
  }

  // False: there is no next one.
  ASSAY_DEVICE bool advance(const DeviceParams& params) {
    query += params.query_step;
    first_head += params.head_step;
    if (first_head >= params.h_q) {
      first_head -= params.h_q;
      ++query;
    }
    return query < params.s_q;
  }

  // Among the rows of `out`, of which each query has h_q.
  ASSAY_DEVICE std::int64_t first_row(const DeviceParams& params) const {
    return std::int64_t{query} * params.h_q + first_head;
  }
};

struct BlockTask {
  std::uint32_t length;  // how many indices count, clamped to [0, topk]
  bool is_length_out_of_range;
  std::uint32_t pairs;  // of token blocks that hold them; 0: no token

  template <class Config>
  ASSAY_DEVICE static BlockTask of(const DeviceParams& params, std::uint32_t query) {
    BlockTask task;
    task.length = params.topk;
    task.is_length_out_of_range = false;
    if (params.topk_length != nullptr) {
      const auto length =
          static_cast<std::int32_t>(ptx::load_global_constant(params.topk_length + query));
      const auto topk = static_cast<std::int32_t>(params.topk);
      task.is_length_out_of_range = length < 0 || length > topk;
      task.length = static_cast<std::uint32_t>(length < 0 ? 0 : length > topk ? topk : length);
    }
    task.pairs = (task.length + 2 * Config::kTokens - 1) / (2 * Config::kTokens);
    return task;
  }
};

}  // namespace assay::cuda
