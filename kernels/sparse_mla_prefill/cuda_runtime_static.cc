// CudaRuntime by cudart_static, which is part of the program and looks for the driver
// (libcuda.so.1) when it is first called: without one, every call says so and nothing else fails.
//
// No function of the driver is called here or looked up (cudaGetDriverEntryPoint): the kernel
// gathers rows by cp.async and takes no tensor maps, the only things that need the driver's own
// interface.
#include <cuda_runtime_api.h>

#include "kernels/sparse_mla_prefill/cuda_runtime.h"

namespace assay::cuda {

const void* compiled_prefill_kernel(std::int64_t d_qk);  // prefill_sm90.cu

namespace {

cudaStream_t stream_of(void* stream) { return static_cast<cudaStream_t>(stream); }

class StaticRuntime final : public CudaRuntime {
 public:
  int device_count(int& count) override { return cudaGetDeviceCount(&count); }
  int current_device(int& device) override { return cudaGetDevice(&device); }
  int set_device(int device) override { return cudaSetDevice(device); }
  int compute_capability(int device, ComputeCapability& capability) override {
    const cudaError_t error =
        cudaDeviceGetAttribute(&capability.major, cudaDevAttrComputeCapabilityMajor, device);
    if (error != cudaSuccess) return error;
    return cudaDeviceGetAttribute(&capability.minor, cudaDevAttrComputeCapabilityMinor, device);
  }
  int multiprocessors(int device, int& count) override {
    return cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
  }
  int free_memory(std::size_t& bytes) override {
    std::size_t total_bytes = 0;
    return cudaMemGetInfo(&bytes, &total_bytes);
  }
  int is_capturing(void* stream, bool& capturing) override {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    const cudaError_t error = cudaStreamIsCapturing(stream_of(stream), &status);
    capturing = status != cudaStreamCaptureStatusNone;
    return error;
  }
  int allocate(void*& memory, std::size_t bytes, void* stream) override {
    return cudaMallocAsync(&memory, bytes, stream_of(stream));
  }
  int release(void* memory, void* stream) override {
    return cudaFreeAsync(memory, stream_of(stream));
  }
  int set_zero(void* memory, std::size_t bytes, void* stream) override {
    return cudaMemsetAsync(memory, 0, bytes, stream_of(stream));
  }
  int launch(const void* kernel, const GridShape& grid, void** arguments, void* stream) override {
    return cudaLaunchKernel(kernel, dim3(grid.blocks), dim3(grid.threads), arguments,
                            grid.shared_bytes, stream_of(stream));
  }
  int allow_shared(const void* kernel, std::uint32_t bytes) override {
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                static_cast<int>(bytes));
  }
  void forget_error() override { static_cast<void>(cudaGetLastError()); }
  const char* error_name(int error) override {
    return cudaGetErrorName(static_cast<cudaError_t>(error));
  }
  const char* error_text(int error) override {
    return cudaGetErrorString(static_cast<cudaError_t>(error));
  }
  const void* prefill_kernel(std::int64_t d_qk) override { return compiled_prefill_kernel(d_qk); }
};

}  // namespace

CudaRuntime* linked_cuda_runtime() {
  static StaticRuntime runtime;  // has no state
  return &runtime;
}

}  // namespace assay::cuda
