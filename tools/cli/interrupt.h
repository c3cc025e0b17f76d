// Ctrl-C as a wish to stop early, not as death: what was found so far is still printed.
#pragma once

#include <atomic>

namespace assay::cli {

// While one of these exists, the first SIGINT or SIGTERM sets the flag; the second one ends the
// program as usual. One at a time.
class InterruptFlag {
 public:
  InterruptFlag();
  InterruptFlag(const InterruptFlag&) = delete;
  InterruptFlag& operator=(const InterruptFlag&) = delete;
  ~InterruptFlag();

  const std::atomic<bool>& flag() const;
  bool is_set() const { return flag().load(); }
  // The signal that set it; 0 while it is not set.
  int signal() const;
};

}  // namespace assay::cli
