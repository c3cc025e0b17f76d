// From the library, which pushes a body, to the reader of logs, which pulls its bytes.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "engine/text/byte_stream.h"

namespace assay::serve {

// Between two threads; holds a few hundred kilobytes at most.
class BodyPipe {
 public:
  // Waits for room. False: the reader is gone.
  bool push(std::string_view bytes);
  // Nothing comes after it. `fault`: why what came is not all.
  void end(std::optional<std::string> fault = std::nullopt);
  // For the other thread, once; not to outlive the pipe.
  std::unique_ptr<ByteStream> stream();

 private:
  class Reader;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::string bytes_;
  std::optional<std::string> fault_;
  bool is_ended_ = false;
  bool is_reader_gone_ = false;
};

}  // namespace assay::serve
