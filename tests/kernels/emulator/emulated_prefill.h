// The Hopper kernel on the emulator, for a case of the prefill.
#pragma once

#include <cstdint>
#include <functional>

#include "kernels/emulator/launch.h"
#include "kernels/sparse_mla_prefill/device_params.h"
#include "tests/kernels/sparse_mla_prefill/prefill_case.h"

namespace assay::sparse_mla_prefill {

using Interference = std::function<bool(emulator::DeviceCall&)>;

// What the kernel gets and where it runs, before the launch: for tensors that the case cannot hold.
using Adjustment = std::function<void(cuda::DeviceParams&, emulator::LaunchConfig&)>;

// One launch, under the schedule of `seed`; the outputs are the case's.
emulator::LaunchResult run_emulated(PrefillCase& prefill, emulator::Emulator& emulator,
                                    std::uint64_t seed, cuda::DeviceStatus& status,
                                    const Interference& interfere = {},
                                    const Adjustment& adjust = {});

}  // namespace assay::sparse_mla_prefill
