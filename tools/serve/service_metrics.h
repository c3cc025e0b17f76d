// Counts what the server did, as Prometheus reads it.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace assay::serve {

enum class Route : std::uint8_t { site, record, search, explain, check, health, metrics, none };
const char* name_of(Route route);

class ServiceMetrics {
 public:
  void add(Route route, int status, std::chrono::nanoseconds time, std::uint64_t bytes);
  void add_reload(bool is_done) { ++(is_done ? reloads_ : failed_reloads_); }

  std::string text(std::size_t connections, std::uint64_t refused_connections,
                   std::size_t records) const;

 private:
  // Upper bounds of the buckets, in seconds.
  static constexpr std::array kBounds{0.0001, 0.001, 0.01, 0.1, 1.0, 10.0};
  static constexpr std::size_t kRoutes = static_cast<std::size_t>(Route::none) + 1;
  static constexpr std::size_t kStatuses = 600;

  struct Times {
    std::array<std::atomic<std::uint64_t>, kBounds.size() + 1> buckets{};
    std::atomic<std::uint64_t> nanoseconds = 0;
  };

  std::array<std::array<std::atomic<std::uint64_t>, kStatuses>, kRoutes> requests_{};
  std::array<Times, kRoutes> times_{};
  std::atomic<std::uint64_t> bytes_ = 0;
  std::atomic<std::uint64_t> reloads_ = 0;
  std::atomic<std::uint64_t> failed_reloads_ = 0;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace assay::serve
