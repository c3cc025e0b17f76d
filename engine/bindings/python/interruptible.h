// Long work of the C interface, run without the interpreter lock and ended by Ctrl-C.
#pragma once

#include <functional>

#include "engine/bindings/c/assay.h"

namespace assay::python {

// A handle of the C interface; Python's assay.Cancellation.
class Cancellation {
 public:
  Cancellation();  // throws std::bad_alloc
  Cancellation(const Cancellation&) = delete;
  Cancellation& operator=(const Cancellation&) = delete;
  ~Cancellation() { assay_cancellation_free(handle_); }
  void request() { assay_cancellation_request(handle_); }
  bool is_requested() const { return assay_cancellation_is_requested(handle_) != 0; }
  const assay_cancellation* get() const { return handle_; }

 private:
  assay_cancellation* handle_;
};

using LongWork = std::function<assay_status(const assay_cancellation*)>;

// Runs `work` with `cancellation`, or with one of its own where that is null. Where Python's
// signals are handled, which is the main thread, a handler that raises (Ctrl-C) requests it and the
// exception is thrown once the work has ended, as nanobind::python_error. Called with the
// interpreter lock.
assay_status run_interruptible(Cancellation* cancellation, const LongWork& work);

// Runs `work` on this thread, whatever signals come: a call that only queues work on a device.
assay_status run_unlocked(const Cancellation* cancellation, const LongWork& work);

}  // namespace assay::python
