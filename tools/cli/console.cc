// Writes with write(2), so that each error is seen where it happens. SIGPIPE is ignored by main: a
// reader that went away shows as EPIPE and ends the output quietly, with the exit status of the
// verb.
#include "tools/cli/console.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "engine/text/diagnostic_rendering.h"

namespace assay::cli {
namespace {

constexpr std::size_t kFlushBytes = 1u << 16;

// 0, or the errno that stopped it.
int write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

bool wants_color(const std::optional<std::string>& color, int file) {
  if (color && *color == "always") return true;
  if (color && *color == "never") return false;
  if (!color && is_set("NO_COLOR")) return false;
  if (!color && is_set("FORCE_COLOR")) return true;
  const char* terminal = std::getenv("TERM");
  return ::isatty(file) == 1 && !(terminal != nullptr && std::string_view(terminal) == "dumb");
}

// Of the terminal behind `file`; a report that goes elsewhere has the default width.
TerminalStyle style_of(int file, bool use_color) {
  TerminalStyle style;
  style.use_color = use_color;
  constexpr std::size_t kNarrowest = 60;
  struct winsize size {};
  if (::ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_col < style.width)
    style.width = std::max<std::size_t>(size.ws_col, kNarrowest);
  return style;
}

}  // namespace

TextOptions Console::text_options(bool is_verbose) const {
  return {style_of(STDOUT_FILENO, color_out_), is_verbose};
}

TextOptions Console::error_text_options() const {
  return {style_of(STDERR_FILENO, color_err_), false};
}

void Console::set_color(const std::optional<std::string>& color) {
  color_out_ = wants_color(color, STDOUT_FILENO);
  color_err_ = wants_color(color, STDERR_FILENO);
}

void Console::write(std::string_view text) {
  pending_ += text;
  if (pending_.size() >= kFlushBytes) flush();
}

void Console::flush() {
  if (write_errno_ == 0) write_errno_ = write_all(STDOUT_FILENO, pending_);
  pending_.clear();
}

bool Console::finish() {
  flush();
  if (write_errno_ == 0 || write_errno_ == EPIPE) return true;
  show({make_error(code::unwritable_output, {},
                   std::string("cannot write to standard output: ") + std::strerror(write_errno_))},
       SourceSet{});
  return false;
}

void Console::write_error(std::string_view text) { write_all(STDERR_FILENO, text); }

void Console::show(const Diagnostics& diagnostics, const SourceSet& sources) {
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics)
    text += render_diagnostic(diagnostic, sources, color_err_);
  write_error(text);
}

std::optional<Diagnostic> for_each_input_line(std::size_t max_line_bytes,
                                              const std::function<void(std::string_view)>& take,
                                              const std::function<void()>& pause) {
  std::string pending;
  std::string block(kFlushBytes, '\0');
  for (;;) {
    const ssize_t count = ::read(STDIN_FILENO, block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0)
      return make_error(code::unreadable_file, {},
                        std::string("cannot read standard input: ") + std::strerror(errno));
    if (count == 0) break;
    pending.append(block, 0, static_cast<std::size_t>(count));
    std::size_t begin = 0;
    for (std::size_t end; (end = pending.find('\n', begin)) != std::string::npos; begin = end + 1)
      take(std::string_view(pending).substr(begin, end - begin));
    pending.erase(0, begin);
    if (pending.size() > max_line_bytes)
      return make_error(code::file_too_large, {},
                        "a line of standard input is longer than " +
                            std::to_string(max_line_bytes >> 20) + " MiB");
    pause();
  }
  if (!pending.empty()) take(pending);
  return std::nullopt;
}

Result<std::string> read_standard_input(std::size_t max_bytes) {
  std::string text;
  std::size_t size = 0;
  for (;;) {
    text.resize(size + (size < kFlushBytes ? kFlushBytes : size));
    const ssize_t count = ::read(STDIN_FILENO, text.data() + size, text.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0)
      return make_error(code::unreadable_file, {},
                        std::string("cannot read standard input: ") + std::strerror(errno));
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
    if (size > max_bytes)
      return make_error(
          code::file_too_large, {},
          "standard input is larger than " + std::to_string(max_bytes >> 20) + " MiB");
  }
  text.resize(size);
  return text;
}

}  // namespace assay::cli
