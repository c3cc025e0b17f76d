// An error that stands on a line by itself: pasted without its traceback, or never had one.
#pragma once

#include <optional>
#include <string_view>

namespace assay {

struct LoneError {
  std::string_view error_class;  // may be empty
  std::string_view message;
  bool is_assertion = false;  // of a kernel, on the device
  bool is_plain = false;      // a line of level ERROR without an exception class
};

// The error of a line that no record describes; views into `line`.
std::optional<LoneError> read_lone_error(std::string_view line);

}  // namespace assay
