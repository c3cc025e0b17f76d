// Every schedule that differs from the fixed one in at most a few delays (DelayedSchedule).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernels/emulator/launch.h"

namespace assay::emulator {

struct DelaySearch {
  std::uint32_t max_delays = 1;
  std::uint64_t max_runs = 10'000;
};

struct DelaySearchResult {
  std::optional<Fault> fault;         // the first one found
  std::vector<std::uint64_t> delays;  // the schedule it was found under
  std::uint64_t runs = 0;
  bool is_complete = false;  // all such schedules were run, and none has a fault
};

// Runs `kernel` under one schedule after the other until one has a fault, all were run, or max_runs
// is reached. With n delays and s steps that is about s^n / n! runs.
DelaySearchResult search_delays(Emulator& emulator, const LaunchConfig& config,
                                const std::function<void()>& kernel, const DelaySearch& search);

}  // namespace assay::emulator
