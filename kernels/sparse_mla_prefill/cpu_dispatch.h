// Which back ends this processor can run.
#pragma once

#include <string_view>
#include <vector>

#include "kernels/sparse_mla_prefill/cpu_kernels.h"

namespace assay::sparse_mla_prefill {

// All that this processor and its operating system allow, best first; never empty. In this order:
// avx512bf16, avx512, avx2, portable.
const std::vector<const CpuKernels*>& available_cpu_kernels();

// The one of that name if this processor can run it, else null.
const CpuKernels* find_cpu_kernels(std::string_view name);

// What each file of kernels offers.
std::vector<const CpuKernels*> highway_kernels();
const CpuKernels& avx512bf16_kernels();  // x86 only; call after asking the processor

}  // namespace assay::sparse_mla_prefill
