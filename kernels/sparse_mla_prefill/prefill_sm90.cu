// The kernels that nvcc compiles for sm_90a: one for each d_qk. device_launch.cc launches them:
// a block for each multiprocessor, TileConfig<d_qk>::kThreads threads, kSharedBytes of dynamic
// shared memory.
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

const void* compiled_prefill_kernel(std::int64_t d_qk) {
  return d_qk == 576 ? reinterpret_cast<const void*>(&sparse_mla_prefill_576)
                     : reinterpret_cast<const void*>(&sparse_mla_prefill_512);
}

}  // namespace assay::cuda
