// What the Hopper kernel gets: device pointers to contiguous tensors that the contract has let
// through (params.h has shapes and meanings).
#pragma once

#include <cstdint>

namespace assay::cuda {

// Counts of values that mean "no token", in two words of device memory; the caller reads them when
// it synchronises anyway.
struct DeviceStatus {
  std::uint32_t out_of_range_indices = 0;  // outside [-1, s_kv), among those that count
  std::uint32_t out_of_range_lengths = 0;  // outside [0, topk]
};

struct DeviceParams {
  const std::uint8_t* q = nullptr;
  const std::uint8_t* kv = nullptr;
  const std::int32_t* indices = nullptr;
  const float* q_scale = nullptr;
  const float* kv_scale = nullptr;
  const std::int32_t* topk_length = nullptr;  // may be null
  const float* attn_sink = nullptr;           // may be null
  std::uint16_t* out = nullptr;
  float* max_logits = nullptr;
  float* lse = nullptr;
  DeviceStatus* status = nullptr;  // added to; may be null
  std::int64_t s_kv = 0;
  std::uint32_t h_q = 0;
  std::uint32_t topk = 0;
  std::uint32_t s_q = 0;  // below 2^31
  // From a task of a block of threads to its next; share_out sets them.
  std::uint32_t query_step = 0;
  std::uint32_t head_step = 0;
  float sm_scale = 1.0F;
};

// 64 heads of one query are a task.
inline constexpr std::uint32_t kTaskHeads = 64;

inline std::uint64_t count_tasks(const DeviceParams& params) {
  return std::uint64_t{params.s_q} * (params.h_q / kTaskHeads);
}

// Among so many blocks of threads: at least one, and no more than there are tasks.
inline void share_out(DeviceParams& params, std::uint32_t blocks) {
  const std::uint32_t head_blocks = params.h_q / kTaskHeads;
  params.query_step = blocks / head_blocks;
  params.head_step = blocks % head_blocks * kTaskHeads;
}

}  // namespace assay::cuda
