// A wish that work under way ends early.
#pragma once

#include <atomic>

namespace assay {

// May be asked for from any thread and from a signal handler, and is never taken back. Work that
// looks at it says how often.
class Cancellation {
 public:
  void request() noexcept { is_requested_.store(true, std::memory_order_relaxed); }
  bool is_requested() const noexcept { return is_requested_.load(std::memory_order_relaxed); }

 private:
  static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler takes no lock");
  std::atomic<bool> is_requested_ = false;
};

inline bool is_cancelled(const Cancellation* cancellation) noexcept {
  return cancellation != nullptr && cancellation->is_requested();
}

}  // namespace assay
