// The functions of the CUDA run time that a launch calls. A seam: tests put their own behind it,
// and a program that was built without nvcc has none.
//
// Every `int` is a cudaError_t, 0 for success. Any thread may call. A stream is a cudaStream_t,
// null the default one.
#pragma once

#include <cstddef>
#include <cstdint>

namespace assay::cuda {

struct ComputeCapability {
  int major = 0, minor = 0;
};

struct GridShape {
  std::uint32_t blocks = 0, threads = 0, shared_bytes = 0;
};

class CudaRuntime {
 public:
  virtual ~CudaRuntime() = default;

  virtual int device_count(int& count) = 0;
  virtual int current_device(int& device) = 0;
  virtual int set_device(int device) = 0;
  virtual int compute_capability(int device, ComputeCapability& capability) = 0;
  virtual int multiprocessors(int device, int& count) = 0;
  virtual int free_memory(std::size_t& bytes) = 0;  // of the current device
  virtual int is_capturing(void* stream, bool& capturing) = 0;
  // Ordered on the stream, as the next three.
  virtual int allocate(void*& memory, std::size_t bytes, void* stream) = 0;
  virtual int release(void* memory, void* stream) = 0;
  virtual int set_zero(void* memory, std::size_t bytes, void* stream) = 0;
  virtual int launch(const void* kernel, const GridShape& grid, void** arguments, void* stream) = 0;
  // Lets `kernel` have so much dynamic shared memory.
  virtual int allow_shared(const void* kernel, std::uint32_t bytes) = 0;
  virtual void forget_error() = 0;  // so that the caller's next check does not find it
  virtual const char* error_name(int error) = 0;
  virtual const char* error_text(int error) = 0;

  // The kernel for rows of d_qk; 512 or 576.
  virtual const void* prefill_kernel(std::int64_t d_qk) = 0;
};

// Of this build; null: it has no device code. In the library assay_prefill_runtime.
CudaRuntime* linked_cuda_runtime();

}  // namespace assay::cuda
