// The two schedules. Neither looks at a clock or an address, so a run repeats on every machine.
#include "kernels/emulator/schedule.h"

#include <algorithm>

namespace assay::emulator {
namespace {

constexpr std::uint32_t kThreadsOfAWarp = 32;

std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31U);
}

}  // namespace

std::uint64_t Random::next() {
  state_ += 0x9e3779b97f4a7c15U;
  return mix(state_);
}

std::uint32_t Random::below(std::uint32_t bound) {
  return static_cast<std::uint32_t>(((next() >> 32U) * bound) >> 32U);
}

RandomSchedule::RandomSchedule(std::uint64_t seed) : random_(seed) {
  constexpr std::uint32_t kPercents[] = {50, 0, 97, 10};
  queue_percent_ = kPercents[seed % 4];
  order_ = static_cast<Order>((seed / 4) % 3);
  priority_salt_ = random_.next();
}

bool RandomSchedule::yields() { return order_ != Order::sticky || random_.below(16) == 0; }

std::uint32_t RandomSchedule::draw(std::uint32_t bound) { return random_.below(bound); }

std::size_t RandomSchedule::pick_thread(const std::vector<std::uint32_t>& threads) {
  const auto count = static_cast<std::uint32_t>(threads.size());
  std::size_t best = random_.below(count);
  if (order_ != Order::by_priority) return best;
  if (random_.below(2048) == 0) priority_salt_ = random_.next();
  // The best of a few keeps the cost of a step low and leaves the others a small chance.
  const auto priority = [this](std::uint32_t thread) {
    return mix(priority_salt_ ^ (thread / kThreadsOfAWarp));
  };
  for (int tries = 0; tries < 6; ++tries) {
    const std::size_t other = random_.below(count);
    if (priority(threads[other]) > priority(threads[best])) best = other;
  }
  return best;
}

Choice RandomSchedule::pick(const Runnable& runnable) {
  const bool no_threads = runnable.threads.empty();
  if (!runnable.queues.empty() && (no_threads || random_.below(100) < queue_percent_)) {
    return {true, random_.below(static_cast<std::uint32_t>(runnable.queues.size()))};
  }
  return {false, pick_thread(runnable.threads)};
}

Choice DelayedSchedule::pick(const Runnable& runnable) {
  // Threads by id, then queues: the first at or after the current one, around the end.
  constexpr std::uint64_t kQueues = std::uint64_t{1} << 32U;
  const auto next_from = [&](std::uint64_t from) {
    std::uint64_t best = ~std::uint64_t{0};
    Choice choice;
    const auto consider = [&](std::uint64_t id, bool is_queue, std::size_t position) {
      const std::uint64_t distance = id >= from ? id - from : id + 2 * kQueues - from;
      if (distance < best) {
        best = distance;
        choice = {is_queue, position};
      }
    };
    for (std::size_t i = 0; i < runnable.threads.size(); ++i) {
      consider(runnable.threads[i], false, i);
    }
    for (std::size_t i = 0; i < runnable.queues.size(); ++i) {
      consider(kQueues + runnable.queues[i], true, i);
    }
    return choice;
  };
  const auto id_of = [&](const Choice& choice) {
    return choice.is_queue ? kQueues + runnable.queues[choice.position]
                           : std::uint64_t{runnable.threads[choice.position]};
  };
  Choice choice = next_from(current_);
  const std::uint64_t step = steps_++;
  while (used_ < delays_.size() && delays_[used_] == step) {
    choice = next_from(id_of(choice) + 1);
    ++used_;
  }
  current_ = id_of(choice);
  return choice;
}

}  // namespace assay::emulator
