// Runs small device programs on the emulator, under one schedule or many.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "kernels/emulator/launch.h"

namespace assay::emulator {

// How many schedules a program that is right must pass.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr std::uint64_t kSeeds = 12;
#else
inline constexpr std::uint64_t kSeeds = 200;
#endif

inline LaunchResult run_seed(const LaunchConfig& config, const std::function<void()>& kernel,
                             std::uint64_t seed = 0) {
  Emulator emulator;
  RandomSchedule schedule(seed);
  return emulator.run(config, kernel, schedule);
}

inline std::string text_of(const LaunchResult& result) {
  return result.fault ? result.fault->to_string() : "no fault";
}

// "no fault", or the first fault of schedules 0 to seeds - 1; `check` looks at each run's output
// and returns what is wrong with it, or nothing.
inline std::string run_seeds(
    const LaunchConfig& config, const std::function<void()>& kernel,
    const std::function<std::string()>& check = [] { return std::string(); },
    std::uint64_t seeds = kSeeds) {
  Emulator emulator;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    RandomSchedule schedule(seed);
    const LaunchResult result = emulator.run(config, kernel, schedule);
    if (result.fault) return "seed " + std::to_string(seed) + ": " + result.fault->to_string();
    if (std::string wrong = check(); !wrong.empty()) {
      return "seed " + std::to_string(seed) + ": " + wrong;
    }
  }
  return "no fault";
}

// The kind of the fault that a program makes under one schedule.
inline std::optional<FaultKind> fault_of(const LaunchConfig& config,
                                         const std::function<void()>& kernel,
                                         std::uint64_t seed = 0) {
  const LaunchResult result = run_seed(config, kernel, seed);
  return result.fault ? std::optional(result.fault->kind) : std::nullopt;
}

}  // namespace assay::emulator
