// What a build without nvcc has in place of cuda_runtime_static.cc: nothing, which a call on CUDA
// tensors is told.
#include "kernels/sparse_mla_prefill/cuda_runtime.h"

namespace assay::cuda {

CudaRuntime* linked_cuda_runtime() { return nullptr; }

}  // namespace assay::cuda
