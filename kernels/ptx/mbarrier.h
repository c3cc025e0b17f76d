// mbarriers: eight bytes of shared memory, a multiple of 8, that count arrivals and bytes of bulk
// copies. When a phase lacks nothing it is over and the next begins; a wait names a phase by its
// parity.
#pragma once

#include "kernels/ptx/target.h"

namespace assay::ptx {

// PTX ISA, mbarrier.init: a phase lasts until `arrivals` have come. One thread; others may use the
// barrier after a barrier of the block (of the cluster, if they are in another block). Clobber: it
// writes shared memory.
ASSAY_DEVICE void mbarrier_init(SharedAddress barrier, std::uint32_t arrivals,
                                Place place = Place::current()) {
#ifdef __CUDACC__
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
#else
  emulator::mbarrier_init(barrier, arrivals, place);
#endif
}

// PTX ISA, mbarrier.inval: the memory may be used for something else. One thread, when nobody uses
// the barrier any more. Clobber: it writes shared memory.
ASSAY_DEVICE void mbarrier_invalidate(SharedAddress barrier, Place place = Place::current()) {
#ifdef __CUDACC__
  asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(barrier) : "memory");
#else
  emulator::mbarrier_invalidate(barrier, place);
#endif
}

// PTX ISA, fence.mbarrier_init.release.cluster: makes this thread's initialisations visible to bulk
// copies and to the cluster. The thread that initialised. Clobber: earlier writes may not move past
// it.
ASSAY_DEVICE void fence_mbarrier_init(Place place = Place::current()) {
#ifdef __CUDACC__
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#else
  emulator::mbarrier_fence_init(place);
#endif
}

// PTX ISA, mbarrier.arrive (release, of the block): one arrival; what the thread did before is
// visible to whoever sees the phase over. Each thread. Clobber: earlier accesses may not move past
// it.
ASSAY_DEVICE void mbarrier_arrive(SharedAddress barrier, Place place = Place::current()) {
#ifdef __CUDACC__
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
#else
  emulator::mbarrier_arrive(barrier, 1, place);
#endif
}

// PTX ISA, mbarrier.arrive.release.cluster on .shared::cluster: one arrival at the barrier of
// another block. Each thread. Clobber: earlier accesses may not move past it.
ASSAY_DEVICE void mbarrier_arrive_cluster(SharedAddress barrier, Place place = Place::current()) {
#ifdef __CUDACC__
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(barrier)
               : "memory");
#else
  emulator::mbarrier_arrive(barrier, 1, place);
#endif
}

// PTX ISA, mbarrier.expect_tx: the phase lacks so many more bytes of bulk copies. Each thread.
// Clobber: it must stay before the copies.
ASSAY_DEVICE void mbarrier_expect(SharedAddress barrier, std::uint32_t bytes,
                                  Place place = Place::current()) {
#ifdef __CUDACC__
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
#else
  emulator::mbarrier_expect(barrier, bytes, place);
#endif
}

// PTX ISA, mbarrier.arrive.expect_tx: both of the above, the bytes first. Each thread. Clobber: as
// mbarrier_arrive.
ASSAY_DEVICE void mbarrier_arrive_expect(SharedAddress barrier, std::uint32_t bytes,
                                         Place place = Place::current()) {
#ifdef __CUDACC__
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
#else
  emulator::mbarrier_arrive_expect(barrier, bytes, place);
#endif
}

// PTX ISA, mbarrier.test_wait.parity (acquire): whether the phase of that parity is over. Each
// thread. Clobber: later accesses may not move before it.
ASSAY_DEVICE bool mbarrier_test(SharedAddress barrier, std::uint32_t parity,
                                Place place = Place::current()) {
#ifdef __CUDACC__
  std::uint32_t is_over;
  asm volatile(
      "{\n\t.reg .pred p;\n\tmbarrier.test_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
      "selp.u32 %0, 1, 0, p;\n\t}"
      : "=r"(is_over)
      : "r"(barrier), "r"(parity)
      : "memory");
  return is_over != 0;
#else
  return emulator::mbarrier_test(barrier, parity, place);
#endif
}

// PTX ISA, mbarrier.try_wait.parity (acquire), again until it holds: waits until the phase of that
// parity is over. Each thread. Clobber: later accesses may not move before it.
ASSAY_DEVICE void mbarrier_wait(SharedAddress barrier, std::uint32_t parity,
                                Place place = Place::current()) {
#ifdef __CUDACC__
  asm volatile(
      "{\n\t.reg .pred p;\n"
      "again:\n\tmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n\t@!p bra "
      "again;\n\t}" ::"r"(barrier),
      "r"(parity)
      : "memory");
#else
  emulator::mbarrier_wait(barrier, parity, place);
#endif
}

}  // namespace assay::ptx
