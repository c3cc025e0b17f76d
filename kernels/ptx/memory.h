// Plain loads and stores of shared and global memory, and what orders them for the async proxy.
#pragma once

#include "kernels/ptx/target.h"

namespace assay::ptx {

// PTX ISA, ld.shared: a 32-bit word; the address is a multiple of 4. Each thread. Clobber: another
// thread may have written it since the last barrier, so the load may not move over one.
ASSAY_DEVICE std::uint32_t load_shared(SharedAddress address, Place place = Place::current()) {
  std::uint32_t value;
#ifdef __CUDACC__
  asm volatile("ld.shared.b32 %0, [%1];" : "=r"(value) : "r"(address) : "memory");
#else
  emulator::read_shared(address, &value, sizeof(value), place);
#endif
  return value;
}

// PTX ISA, st.shared: a 32-bit word; the address is a multiple of 4. Each thread. Clobber: a write
// that others see.
ASSAY_DEVICE void store_shared(SharedAddress address, std::uint32_t value,
                               Place place = Place::current()) {
#ifdef __CUDACC__
  asm volatile("st.shared.b32 [%0], %1;" ::"r"(address), "r"(value) : "memory");
#else
  emulator::write_shared(address, &value, sizeof(value), place);
#endif
}

// PTX ISA, ld.shared.v4: 16 bytes; the address is a multiple of 16. Each thread. Clobber: as
// load_shared.
ASSAY_DEVICE void load_shared_v4(SharedAddress address, std::uint32_t (&value)[4],
                                 Place place = Place::current()) {
#ifdef __CUDACC__
  asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
               : "=r"(value[0]), "=r"(value[1]), "=r"(value[2]), "=r"(value[3])
               : "r"(address)
               : "memory");
#else
  emulator::read_shared(address, value, sizeof(value), place);
#endif
}

// PTX ISA, st.shared.v4: 16 bytes; the address is a multiple of 16. Each thread. Clobber: a write
// that others see.
ASSAY_DEVICE void store_shared_v4(SharedAddress address, const std::uint32_t (&value)[4],
                                  Place place = Place::current()) {
#ifdef __CUDACC__
  asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(value[0]),
               "r"(value[1]), "r"(value[2]), "r"(value[3])
               : "memory");
#else
  emulator::write_shared(address, value, sizeof(value), place);
#endif
}

// PTX ISA, ld.shared::cluster: a 32-bit word of any block of the cluster. Each thread. Clobber: as
// load_shared.
ASSAY_DEVICE std::uint32_t load_shared_cluster(SharedAddress address,
                                               Place place = Place::current()) {
  std::uint32_t value;
#ifdef __CUDACC__
  asm volatile("ld.shared::cluster.b32 %0, [%1];" : "=r"(value) : "r"(address) : "memory");
#else
  emulator::read_shared(address, &value, sizeof(value), place);
#endif
  return value;
}

// PTX ISA, st.shared::cluster: a 32-bit word of any block of the cluster. Each thread. Clobber: a
// write that others see.
ASSAY_DEVICE void store_shared_cluster(SharedAddress address, std::uint32_t value,
                                       Place place = Place::current()) {
#ifdef __CUDACC__
  asm volatile("st.shared::cluster.b32 [%0], %1;" ::"r"(address), "r"(value) : "memory");
#else
  emulator::write_shared(address, &value, sizeof(value), place);
#endif
}

// PTX ISA, mapa: the address of the same variable in the block of the given rank. Each thread. No
// clobber: arithmetic on an address.
ASSAY_DEVICE SharedAddress map_shared_rank(SharedAddress address, std::uint32_t rank,
                                           [[maybe_unused]] Place place = Place::current()) {
#ifdef __CUDACC__
  SharedAddress mapped;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(address), "r"(rank));
  return mapped;
#else
  return emulator::map_shared_rank(address, rank, place);
#endif
}

// PTX ISA, ld.global.nc: a 32-bit word that nobody writes while the kernel runs. Each thread. No
// clobber and not volatile: for that reason it may move.
ASSAY_DEVICE std::uint32_t load_global_constant(const void* address,
                                                [[maybe_unused]] Place place = Place::current()) {
  std::uint32_t value;
#ifdef __CUDACC__
  asm("ld.global.nc.b32 %0, [%1];" : "=r"(value) : "l"(address));
#else
  emulator::read_global(address, &value, sizeof(value), place);
#endif
  return value;
}

// PTX ISA, st.global: a 32-bit word. Each thread. Clobber: a write that others see.
ASSAY_DEVICE void store_global(void* address, std::uint32_t value, Place place = Place::current()) {
#ifdef __CUDACC__
  asm volatile("st.global.b32 [%0], %1;" ::"l"(address), "r"(value) : "memory");
#else
  emulator::write_global(address, &value, sizeof(value), place);
#endif
}

// PTX ISA, red.global.add: adds to a 32-bit word that others add to. Each thread. Clobber: a write
// that others see.
ASSAY_DEVICE void add_global(std::uint32_t* address, std::uint32_t value,
                             Place place = Place::current()) {
#ifdef __CUDACC__
  asm volatile("red.relaxed.gpu.global.add.u32 [%0], %1;" ::"l"(address), "r"(value) : "memory");
#else
  emulator::add_global(address, value, place);
#endif
}

// PTX ISA, membar/fence: fence.proxy.async. What this thread wrote, or knows to be written, by
// ordinary instructions (cp.async too) becomes visible to wgmma and bulk copies that are ordered
// after it. Each thread. Clobber: earlier writes may not move past it.
ASSAY_DEVICE void fence_proxy_async(Place place = Place::current()) {
#ifdef __CUDACC__
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#else
  emulator::fence_proxy_async(place);
#endif
}

}  // namespace assay::ptx
