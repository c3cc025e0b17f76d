// One call of the system a line: lines of several threads, and of several processes, do not mix.
#include "tools/serve/access_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace assay::serve {

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

AccessLog::~AccessLog() {
  if (file_ >= 0) ::close(file_);
}

void AccessLog::write(const std::string& line) const {
  // A log that takes nothing is no reason to answer nobody.
  [[maybe_unused]] const ssize_t written = ::write(file_, line.data(), line.size());
}

}  // namespace assay::serve
