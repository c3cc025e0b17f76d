// The kernels that nvcc compiles for sm_90a: one for each d_qk. Launching them is the caller's
// part: s_q * h_q / 64 blocks, TileConfig<d_qk>::kThreads threads, kSharedBytes of dynamic shared
// memory.
#include "kernels/sparse_mla_prefill/kernel.cuh"

namespace assay::cuda {

__global__ void __launch_bounds__(TileConfig<576>::kThreads, 1)
    sparse_mla_prefill_576(const __grid_constant__ DeviceParams params) {
  prefill_block<TileConfig<576>>(params);
}

__global__ void __launch_bounds__(TileConfig<512>::kThreads, 1)
    sparse_mla_prefill_512(const __grid_constant__ DeviceParams params) {
  prefill_block<TileConfig<512>>(params);
}

}  // namespace assay::cuda
