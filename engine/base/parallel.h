// Runs independent pieces of work on the machine's cores.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <system_error>
#include <thread>
#include <vector>

namespace assay {

// How many threads `for_each_in_parallel` works with, the calling one included.
inline std::size_t worker_count() {
  return std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, 8);
}

// Calls `work(index)` once for each index below `count`, in no order, on `worker_count()` threads;
// with fewer than `min_count` indices, or when no thread can be had, on this one alone. Returns
// when all calls have. `work` must not throw.
template <class Work>
void for_each_in_parallel(std::size_t count, std::size_t min_count, Work&& work) {
  std::atomic<std::size_t> next = 0;
  const auto run = [&] {
    for (std::size_t at = next++; at < count; at = next++) work(at);
  };
  std::vector<std::jthread> threads;
  if (count >= min_count) {
    const std::size_t workers = worker_count();
    threads.reserve(workers - 1);
    try {
      while (threads.size() + 1 < workers) threads.emplace_back(run);
    } catch (const std::system_error&) {
      // The threads that are there, and this one, do it all.
    }
  }
  run();
}

}  // namespace assay
