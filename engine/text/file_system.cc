// The disk through open, fstat and read: one open file is asked what it is, so that what is checked
// is what is read. A regular file's size is known before and a larger one is not read at all; pipes
// and devices are read until the limit is passed.
#include "engine/text/file_system.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "engine/base/parallel.h"
#include "engine/text/plain_text.h"
#include "engine/text/utf16.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

// SourceSet takes texts below 4 GiB.
constexpr std::size_t kMaxSourceBytes = 0xfffffffeu;

class OpenFile {
 public:
  explicit OpenFile(const std::string& path)
      : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY)) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

std::string describe_errno(int error) {
  switch (error) {
    case ENOENT:
      return "there is no such file";
    case ENOTDIR:
      return "a part of its path is not a folder";
    case EACCES:
    case EPERM:
      return "you have no permission to read it";
    case EISDIR:
      return "it is a folder";
    default:
      return std::generic_category().message(error);
  }
}

Diagnostic unreadable(const std::string& path, const std::string& reason) {
  return make_error(code::unreadable_file, {}, "cannot read `" + path + "`: " + reason);
}

Diagnostic too_large(const std::string& path, std::size_t max_bytes) {
  return make_error(code::file_too_large, {},
                    "`" + path + "` is larger than " + describe_bytes(max_bytes) +
                        ", the most that is read of such a file");
}

bool is_hidden(const std::string& file_name) { return file_name.starts_with('.'); }

std::string without_trailing_slashes(const std::string& folder) {
  std::size_t length = folder.size();
  while (length > 1 && folder[length - 1] == '/') --length;
  return folder.substr(0, length);
}

}  // namespace

Result<std::string> DiskFileSystem::read_file(const std::string& path,
                                              std::size_t max_bytes) const {
  const OpenFile file(path);
  if (file.descriptor() < 0) return unreadable(path, describe_errno(errno));
  struct stat status = {};
  if (::fstat(file.descriptor(), &status) != 0) return unreadable(path, describe_errno(errno));
  if (S_ISDIR(status.st_mode)) return unreadable(path, describe_errno(EISDIR));
  // A regular file is read by one call into room made once; the call that finds its end uses what
  // is left of that room.
  constexpr std::size_t kRoomForEnd = 16;
  constexpr std::size_t kChunkBytes = 64u << 10;
  std::string text;
  if (S_ISREG(status.st_mode) && status.st_size > 0) {
    const auto size = static_cast<std::uintmax_t>(status.st_size);
    if (size > max_bytes) return too_large(path, max_bytes);
    text.reserve(static_cast<std::size_t>(size) + kRoomForEnd);
  }
  while (true) {
    const std::size_t used = text.size();
    const std::size_t room = text.capacity() - used;
    text.resize(used + (room >= kRoomForEnd ? room : kChunkBytes));
    const ssize_t count = ::read(file.descriptor(), text.data() + used, text.size() - used);
    text.resize(used + (count > 0 ? static_cast<std::size_t>(count) : 0));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return unreadable(path, describe_errno(errno));
    if (text.size() > max_bytes) return too_large(path, max_bytes);
    if (count == 0) return text;
  }
}

Result<std::vector<std::string>> DiskFileSystem::list_files(const std::string& folder,
                                                            std::string_view extension) const {
  const std::string root = without_trailing_slashes(folder);
  std::error_code error;
  fs::recursive_directory_iterator entry(root, error);
  std::vector<std::string> found;
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    std::error_code ignored;  // an entry that vanished meanwhile is no file
    if (is_hidden(name)) {
      if (entry->is_directory(ignored)) entry.disable_recursion_pending();
    } else if (name.ends_with(extension) && entry->is_regular_file(ignored)) {
      found.push_back(entry->path().string());
    }
  }
  if (error) {
    const bool is_missing = error.value() == ENOENT;
    return unreadable(root, is_missing ? "there is no such folder" : describe_errno(error.value()));
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<PassedOver> DiskFileSystem::list_passed_over(const std::string& folder) const {
  std::error_code error;
  fs::recursive_directory_iterator entry(without_trailing_slashes(folder), error);
  std::vector<PassedOver> found;
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    std::error_code ignored;
    if (is_hidden(entry->path().filename().string())) {
      if (entry->is_directory(ignored)) entry.disable_recursion_pending();
      continue;
    }
    const fs::file_status status = entry->status(ignored);
    const bool is_link = entry->is_symlink(ignored);
    const std::string path = entry->path().string();
    if (is_link && fs::is_directory(status))
      found.push_back({path, "it is a link to a folder"});
    else if (is_link && !fs::exists(status))
      found.push_back({path, "it is a link to nothing"});
    else if (!fs::is_directory(status) && !fs::is_regular_file(status))
      found.push_back({path, "it is no regular file"});
  }
  std::sort(found.begin(), found.end(),
            [](const PassedOver& a, const PassedOver& b) { return a.path < b.path; });
  return found;
}

bool DiskFileSystem::is_folder(const std::string& path) const {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

bool DiskFileSystem::is_file(const std::string& path) const {
  std::error_code ignored;
  return fs::exists(path, ignored) && !fs::is_directory(path, ignored);
}

Result<std::string> MemoryFileSystem::read_file(const std::string& path,
                                                std::size_t max_bytes) const {
  const auto found = files_.find(path);
  if (found == files_.end())
    return unreadable(path, describe_errno(is_folder(path) ? EISDIR : ENOENT));
  if (found->second.size() > max_bytes) return too_large(path, max_bytes);
  return found->second;
}

Result<std::vector<std::string>> MemoryFileSystem::list_files(const std::string& folder,
                                                              std::string_view extension) const {
  const std::string prefix = without_trailing_slashes(folder) + "/";
  if (!is_folder(folder)) return unreadable(folder, "there is no such folder");
  std::vector<std::string> found;
  for (auto file = files_.lower_bound(prefix);
       file != files_.end() && file->first.starts_with(prefix); ++file) {
    const std::string relative = "/" + file->first.substr(prefix.size());
    if (file->first.ends_with(extension) && relative.find("/.") == std::string::npos)
      found.push_back(file->first);
  }
  return found;
}

std::vector<PassedOver> MemoryFileSystem::list_passed_over(const std::string& /*folder*/) const {
  return {};
}

bool MemoryFileSystem::is_folder(const std::string& path) const {
  const std::string prefix = without_trailing_slashes(path) + "/";
  const auto first = files_.lower_bound(prefix);
  return first != files_.end() && first->first.starts_with(prefix);
}

bool MemoryFileSystem::is_file(const std::string& path) const { return files_.contains(path); }

namespace {

Result<std::string> read_text(const FileSystem& files, const std::string& path,
                              std::size_t max_bytes) {
  ASSAY_TRY(std::string text, files.read_file(path, std::min(max_bytes, kMaxSourceBytes)));
  return decode_utf16(std::move(text));
}

}  // namespace

Result<SourceId> add_file(SourceSet& sources, const FileSystem& files, const std::string& path,
                          std::size_t max_bytes) {
  ASSAY_TRY(std::string text, read_text(files, path, max_bytes));
  return sources.add(path, std::move(text));
}

std::vector<Result<SourceId>> add_files(SourceSet& sources, const FileSystem& files,
                                        std::span<const std::string> paths, std::size_t max_bytes) {
  constexpr std::size_t kMinForThreads = 50;
  std::vector<Result<std::string>> texts(paths.size(), std::string());
  for_each_in_parallel(paths.size(), kMinForThreads,
                       [&](std::size_t at) { texts[at] = read_text(files, paths[at], max_bytes); });
  std::vector<Result<SourceId>> added;
  added.reserve(paths.size());
  for (std::size_t at = 0; at < paths.size(); ++at) {
    if (texts[at])
      added.push_back(sources.add(paths[at], std::move(*texts[at])));
    else
      added.push_back(std::move(texts[at].error()));
  }
  return added;
}

}  // namespace assay
