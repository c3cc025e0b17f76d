// The record of what was asked and answered.
#pragma once

#include <string>
#include <utility>

#include "engine/text/result.h"

namespace assay::serve {

// Where a line of JSON for each request goes; bodies and queries are not in it.
class AccessLog {
 public:
  // "-": standard output; "none": nowhere. Errors: unwritable_output.
  static Result<AccessLog> open(const std::string& path);
  AccessLog(AccessLog&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  AccessLog& operator=(AccessLog&&) = delete;
  ~AccessLog();
  bool is_open() const { return file_ >= 0; }
  void write(const std::string& line) const;  // thread-safe

 private:
  explicit AccessLog(int file) : file_(file) {}
  int file_;
};

}  // namespace assay::serve
