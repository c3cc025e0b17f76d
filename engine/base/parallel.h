// Runs independent pieces of work on the machine's cores.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <system_error>
#include <thread>
#include <vector>

namespace assay {

// Calls `work(index)` once for each index below `count`, in no order, on this thread and on up to
// seven more; with fewer than `min_count` indices, or when no thread can be had, on this one alone.
// Returns when all calls have. `work` must not throw.
template <class Work>
void for_each_in_parallel(std::size_t count, std::size_t min_count, Work&& work) {
  std::atomic<std::size_t> next = 0;
  const auto run = [&] {
    for (std::size_t at = next++; at < count; at = next++) work(at);
  };
  std::vector<std::jthread> threads;
  if (count >= min_count) {
    const std::size_t cores = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, 8);
    threads.reserve(cores - 1);
    try {
      while (threads.size() + 1 < cores) threads.emplace_back(run);
    } catch (const std::system_error&) {
      // The threads that are there, and this one, do it all.
    }
  }
  run();
}

}  // namespace assay
