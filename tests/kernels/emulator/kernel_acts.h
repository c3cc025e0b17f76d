// Ways to break one call of the kernel, from which kernel_mutations.cc makes its table.
#pragma once

#include "kernels/emulator/launch.h"
#include "kernels/sparse_mla_prefill/tile_config.cuh"
#include "tests/kernels/emulator/kernel_mutations.h"

namespace assay::sparse_mla_prefill {

using MutatedConfig = cuda::TileConfig<576>;

// Leaves the call out, everywhere, or in one thread or warp.
Act skip();
Act skip_in_thread(std::uint32_t thread);
Act skip_in_warp(std::uint32_t warp);
Act by_one_warpgroup(Act act);
Act only_slot(std::uint32_t slot, Act act);  // of kEmpty

// Changes an operand.
Act add(std::size_t operand, std::uint64_t difference);
Act flip(std::size_t operand, std::uint64_t bits);
Act set(std::size_t operand, std::uint64_t value);
// The same barrier of another slot in the ring, `first` being the first slot's.
Act next_slot(std::uint32_t first);
Act slot_before(std::uint32_t first);

// Makes another call before.
Act arrive_twice();
bool arrive_already(emulator::DeviceCall& call);  // before the barrier is come to and waited for
// Before the first ballot of a block is stored: what is done only after the second.
bool arrive_before_ballots(emulator::DeviceCall& call);
// So that the count is met by parts of warps.
bool come_with_half_of_each_warp(emulator::DeviceCall& call);

}  // namespace assay::sparse_mla_prefill
