// The back ends that tests run: those of this processor and, emulated, the one in AVX512_BF16.
#pragma once

#include <vector>

#include "kernels/sparse_mla_prefill/cpu_kernels.h"
#include "kernels/sparse_mla_prefill/launch.h"
#include "tests/kernels/sparse_mla_prefill/prefill_case.h"

namespace assay::sparse_mla_prefill {

// cpu_kernel_avx512bf16.cc compiled against tests/kernels/emulated_avx512. x86 only.
const CpuKernels& emulated_avx512bf16_kernels();

std::vector<const CpuKernels*> tested_back_ends();

// Runs the case; outputs that the call made are copied to the case's.
PrefillResult run_on(const CpuKernels& kernels, PrefillCase& prefill, unsigned threads = 1);

}  // namespace assay::sparse_mla_prefill
