// Vector clocks: what a thread, a barrier or an operation knows to have happened.
//
// Each actor (a thread, or a queue of asynchronous work that completes in order) counts ticks. An
// access is stamped with the tick of its actor; a clock covers it when it knows that tick. A second
// vector keeps what is known to be fenced for the async proxy.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace assay::emulator {

struct Epoch {
  std::uint32_t actor = 0;
  std::uint32_t tick = 0;  // 0: nothing happened
};

class Clock {
 public:
  std::uint32_t known(std::uint32_t actor) const { return at(known_, actor); }
  bool covers(Epoch epoch) const { return at(known_, epoch.actor) >= epoch.tick; }
  bool covers_fenced(Epoch epoch) const { return at(fenced_, epoch.actor) >= epoch.tick; }

  void learn(Epoch epoch) {
    if (known_.size() <= epoch.actor) known_.resize(epoch.actor + 1);
    known_[epoch.actor] = std::max(known_[epoch.actor], epoch.tick);
  }
  // After a release, so that what comes later is not taken for known.
  void tick(std::uint32_t actor) { learn({actor, known(actor) + 1}); }
  // A proxy fence by the thread `actor`: everything known so far is visible to the async proxy.
  void fence(std::uint32_t actor) {
    join(fenced_, known_);
    tick(actor);
  }
  void join(const Clock& other) {
    join(known_, other.known_);
    join(fenced_, other.fenced_);
  }
  // Only what both know.
  void meet(const Clock& other) {
    meet(known_, other.known_);
    meet(fenced_, other.fenced_);
  }
  void clear() {
    known_.clear();
    fenced_.clear();
  }

 private:
  using Ticks = std::vector<std::uint32_t>;
  static std::uint32_t at(const Ticks& ticks, std::uint32_t actor) {
    return actor < ticks.size() ? ticks[actor] : 0;
  }
  static void join(Ticks& mine, const Ticks& other) {
    if (mine.size() < other.size()) mine.resize(other.size());
    for (std::size_t i = 0; i < other.size(); ++i) mine[i] = std::max(mine[i], other[i]);
  }
  static void meet(Ticks& mine, const Ticks& other) {
    if (mine.size() > other.size()) mine.resize(other.size());
    for (std::size_t i = 0; i < mine.size(); ++i) mine[i] = std::min(mine[i], other[i]);
  }

  Ticks known_;
  Ticks fenced_;
};

}  // namespace assay::emulator
