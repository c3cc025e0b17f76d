// A CUDA run time without a GPU: writes down what it is asked, and fails where a test says.
#pragma once

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "kernels/sparse_mla_prefill/cuda_runtime.h"
#include "kernels/sparse_mla_prefill/device_params.h"

namespace assay::cuda {

class FakeCudaRuntime final : public CudaRuntime {
 public:
  static constexpr int kOutOfMemory = 2;

  struct Launch {
    const void* kernel;
    GridShape grid;
    DeviceParams params;
    void* stream;
    int device;  // current at the time
  };

  int devices = 2;
  ComputeCapability capability{9, 0};
  int multiprocessor_count = 132;
  bool capturing = false;
  std::map<std::string, int> errors;  // by the name of the call
  std::size_t memory_bytes = std::size_t{1} << 30U;

  int current = 0;
  std::vector<std::string> calls;  // that did something or were asked of a stream
  std::vector<Launch> launches;
  std::map<const void*, std::uint32_t> shared_bytes;
  std::map<void*, std::size_t> allocated;
  bool has_error = false;

  static const void* kernel_of(std::int64_t d_qk) {
    static const char kernels[2] = {};
    return &kernels[d_qk == 576 ? 1 : 0];
  }

  int device_count(int& count) override {
    count = devices;
    return answer("cudaGetDeviceCount");
  }
  int current_device(int& device) override {
    device = current;
    return answer("cudaGetDevice");
  }
  int set_device(int device) override {
    const int error = answer("cudaSetDevice");
    if (error == 0) current = device;
    return error;
  }
  int compute_capability(int, ComputeCapability& found) override {
    found = capability;
    return answer("cudaDeviceGetAttribute");
  }
  int multiprocessors(int, int& count) override {
    count = multiprocessor_count;
    return answer("cudaDeviceGetAttribute");
  }
  int free_memory(std::size_t& bytes) override {
    bytes = memory_bytes;
    return answer("cudaMemGetInfo");
  }
  int is_capturing(void*, bool& is) override {
    is = capturing;
    return answer("cudaStreamIsCapturing");
  }
  int allocate(void*& memory, std::size_t bytes, void* stream) override {
    note("allocate", stream);
    if (const int error = answer("cudaMallocAsync")) return error;
    if (bytes > memory_bytes) return fail(kOutOfMemory);
    memory_bytes -= bytes;
    memory = reinterpret_cast<void*>(next_address_);
    next_address_ += (bytes + 255) / 256 * 256;
    allocated[memory] = bytes;
    return 0;
  }
  int release(void* memory, void* stream) override {
    note("release", stream);
    memory_bytes += allocated.at(memory);
    allocated.erase(memory);
    return answer("cudaFreeAsync");
  }
  int set_zero(void*, std::size_t, void* stream) override {
    note("set_zero", stream);
    return answer("cudaMemsetAsync");
  }
  int launch(const void* kernel, const GridShape& grid, void** arguments, void* stream) override {
    note("launch", stream);
    if (const int error = answer("cudaLaunchKernel")) return error;
    launches.push_back(
        {kernel, grid, *static_cast<const DeviceParams*>(arguments[0]), stream, current});
    return 0;
  }
  int allow_shared(const void* kernel, std::uint32_t bytes) override {
    shared_bytes[kernel] = bytes;
    return answer("cudaFuncSetAttribute");
  }
  void forget_error() override { has_error = false; }
  const char* error_name(int error) override {
    return error == kOutOfMemory ? "cudaErrorMemoryAllocation" : "cudaErrorFake";
  }
  const char* error_text(int error) override {
    return error == kOutOfMemory ? "out of memory" : "a fake error";
  }
  const void* prefill_kernel(std::int64_t d_qk) override { return kernel_of(d_qk); }

 private:
  int answer(const std::string& call) {
    const auto found = errors.find(call);
    return found == errors.end() ? 0 : fail(found->second);
  }
  int fail(int error) {
    has_error = error != 0;
    return error;
  }
  void note(const char* what, void* stream) {
    calls.push_back(std::string(what) + " on " +
                    std::to_string(reinterpret_cast<std::uintptr_t>(stream)));
  }

  std::uintptr_t next_address_ = 0x10000;
};

}  // namespace assay::cuda
