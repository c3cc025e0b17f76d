// Bulk and tensor copies (async proxy): one thread moves many bytes. Sizes are multiples of 16.
#pragma once

#include "kernels/ptx/target.h"

namespace assay::ptx {

#ifdef __CUDACC__
// The 128 bytes of a CUtensorMap, a kernel parameter declared __grid_constant__.
struct alignas(64) TensorMap {
  std::uint64_t opaque[16];
};
#else
using TensorMap = emulator::TensorMap;
#endif

// PTX ISA, cp.async.bulk.shared::cluster.global: copies to shared memory, then completes so many
// bytes on the mbarrier. Both addresses are multiples of 16. One thread. Clobber: it writes shared
// memory, later.
ASSAY_DEVICE void bulk_load(SharedAddress to, const void* from, std::uint32_t bytes,
                            SharedAddress barrier, Place place = Place::current()) {
#ifdef __CUDACC__
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(to),
      "l"(from), "r"(bytes), "r"(barrier)
      : "memory");
#else
  emulator::bulk_load(to, from, bytes, barrier, 0, place);
#endif
}

// PTX ISA, the same with .multicast::cluster: to the same address in each block whose bit is set in
// `ranks`, completing on the same mbarrier of each. One thread. Clobber: as bulk_load.
ASSAY_DEVICE void bulk_load_multicast(SharedAddress to, const void* from, std::uint32_t bytes,
                                      SharedAddress barrier, std::uint16_t ranks,
                                      Place place = Place::current()) {
#ifdef __CUDACC__
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
      "[%0], [%1], %2, [%3], %4;" ::"r"(to),
      "l"(from), "r"(bytes), "r"(barrier), "h"(ranks)
      : "memory");
#else
  emulator::bulk_load(to, from, bytes, barrier, ranks, place);
#endif
}

// PTX ISA, cp.async.bulk.shared::cluster.shared::cta: from this block's shared memory to another
// block's, completing on an mbarrier there. One thread. Clobber: reads and writes shared memory,
// later.
ASSAY_DEVICE void bulk_send(SharedAddress to, SharedAddress from, std::uint32_t bytes,
                            SharedAddress barrier, Place place = Place::current()) {
#ifdef __CUDACC__
  asm volatile(
      "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, "
      "[%3];" ::"r"(to),
      "r"(from), "r"(bytes), "r"(barrier)
      : "memory");
#else
  emulator::bulk_send(to, from, bytes, barrier, place);
#endif
}

// PTX ISA, cp.async.bulk.global.shared::cta: from shared to global memory, in a bulk group of the
// thread. One thread. Clobber: reads shared memory, later.
ASSAY_DEVICE void bulk_store(void* to, SharedAddress from, std::uint32_t bytes,
                             Place place = Place::current()) {
#ifdef __CUDACC__
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(from),
               "r"(bytes)
               : "memory");
#else
  emulator::bulk_store(to, from, bytes, place);
#endif
}

// PTX ISA, cp.async.bulk.commit_group. The thread that stored. Clobber: copies may not move past
// it.
ASSAY_DEVICE void bulk_commit(Place place = Place::current()) {
#ifdef __CUDACC__
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
#else
  emulator::bulk_commit(place);
#endif
}

// PTX ISA, cp.async.bulk.wait_group: waits for all but the newest kNewest groups. The thread that
// stored. Clobber: later accesses may not move before it.
template <std::uint32_t kNewest>
ASSAY_DEVICE void bulk_wait(Place place = Place::current()) {
#ifdef __CUDACC__
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(kNewest) : "memory");
#else
  emulator::bulk_wait(kNewest, false, place);
#endif
}

// PTX ISA, cp.async.bulk.wait_group.read: waits only until the groups' shared memory has been read.
// The thread that stored. Clobber: later accesses may not move before it.
template <std::uint32_t kNewest>
ASSAY_DEVICE void bulk_wait_read(Place place = Place::current()) {
#ifdef __CUDACC__
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(kNewest) : "memory");
#else
  emulator::bulk_wait(kNewest, true, place);
#endif
}

// PTX ISA, cp.async.bulk.tensor.2d: copies the map's box whose first element is (x, y), swizzled as
// the map says, zeros where it leaves the tensor; completes the whole box's bytes on the mbarrier.
// Elements are bytes here. `to` is a multiple of 128. One thread. Clobber: as bulk_load.
ASSAY_DEVICE void tensor_load(SharedAddress to, const TensorMap& map, std::int32_t x,
                              std::int32_t y, SharedAddress barrier,
                              Place place = Place::current()) {
#ifdef __CUDACC__
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], "
      "[%1, {%2, %3}], [%4];" ::"r"(to),
      "l"(&map), "r"(x), "r"(y), "r"(barrier)
      : "memory");
#else
  emulator::tensor_load(to, map, x, y, barrier, 0, place);
#endif
}

// PTX ISA, the same with .multicast::cluster, as bulk_load_multicast. One thread. Clobber: as
// bulk_load.
ASSAY_DEVICE void tensor_load_multicast(SharedAddress to, const TensorMap& map, std::int32_t x,
                                        std::int32_t y, SharedAddress barrier, std::uint16_t ranks,
                                        Place place = Place::current()) {
#ifdef __CUDACC__
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to),
      "l"(&map), "r"(x), "r"(y), "r"(barrier), "h"(ranks)
      : "memory");
#else
  emulator::tensor_load(to, map, x, y, barrier, ranks, place);
#endif
}

}  // namespace assay::ptx
