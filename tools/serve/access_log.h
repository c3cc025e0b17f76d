// The record of what was asked and answered.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "engine/text/result.h"

namespace assay::serve {

// Where a line of JSON for each request goes; bodies and queries are not in it.
class AccessLog {
 public:
  // "-": standard output; "none": nowhere. Errors: unwritable_output.
  static Result<AccessLog> open(const std::string& path);
  AccessLog(AccessLog&& other) noexcept
      : file_(std::exchange(other.file_, -1)),
        may_block_(other.may_block_),
        mutex_(std::move(other.mutex_)) {}
  AccessLog& operator=(AccessLog&&) = delete;
  ~AccessLog();
  bool is_open() const { return file_ >= 0; }
  // Thread-safe. A line that nobody takes at once, of a full pipe, is left out: no request waits
  // for whoever reads the log.
  void write(const std::string& line) const;

 private:
  explicit AccessLog(int file);
  int file_;
  bool may_block_ = false;
  std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();  // for what may block
};

}  // namespace assay::serve
