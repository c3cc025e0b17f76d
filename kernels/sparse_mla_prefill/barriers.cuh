// Every barrier of the kernel: who arrives, who waits, what it protects. BARRIERS.md argues why
// that is enough, and barrier_model.py visits every interleaving.
//
// Why no side runs two phases ahead. Full and empty of a slot, or of Q, alternate: phase n of full
// lacks the arrivals of the loading threads until they have passed phase n - 1 of empty; phase n of
// empty lacks those of the math warps until they have passed phase n of full. Every thread that
// waits for a barrier waits for each of its phases, in order, and its own arrival in the next is
// among those the other side needs; so when a thread waits for phase n, phase n + 1 is not over.
// The two named barriers alternate in one order in all 256 threads, so a second arrival at one lies
// behind a full turn of the other.
#pragma once

#include "kernels/ptx/barriers.h"
#include "kernels/ptx/mbarrier.h"
#include "kernels/ptx/special_registers.h"
#include "kernels/sparse_mla_prefill/tile_config.cuh"

namespace assay::cuda {

// mbarriers, in shared memory at these offsets:
//   kQueryFull   arrives: the copies of each loading thread, once a task. Waits: math. Protects: Q.
//                (Full of a task's first block covers it too: such an arrival waits for all earlier
//                copies of its thread. Nothing else depends on that order.)
//   kQueryEmpty  arrives: a lane of each math warp, after the last scores of a task. Waits:
//                loading. Protects: Q, from being overwritten.
//   kFull[slot]  arrives: the copies of each loading thread, and a lane of each loading warp, once
//                it has stored the ballots. Waits: math. Protects: the slot's tokens and ballots.
//   kEmpty[slot] arrives: a lane of each math warp. Waits: loading. Protects: the same, P included,
//                from being overwritten.
enum class NamedBarrier : std::uint32_t {
  // 0 is the barrier of the whole block: all arrive and wait, for the mbarriers' initialisation.
  // Arrives and waits: math. Protects: the maxima (or sums) of both warpgroups, written before and
  // read after; the rope tile, read by wgmma before and written as P after; the factors, read
  // before.
  maxima = 1,
  // Arrives and waits: math. Protects: P of both blocks and the factors, written before and read
  // after; the maxima, read before and written after.
  probabilities = 2,
};

template <class Config>
ASSAY_DEVICE void sync_math(NamedBarrier barrier, ptx::Place place = ptx::Place::current()) {
  ptx::named_barrier_sync(static_cast<std::uint32_t>(barrier), Config::kMathThreads, place);
}

// Slot and phase of a block of tokens.
template <class Config>
struct RingPosition {
  std::uint32_t slot, parity;

  ASSAY_DEVICE explicit RingPosition(std::uint32_t block)
      : slot(block % Config::kSlots), parity(block / Config::kSlots % 2) {}
  // A number of the same slot and phase to count on from, so that 32 bits are enough for ever.
  ASSAY_DEVICE static std::uint32_t wrap(std::uint32_t block) {
    return block % (2 * Config::kSlots);
  }
  ASSAY_DEVICE ptx::SharedAddress data(ptx::SharedAddress base) const {
    return base + Config::kRing + slot * Config::kSlotBytes;
  }
  ASSAY_DEVICE ptx::SharedAddress valid(ptx::SharedAddress base) const {
    return base + Config::kValid + slot * 32;
  }
  ASSAY_DEVICE ptx::SharedAddress full(ptx::SharedAddress base) const {
    return base + Config::kFull + slot * 8;
  }
  ASSAY_DEVICE ptx::SharedAddress empty(ptx::SharedAddress base) const {
    return base + Config::kEmpty + slot * 8;
  }
};

// By all threads of the block, first of all.
template <class Config>
ASSAY_DEVICE void init_barriers(ptx::SharedAddress base) {
  if (ptx::thread_index() == 0) {
    ptx::mbarrier_init(base + Config::kQueryFull, Config::kLoadThreads);
    ptx::mbarrier_init(base + Config::kQueryEmpty, Config::kMathWarps);
    for (std::uint32_t slot = 0; slot < Config::kSlots; ++slot) {
      ptx::mbarrier_init(base + Config::kFull + slot * 8,
                         Config::kLoadThreads + Config::kLoadThreads / 32);
      ptx::mbarrier_init(base + Config::kEmpty + slot * 8, Config::kMathWarps);
    }
    ptx::fence_mbarrier_init();
  }
  ptx::sync_block();
}

}  // namespace assay::cuda
