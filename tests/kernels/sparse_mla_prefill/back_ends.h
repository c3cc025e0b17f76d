// The back ends that tests run: those of this processor and, emulated, the one in AVX512_BF16.
#pragma once

#include <vector>

#include "kernels/sparse_mla_prefill/cpu_kernels.h"

namespace assay::sparse_mla_prefill {

// cpu_kernel_avx512bf16.cc compiled against tests/kernels/emulated_avx512. x86 only.
const CpuKernels& emulated_avx512bf16_kernels();

std::vector<const CpuKernels*> tested_back_ends();

}  // namespace assay::sparse_mla_prefill
