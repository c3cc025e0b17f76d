// Uninitialised memory that starts on a cache line and frees itself. Throws std::bad_alloc.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace assay::sparse_mla_prefill {

class AlignedBuffer {
 public:
  static constexpr std::align_val_t kAlignment{64};

  AlignedBuffer() = default;
  explicit AlignedBuffer(std::size_t size_bytes) : data_(::operator new(size_bytes, kAlignment)) {}

  void* data() const { return data_.get(); }

  // The bytes from `offset_bytes` on, as elements of T.
  template <typename T>
  T* as(std::size_t offset_bytes = 0) const {
    return reinterpret_cast<T*>(static_cast<std::byte*>(data_.get()) + offset_bytes);
  }

 private:
  struct Free {
    void operator()(void* data) const { ::operator delete(data, kAlignment); }
  };
  std::unique_ptr<void, Free> data_;
};

}  // namespace assay::sparse_mla_prefill
