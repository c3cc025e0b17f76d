// Which of the instruction sets that Highway compiled a function for this processor has. Highway's
// own choice is in its library, and to load that took every process 7 ms: release 1.0.3 measures
// its timer as it starts. So only Highway's headers are used, and the processor is asked here.
#pragma once

#include <type_traits>

namespace assay {

#if defined(__x86_64__)
// What Highway asks of its target AVX3; the compiler's builtin looks at the operating system too.
inline bool has_avx3() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd");
}
// No processor has these and lacks the rest of the target, F16C and LZCNT.
inline bool has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
}
inline bool has_sse4() {
  return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul") &&
         __builtin_cpu_supports("aes");
}
#else
inline bool has_avx3() { return false; }
inline bool has_avx2() { return false; }
inline bool has_sse4() { return false; }
#endif

// The best of a function's versions, as HWY_CHOOSE_AVX3(f), HWY_CHOOSE_AVX2(f), HWY_CHOOSE_SSE4(f)
// and &HWY_STATIC_DISPATCH(f) name them; one that was not compiled is null.
template <class Function>
Function* best_version(std::type_identity_t<Function*> avx3, std::type_identity_t<Function*> avx2,
                       std::type_identity_t<Function*> sse4, Function* baseline) {
  if (avx3 != nullptr && has_avx3()) return avx3;
  if (avx2 != nullptr && has_avx2()) return avx2;
  if (sse4 != nullptr && has_sse4()) return sse4;
  return baseline;
}

}  // namespace assay
