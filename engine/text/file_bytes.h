// The bytes of a file that is read where it lies: mapped into memory, so that only what is looked
// at is read from the disk. They must not change while they are looked at: whoever replaces such a
// file writes a new one and renames it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "engine/text/result.h"

namespace assay {

class FileBytes {
 public:
  // Errors: unreadable_file, file_too_large; also for what is no regular file.
  static Result<FileBytes> map(const std::string& path, std::size_t max_bytes);
  // Bytes that are in memory already.
  explicit FileBytes(std::string bytes) : owned_(std::move(bytes)) {}
  FileBytes(FileBytes&& other) noexcept
      : owned_(std::move(other.owned_)),
        mapped_(std::exchange(other.mapped_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  FileBytes& operator=(FileBytes&& other) noexcept {
    owned_.swap(other.owned_);
    std::swap(mapped_, other.mapped_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~FileBytes();

  std::string_view bytes() const {
    return mapped_ == nullptr ? std::string_view(owned_)
                              : std::string_view(static_cast<const char*>(mapped_), size_);
  }

 private:
  FileBytes(void* mapped, std::size_t size) : mapped_(mapped), size_(size) {}

  std::string owned_;
  void* mapped_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace assay
