#include "tests/kernels/sparse_mla_prefill/back_ends.h"

#include "kernels/sparse_mla_prefill/cpu_dispatch.h"

namespace assay::sparse_mla_prefill {

std::vector<const CpuKernels*> tested_back_ends() {
  std::vector<const CpuKernels*> back_ends = available_cpu_kernels();
  static const CpuKernels emulated = [] {
    CpuKernels kernels = emulated_avx512bf16_kernels();
    kernels.name = "emulated_avx512bf16";
    return kernels;
  }();
  back_ends.push_back(&emulated);
  return back_ends;
}

}  // namespace assay::sparse_mla_prefill
