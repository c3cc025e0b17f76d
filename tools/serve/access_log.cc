// One call of the system a line: lines of several threads, and of several processes, do not mix. A
// pipe or socket is asked before whether it takes a line; it is up to a page long, which is what a
// pipe that says so has room for.
#include "tools/serve/access_log.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace assay::serve {
namespace {

constexpr std::size_t kMaxPipeLine = 4096;  // PIPE_BUF

}  // namespace

Result<AccessLog> AccessLog::open(const std::string& path) {
  if (path == "none") return AccessLog(-1);
  const int file = path == "-"
                       ? ::dup(STDOUT_FILENO)
                       : ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
  if (file < 0)
    return make_error(code::unwritable_output, {},
                      "cannot write `" + path + "`: " + std::strerror(errno));
  return AccessLog(file);
}

AccessLog::AccessLog(int file) : file_(file) {
  struct stat status {};
  may_block_ = file >= 0 && (::fstat(file, &status) != 0 || !S_ISREG(status.st_mode));
}

AccessLog::~AccessLog() {
  if (file_ >= 0) ::close(file_);
}

void AccessLog::write(const std::string& line) const {
  // A log that takes nothing is no reason to answer nobody.
  std::unique_lock lock(*mutex_, std::defer_lock);
  if (may_block_) {
    lock.lock();
    pollfd waiting{file_, POLLOUT, 0};
    if (line.size() > kMaxPipeLine || ::poll(&waiting, 1, 0) != 1) return;
  }
  [[maybe_unused]] const ssize_t written = ::write(file_, line.data(), line.size());
}

}  // namespace assay::serve
