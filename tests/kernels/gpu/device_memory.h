// Memory of the GPU for the GPU check, and what ends the program when CUDA refuses something.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace assay::gpu_check {

// Exit status 3: no answer. A check that goes on after a CUDA error measures nothing.
inline void require(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s (%s)\n", what, cudaGetErrorName(error), cudaGetErrorString(error));
  std::exit(3);
}

template <class T>
class DeviceArray {
 public:
  DeviceArray() = default;
  explicit DeviceArray(std::size_t count) : count_(count) {
    void* memory = nullptr;
    require(cudaMalloc(&memory, count * sizeof(T)), "cudaMalloc");
    data_ = static_cast<T*>(memory);
  }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
    require(cudaMemcpy(data_, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice),
            "cudaMemcpy to the device");
  }
  DeviceArray(DeviceArray&& other) noexcept : data_(other.data_), count_(other.count_) {
    other.data_ = nullptr;
  }
  DeviceArray& operator=(DeviceArray&& other) = delete;
  ~DeviceArray() { static_cast<void>(cudaFree(data_)); }

  T* data() const { return data_; }
  std::size_t size() const { return count_; }
  void copy_to(std::vector<T>& values, std::size_t first = 0) const {
    require(
        cudaMemcpy(values.data(), data_ + first, values.size() * sizeof(T), cudaMemcpyDeviceToHost),
        "cudaMemcpy from the device");
  }

 private:
  T* data_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace assay::gpu_check
