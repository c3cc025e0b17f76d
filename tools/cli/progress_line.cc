// Written to standard error with a carriage return in front, at most five times a second, and
// erased when the work is done: the answer is not mixed with it.
#include "tools/cli/progress_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>
#include <utility>

namespace assay::cli {
namespace {

void write_text(std::string_view text) {
  // A terminal that does not take it is no reason to stop.
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
}

bool is_terminal() {
  const char* terminal = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 &&
         !(terminal != nullptr && std::string_view(terminal) == "dumb");
}

std::string bytes_text(double bytes) {
  if (bytes >= 1e9) return fmt::format("{:.1f} GB", bytes / 1e9);
  return fmt::format("{:.0f} MB", bytes / 1e6);
}

std::string amount_text(double amount, const std::string& unit) {
  if (!unit.empty()) return fmt::format("{:.0f} {}", amount, unit);
  return bytes_text(amount);
}

}  // namespace

ProgressLine::ProgressLine(std::string name, std::string unit)
    : name_(std::move(name)), unit_(std::move(unit)), is_terminal_(is_terminal()) {}

void ProgressLine::show(std::uint64_t done, std::uint64_t total) {
  if (!is_terminal_) return;
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(200);
  const double seconds = std::chrono::duration<double>(now - start_).count();
  write_text("\r" + progress_text(name_, done, total, seconds, unit_) + "\x1b[K");
  is_shown_ = true;
}

void ProgressLine::clear() {
  if (is_shown_) write_text("\r\x1b[K");
  is_shown_ = false;
}

std::string progress_text(const std::string& name, std::uint64_t done, std::uint64_t total,
                          double seconds, const std::string& unit) {
  const double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
  const std::string speed = amount_text(rate, unit) + "/s";
  if (total == 0 || done == 0)
    return fmt::format("{}: {}, {}", name, amount_text(static_cast<double>(done), unit), speed);
  const std::uint64_t rest = total > done ? total - done : 0;
  return fmt::format("{}: {} % of {}, {}, {:.0f} s left", name, 100 * (total - rest) / total,
                     amount_text(static_cast<double>(total), unit), speed,
                     rate > 0 ? static_cast<double>(rest) / rate : 0.0);
}

}  // namespace assay::cli
