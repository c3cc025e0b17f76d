// Queues the Hopper kernel on a stream. Knows neither the contract nor the engine: what it gets is
// what they have let through. Needs no CUDA header, and nothing but the standard library.
//
// Nothing here waits for the device, and everything is allowed while the stream is captured into a
// graph, but the making of outputs, which is refused then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "kernels/sparse_mla_prefill/cuda_runtime.h"
#include "kernels/sparse_mla_prefill/device_params.h"

namespace assay::cuda {

// Why a launch was not made: what was found, which call failed; and what helps, or nothing.
struct LaunchFault {
  std::string message;
  std::string help;
};

// Memory of a device, taken and given back in the order of a stream: to be freed before the stream
// is destroyed.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  DeviceBuffer(CudaRuntime& runtime, void* memory, int device, void* stream)
      : runtime_(&runtime), memory_(memory), device_(device), stream_(stream) {}
  DeviceBuffer(DeviceBuffer&& other) noexcept { swap(other); }
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    swap(other);
    return *this;
  }
  ~DeviceBuffer();

  void* data() const { return memory_; }
  int device() const { return device_; }

 private:
  void swap(DeviceBuffer& other) noexcept;

  CudaRuntime* runtime_ = nullptr;
  void* memory_ = nullptr;
  int device_ = 0;
  void* stream_ = nullptr;
};

// Outputs that the caller did not supply.
struct DeviceOutputs {
  DeviceBuffer out;
  DeviceBuffer max_logits;
  DeviceBuffer lse;
};

struct PrefillLaunch {
  // Outputs that are null are made; the status, if any, is set to zero first; s_q and the steps are
  // filled in.
  DeviceParams params;
  std::int64_t s_q = 0;
  std::int64_t d_qk = 0;
  int device = 0;
  void* stream = nullptr;
};

// The current device of the calling thread is the same afterwards. After a fault nothing was
// launched, and no output is touched; `made` is then empty.
std::optional<LaunchFault> launch_prefill(CudaRuntime& runtime, PrefillLaunch launch,
                                          DeviceOutputs& made);

}  // namespace assay::cuda
