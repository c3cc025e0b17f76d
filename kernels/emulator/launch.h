// Runs a device program on the CPU and says what is wrong with it.
//
// Every thread of a cluster is a fiber; clusters of a grid run one after the other. The program
// calls the wrappers of kernels/ptx/, whose host bodies are in device_calls.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/emulator/fault.h"
#include "kernels/emulator/fiber.h"
#include "kernels/emulator/schedule.h"

namespace assay::emulator {

// Memory outside the block. What is not registered may not be touched.
struct GlobalBuffer {
  std::string name;
  void* address = nullptr;
  std::size_t bytes = 0;
  bool is_writable = false;  // then races on it are looked for, between blocks too
};

// For reports: what lies in a part of shared memory.
struct SharedName {
  std::uint32_t offset = 0;
  std::uint32_t bytes = 0;
  std::string name;
};

// A call of a wrapper, before it is made. Operands may be changed.
struct DeviceCall {
  const Place& place;
  std::uint32_t thread;               // in its block
  std::span<std::uint64_t> operands;  // those that are numbers, as in device_calls.h
};

struct LaunchConfig {
  std::uint32_t threads = 128;       // in a block; a multiple of 32, at most 1024
  std::uint32_t blocks = 1;          // a multiple of cluster_blocks
  std::uint32_t first_block = 0;     // those before it are not run
  std::uint32_t cluster_blocks = 1;  // at most 8
  std::uint32_t shared_bytes = 0;    // dynamic, at most 232448 (227 KiB)
  std::uint32_t registers = 168;     // of a thread at launch; a multiple of 8
  std::vector<GlobalBuffer> globals;
  std::vector<SharedName> shared_names;
  std::uint64_t step_limit = 200'000'000;
  // To break a program without touching its source: asked before calls that synchronise or touch
  // shared memory; false leaves the call out. May make calls itself, at another place.
  std::function<bool(DeviceCall&)> interfere;
};

struct LaunchResult {
  std::optional<Fault> fault;  // the first one; the launch stopped there
  std::uint64_t steps = 0;     // of the schedule
};

// Keeps stacks between launches. One launch at a time; not for several OS threads at once.
class Emulator {
 public:
  // `kernel` is called once for each thread. It must not throw, and frames that call wrappers must
  // own nothing: a launch that ends with a fault leaves them as they are.
  LaunchResult run(const LaunchConfig& config, const std::function<void()>& kernel,
                   Schedule& schedule);

 private:
  StackPool stacks_;
};

// The dynamic shared memory starts here, so that a program that takes it for 0 fails.
inline constexpr std::uint32_t kSharedBase = 1024;

}  // namespace assay::emulator
