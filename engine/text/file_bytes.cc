// mmap, private and read-only. The open file is asked what it is before it is mapped, so that what
// was checked is what is read; an empty file cannot be mapped and is no bytes.
#include "engine/text/file_bytes.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace assay {
namespace {

Diagnostic cannot_map(const std::string& path, const std::string& reason) {
  return make_error(code::unreadable_file, {}, "cannot read `" + path + "`: " + reason);
}

}  // namespace

Result<FileBytes> FileBytes::map(const std::string& path, std::size_t max_bytes) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (descriptor < 0) return cannot_map(path, std::generic_category().message(errno));
  struct stat status {};
  const bool is_regular = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  const auto size = is_regular ? static_cast<std::size_t>(status.st_size) : 0;
  void* mapped = nullptr;
  if (size > 0 && size <= max_bytes)
    mapped = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  const int fault = errno;
  ::close(descriptor);
  if (!is_regular) return cannot_map(path, "it is no regular file");
  if (size > max_bytes)
    return make_error(code::file_too_large, {}, "`" + path + "` is too large to be mapped");
  if (size == 0) return FileBytes(std::string());
  if (mapped == MAP_FAILED) return cannot_map(path, std::generic_category().message(fault));
  return FileBytes(mapped, size);
}

FileBytes::~FileBytes() {
  if (mapped_ != nullptr) ::munmap(mapped_, size_);
}

}  // namespace assay
