// Python runs the handlers of signals on its main thread, and only where that asks for them. So
// work of the main thread goes to a thread of its own, while the main thread sleeps and asks every
// 20 ms, with the interpreter lock, whether a handler raises. Starting that thread costs some 30
// us. Other threads get no signals, and work where they are.
#include "engine/bindings/python/interruptible.h"

#include <nanobind/nanobind.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>

namespace assay::python {
namespace {

namespace nb = nanobind;

constexpr std::chrono::milliseconds kBetweenLooks{20};

bool is_main_thread() {
  const nb::object main = nb::module_::import_("threading").attr("main_thread")();
  return nb::cast<unsigned long>(main.attr("ident")) == PyThread_get_thread_ident();
}

// What the thread that works tells the one that waits.
class Outcome {
 public:
  void set(assay_status status) {
    const std::lock_guard lock(mutex_);
    status_ = status;
    is_set_ = true;
    changed_.notify_one();
  }
  bool wait_for(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, time, [this] { return is_set_; });
  }
  assay_status get() const { return status_; }  // after wait_for was true or the thread has ended

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_set_ = false;
  assay_status status_ = ASSAY_NO_ANSWER;
};

// Whether a handler raised; Python's error is then set.
bool look_for_signals() {
  const nb::gil_scoped_acquire locked;
  return PyErr_CheckSignals() != 0;
}

}  // namespace

Cancellation::Cancellation() : handle_(assay_cancellation_create()) {
  if (handle_ == nullptr) throw std::bad_alloc();
}

assay_status run_unlocked(const Cancellation* cancellation, const LongWork& work) {
  const nb::gil_scoped_release unlocked;
  return work(cancellation == nullptr ? nullptr : cancellation->get());
}

assay_status run_interruptible(Cancellation* cancellation, const LongWork& work) {
  if (!is_main_thread()) return run_unlocked(cancellation, work);
  Cancellation own;
  Cancellation& used = cancellation == nullptr ? own : *cancellation;
  Outcome outcome;
  std::thread worker;
  try {
    worker = std::thread([&] { outcome.set(work(used.get())); });
  } catch (const std::system_error&) {  // no thread is to be had: Ctrl-C has to wait
    return run_unlocked(&used, work);
  }
  bool has_raised = false;
  {
    const nb::gil_scoped_release unlocked;
    while (!has_raised && !outcome.wait_for(kBetweenLooks)) has_raised = look_for_signals();
    if (has_raised) used.request();
    worker.join();
  }
  if (has_raised) throw nb::python_error();
  return outcome.get();
}

}  // namespace assay::python
