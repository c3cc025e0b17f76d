#include "tests/kernels/sparse_mla_prefill/back_ends.h"

#include <algorithm>

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

PrefillResult run_on(const CpuKernels& kernels, PrefillCase& prefill, unsigned threads) {
  PrefillOptions options;
  options.threads = threads;
  options.kernels = &kernels;
  PrefillResult result = run_prefill(prefill.arguments(), options);
  const auto take = [](const AlignedBuffer& made, auto& values) {
    using Value = typename std::remove_reference_t<decltype(values)>::value_type;
    if (made.data() != nullptr) std::copy_n(made.as<Value>(), values.size(), values.begin());
  };
  take(result.made.out, prefill.out);
  take(result.made.max_logits, prefill.max_logits);
  take(result.made.lse, prefill.lse);
  return result;
}

}  // namespace assay::sparse_mla_prefill
