// Named barriers of a block and the barrier of a cluster.
#pragma once

#include "kernels/ptx/target.h"

namespace assay::ptx {

// PTX ISA, barrier.cta.sync.aligned: waits until `threads` threads have come to barrier `id` (0 to
// 15), this one among them; all see what all did before. Whole warps. Clobber: it orders memory.
ASSAY_DEVICE void named_barrier_sync(std::uint32_t id, std::uint32_t threads,
                                     Place place = Place::current()) {
#ifdef __CUDACC__
  asm volatile("barrier.cta.sync.aligned %0, %1;" ::"r"(id), "r"(threads) : "memory");
#else
  emulator::named_barrier_sync(id, threads, place);
#endif
}

// PTX ISA, barrier.cta.arrive.aligned: comes to the barrier without waiting. Whole warps. Clobber:
// earlier accesses may not move past it.
ASSAY_DEVICE void named_barrier_arrive(std::uint32_t id, std::uint32_t threads,
                                       Place place = Place::current()) {
#ifdef __CUDACC__
  asm volatile("barrier.cta.arrive.aligned %0, %1;" ::"r"(id), "r"(threads) : "memory");
#else
  emulator::named_barrier_arrive(id, threads, place);
#endif
}

// PTX ISA, barrier.cta.sync 0 of all threads of the block: __syncthreads. Each thread of the block.
// Clobber: it orders memory.
ASSAY_DEVICE void sync_block([[maybe_unused]] Place place = Place::current()) {
#ifdef __CUDACC__
  __syncthreads();
#else
  emulator::named_barrier_sync(0, emulator::block_threads(), place);
#endif
}

// PTX ISA, barrier.cluster.arrive (release): comes to the cluster's barrier without waiting. Every
// thread of the cluster. Clobber: earlier accesses may not move past it.
ASSAY_DEVICE void cluster_arrive(Place place = Place::current()) {
#ifdef __CUDACC__
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
#else
  emulator::cluster_arrive(place);
#endif
}

// PTX ISA, barrier.cluster.wait (acquire): waits until every thread of the cluster has arrived.
// Every thread of the cluster, after its arrive. Clobber: later accesses may not move before it.
ASSAY_DEVICE void cluster_wait(Place place = Place::current()) {
#ifdef __CUDACC__
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#else
  emulator::cluster_wait(place);
#endif
}

}  // namespace assay::ptx
