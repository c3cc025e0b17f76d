// Who goes on next. Everything that a launch leaves open is asked here, so that one schedule and
// one program make one run.
#pragma once

#include <cstdint>
#include <vector>

namespace assay::emulator {

// What can go on: threads, and queues of asynchronous work that hold something. By id; the order
// within a list has no meaning but is the same in the same run.
struct Runnable {
  std::vector<std::uint32_t> threads;
  std::vector<std::uint32_t> queues;
};

struct Choice {
  bool is_queue = false;
  std::size_t position = 0;  // in the list
};

class Schedule {
 public:
  virtual ~Schedule() = default;
  virtual Choice pick(const Runnable& runnable) = 0;
  // At a synchronisation that does not block: whether another may go first.
  virtual bool yields() = 0;
  // Something below `bound`: an elected lane.
  virtual std::uint32_t draw(std::uint32_t bound) = 0;
};

// splitmix64 (Steele, Lea and Flood, 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  std::uint32_t below(std::uint32_t bound);

 private:
  std::uint64_t state_;
};

// The seed sets the temper of the run too: whether asynchronous work completes late, early or in
// between, and whether threads alternate freely, stay on, or follow priorities of their warps that
// change now and then, so that some fall far behind.
class RandomSchedule : public Schedule {
 public:
  explicit RandomSchedule(std::uint64_t seed);
  Choice pick(const Runnable& runnable) override;
  bool yields() override;
  std::uint32_t draw(std::uint32_t bound) override;

 private:
  enum class Order : std::uint8_t { free, sticky, by_priority };
  std::size_t pick_thread(const std::vector<std::uint32_t>& threads);

  Random random_;
  Order order_ = Order::free;
  std::uint32_t queue_percent_ = 50;  // how often a queue goes before a ready thread
  std::uint64_t priority_salt_ = 0;
  std::uint32_t latest_thread_ = 0;
};

// Without delays, a fixed order: the current thread goes on until it blocks, then the next by id;
// queues go when no thread can. A delay at step n puts the n-th choice behind all others (Emmi,
// Qadeer and Rakamaric, "Delay-bounded scheduling", 2011).
class DelayedSchedule : public Schedule {
 public:
  explicit DelayedSchedule(std::vector<std::uint64_t> delays) : delays_(std::move(delays)) {}
  Choice pick(const Runnable& runnable) override;
  bool yields() override { return true; }
  std::uint32_t draw(std::uint32_t) override { return 0; }
  std::uint64_t steps() const { return steps_; }

 private:
  std::vector<std::uint64_t> delays_;  // ascending
  std::size_t used_ = 0;
  std::uint64_t steps_ = 0;
  std::uint64_t current_ = 0;
};

}  // namespace assay::emulator
