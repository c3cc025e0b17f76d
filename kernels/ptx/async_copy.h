// Asynchronous copies from global to shared memory by ordinary threads (generic proxy).
#pragma once

#include "kernels/ptx/target.h"

namespace assay::ptx {

// PTX ISA, cp.async.cg with src-size: copies `bytes_read` (0 or 16) bytes through L2, fills up to
// 16 with zeros; with 0, `from` is not read. Both addresses are multiples of 16. Each thread.
// Clobber: it writes shared memory, later.
ASSAY_DEVICE void copy_async_16(SharedAddress to, const void* from, std::uint32_t bytes_read = 16,
                                Place place = Place::current()) {
#ifdef __CUDACC__
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes_read)
               : "memory");
#else
  emulator::copy_async(to, from, 16, bytes_read, place);
#endif
}

// PTX ISA, cp.async.commit_group: the thread's copies since the last commit are a group. Each
// thread. Clobber: copies may not move past it.
ASSAY_DEVICE void copy_async_commit(Place place = Place::current()) {
#ifdef __CUDACC__
  asm volatile("cp.async.commit_group;" ::: "memory");
#else
  emulator::copy_async_commit(place);
#endif
}

// PTX ISA, cp.async.wait_group: waits for all of the thread's groups but the newest kNewest. Only
// this thread then sees them: others need a barrier. Each thread. Clobber: later accesses may not
// move before it.
template <std::uint32_t kNewest>
ASSAY_DEVICE void copy_async_wait(Place place = Place::current()) {
#ifdef __CUDACC__
  asm volatile("cp.async.wait_group %0;" ::"n"(kNewest) : "memory");
#else
  emulator::copy_async_wait(kNewest, place);
#endif
}

// PTX ISA, cp.async.mbarrier.arrive.noinc: arrives once all earlier copies of the thread are
// complete. It counts among the barrier's arrivals (noinc), and releases the copies only, not what
// else the thread wrote. Each thread. Clobber: copies may not move past it.
ASSAY_DEVICE void copy_async_arrive(SharedAddress barrier, Place place = Place::current()) {
#ifdef __CUDACC__
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(barrier) : "memory");
#else
  emulator::copy_async_arrive(barrier, false, place);
#endif
}

}  // namespace assay::ptx
