// What every wrapper needs. The same source is compiled by nvcc for sm_90a, where a wrapper is
// inline PTX, and by the host's compiler, where it calls the emulator (kernels/emulator/).
//
// Above each wrapper: the section of the PTX ISA; what it means; who calls it (each thread for
// itself, a whole warp at one instruction, a whole warpgroup of 128 threads); and why its asm has
// or lacks the "memory" clobber, which keeps the compiler from moving memory accesses across it.
// `Place` is where the wrapper was called, for the emulator's reports; on the device it is nothing.
#pragma once

#include <cstdint>

#ifdef __CUDACC__
#define ASSAY_DEVICE __device__ __forceinline__
// Before a loop whose body indexes registers: they have no addresses.
#define ASSAY_UNROLL _Pragma("unroll")
#else
#include <bit>

#include "kernels/emulator/device_calls.h"
#define ASSAY_DEVICE inline
#define ASSAY_UNROLL
#endif

namespace assay::ptx {

#ifdef __CUDACC__
struct Place {
  __device__ static constexpr Place current() { return {}; }
};
#else
using Place = emulator::Place;
#endif

// An address in the shared window (PTX ISA, State Spaces: .shared), not a pointer: 32 bits, and
// what descriptors and asm want. With the rank of another block in it, as map_shared_rank returns,
// it is an address of .shared::cluster.
using SharedAddress = std::uint32_t;

// The same 32 bits as another type.
ASSAY_DEVICE std::uint32_t bits_of(float value) {
#ifdef __CUDACC__
  return __float_as_uint(value);
#else
  return std::bit_cast<std::uint32_t>(value);
#endif
}
ASSAY_DEVICE float float_of(std::uint32_t bits) {
#ifdef __CUDACC__
  return __uint_as_float(bits);
#else
  return std::bit_cast<float>(bits);
#endif
}

}  // namespace assay::ptx
