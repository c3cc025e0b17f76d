// Special registers: which thread, block and cluster this is.
#pragma once

#include "kernels/ptx/target.h"

namespace assay::ptx {

// PTX ISA, Special Registers: %tid.x. Each thread. No clobber: constant for the thread.
ASSAY_DEVICE std::uint32_t thread_index() {
#ifdef __CUDACC__
  return threadIdx.x;
#else
  return emulator::thread_index();
#endif
}

// PTX ISA, Special Registers: %ctaid.x. Each thread. No clobber: constant for the block.
ASSAY_DEVICE std::uint32_t block_index() {
#ifdef __CUDACC__
  return blockIdx.x;
#else
  return emulator::block_index();
#endif
}

// PTX ISA, Special Registers: %cluster_ctarank, the block's number in its cluster. Each thread. No
// clobber: constant for the block.
ASSAY_DEVICE std::uint32_t cluster_rank() {
#ifdef __CUDACC__
  std::uint32_t rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
#else
  return emulator::cluster_rank();
#endif
}

// The first byte of the dynamic shared memory, in the shared window (PTX ISA, cvta.to.shared).
// Aligned to 1024 by its declaration. Each thread. No clobber: constant for the launch.
ASSAY_DEVICE SharedAddress dynamic_shared_base() {
#ifdef __CUDACC__
  extern __shared__ __align__(1024) unsigned char assay_dynamic_shared[];
  return static_cast<SharedAddress>(__cvta_generic_to_shared(assay_dynamic_shared));
#else
  return emulator::dynamic_shared_base();
#endif
}

}  // namespace assay::ptx
