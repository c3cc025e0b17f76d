// Asks the processor once, by the compiler's builtin, which also looks at what the operating system
// saves on a switch.
#include "kernels/sparse_mla_prefill/cpu_dispatch.h"

#include <algorithm>

namespace assay::sparse_mla_prefill {
namespace {

std::vector<const CpuKernels*> ask_processor() {
  std::vector<const CpuKernels*> kernels = highway_kernels();
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512bf16") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512f")) {
    kernels.insert(kernels.begin(), &avx512bf16_kernels());
  }
#endif
  return kernels;
}

}  // namespace

const std::vector<const CpuKernels*>& available_cpu_kernels() {
  static const std::vector<const CpuKernels*> kernels = ask_processor();
  return kernels;
}

const CpuKernels* find_cpu_kernels(std::string_view name) {
  const auto& all = available_cpu_kernels();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const CpuKernels* k) { return k->name == name; });
  return found == all.end() ? nullptr : *found;
}

}  // namespace assay::sparse_mla_prefill
