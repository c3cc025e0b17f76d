// Instructions on registers alone.
#pragma once

#include "kernels/ptx/target.h"

namespace assay::ptx {

// PTX ISA, prmt.b32: nibble i of the selector chooses byte i of the result from the eight bytes of
// low (0 to 3) and high (4 to 7). Each thread. No clobber: registers only.
ASSAY_DEVICE std::uint32_t permute_bytes(std::uint32_t low, std::uint32_t high,
                                         std::uint32_t selector) {
#ifdef __CUDACC__
  return __byte_perm(low, high, selector);
#else
  return emulator::permute_bytes(low, high, selector);
#endif
}

// PTX ISA, cvt.rn.satfinite.e4m3x2.f32: two floats to two bytes, low first; nearest even, what is
// beyond 448 becomes 448, NaN stays NaN. Each thread. No clobber: registers only.
ASSAY_DEVICE std::uint32_t pack_e4m3(float low, float high) {
#ifdef __CUDACC__
  std::uint16_t packed;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(packed) : "f"(high), "f"(low));
  return packed;
#else
  return emulator::pack_e4m3(low, high);
#endif
}

// PTX ISA, cvt.rn.bf16x2.f32: two floats to two bfloat16, low first. Each thread. No clobber:
// registers only.
ASSAY_DEVICE std::uint32_t pack_bf16(float low, float high) {
#ifdef __CUDACC__
  std::uint32_t packed;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(high), "f"(low));
  return packed;
#else
  return emulator::pack_bf16(low, high);
#endif
}

// PTX ISA, ex2.approx.ftz.f32: 2 to the power of the value, relative error up to 2^-22. Each
// thread. No clobber: registers only.
ASSAY_DEVICE float exp2_approximate(float value) {
#ifdef __CUDACC__
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(value));
  return result;
#else
  return emulator::exp2_approximate(value);
#endif
}

// PTX ISA, lg2.approx.ftz.f32: the logarithm to base 2, absolute error up to 2^-22. Each thread. No
// clobber: registers only.
ASSAY_DEVICE float log2_approximate(float value) {
#ifdef __CUDACC__
  float result;
  asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(value));
  return result;
#else
  return emulator::log2_approximate(value);
#endif
}

// PTX ISA, max.NaN.f32: the larger one, NaN if either is. Each thread. No clobber: registers only.
ASSAY_DEVICE float max_or_nan(float a, float b) {
#ifdef __CUDACC__
  float result;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));
  return result;
#else
  return emulator::max_or_nan(a, b);
#endif
}

}  // namespace assay::ptx
