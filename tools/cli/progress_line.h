// One line on a terminal that says how far a long work has come.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace assay::cli {

class ProgressLine {
 public:
  // Nothing is shown unless standard error is a terminal, and nothing in the first half second.
  // `unit`: what is counted ("pages"); bytes without one.
  explicit ProgressLine(std::string name, std::string unit = {});
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine() { clear(); }

  // `done` of `total`; 0 where nobody knows how many there are.
  void show(std::uint64_t done, std::uint64_t total);
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  std::string name_;
  std::string unit_;
  bool is_terminal_;
  bool is_shown_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_ = start_ + std::chrono::milliseconds(500);
};

// "server.log: 42 % of 3.1 GB, 1.2 GB/s, 2 s left", "site: 42 % of 4100 pages, 1900 pages/s, ...".
std::string progress_text(const std::string& name, std::uint64_t done, std::uint64_t total,
                          double seconds, const std::string& unit = {});

}  // namespace assay::cli
