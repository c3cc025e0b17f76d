// FP8 sparse MLA prefill for Hopper (sm_90a): blocks of 384 threads take 64 heads of one query
// after the other. The same source runs on the emulator (kernels/emulator/). Design and arithmetic:
// README.md.
#pragma once

#include "kernels/ptx/special_registers.h"
#include "kernels/ptx/warp.h"
#include "kernels/sparse_mla_prefill/barriers.cuh"
#include "kernels/sparse_mla_prefill/load_role.cuh"
#include "kernels/sparse_mla_prefill/math_role.cuh"

namespace assay::cuda {

// Called by every thread of a block; the grid has as many blocks of Config::kThreads threads as
// share_out was told, and Config::kSharedBytes of dynamic shared memory.
template <class Config>
ASSAY_DEVICE void prefill_block(const DeviceParams& params) {
  const ptx::SharedAddress base = ptx::dynamic_shared_base();
  init_barriers<Config>(base);
  if (ptx::thread_index() < Config::kMathThreads) {
    ptx::take_registers<Config::kMathRegisters>();
    MathRole<Config>(params, base).run();
  } else {
    ptx::give_registers<Config::kLoadRegisters>();
    LoadRole<Config>(params, base).run();
  }
}

}  // namespace assay::cuda
