// Which part of the call a block works on.
#pragma once

#include "kernels/ptx/memory.h"
#include "kernels/ptx/special_registers.h"
#include "kernels/sparse_mla_prefill/device_params.h"
#include "kernels/sparse_mla_prefill/tile_config.cuh"

namespace assay::cuda {

struct BlockTask {
  std::int64_t query;
  std::uint32_t first_head;
  std::uint32_t length;  // how many indices count, clamped to [0, topk]
  bool is_length_out_of_range;
  std::uint32_t pairs;  // of token blocks that hold them; 0: no token

  // Query by query, so that the blocks of one query's heads run together and share its rows in L2.
  template <class Config>
  ASSAY_DEVICE static BlockTask of(const DeviceParams& params) {
    const std::uint32_t head_blocks = params.h_q / Config::kHeads;
    BlockTask task;
    task.query = ptx::block_index() / head_blocks;
    task.first_head = first_head_of<Config>(params);
    task.length = params.topk;
    task.is_length_out_of_range = false;
    if (params.topk_length != nullptr) {
      const auto length =
          static_cast<std::int32_t>(ptx::load_global_constant(params.topk_length + task.query));
      const auto topk = static_cast<std::int32_t>(params.topk);
      task.is_length_out_of_range = length < 0 || length > topk;
      task.length = static_cast<std::uint32_t>(length < 0 ? 0 : length > topk ? topk : length);
    }
    task.pairs = (task.length + 2 * Config::kTokens - 1) / (2 * Config::kTokens);
    return task;
  }
  template <class Config>
  ASSAY_DEVICE static std::uint32_t first_head_of(const DeviceParams& params) {
    return ptx::block_index() % (params.h_q / Config::kHeads) * Config::kHeads;
  }
};

}  // namespace assay::cuda
