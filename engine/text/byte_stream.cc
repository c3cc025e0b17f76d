// A descriptor is polled with a time limit before it is read, unless it is a regular file: so a
// pipe on which nothing comes can be given up when the user asks for it.
#include "engine/text/byte_stream.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace assay {
namespace {

constexpr int kPollMilliseconds = 200;

Diagnostic cannot_read(const std::string& path, const char* why) {
  return make_error(code::unreadable_file, {},
                    path == "-" ? std::string("cannot read standard input: ") + why
                                : "cannot read `" + path + "`: " + why);
}

class DescriptorStream final : public ByteStream {
 public:
  DescriptorStream(int file, std::string path, const struct stat& status,
                   const ByteStreamOptions& options)
      : file_(file), path_(std::move(path)), inode_(status.st_ino), options_(options) {
    is_regular_ = S_ISREG(status.st_mode);
    if (is_regular_) total_ = static_cast<std::uint64_t>(status.st_size);
    follows_ = options.follow && is_regular_ && path_ != "-";
  }
  DescriptorStream(const DescriptorStream&) = delete;
  DescriptorStream& operator=(const DescriptorStream&) = delete;
  ~DescriptorStream() override {
    if (file_ != STDIN_FILENO) ::close(file_);
  }

  Result<std::size_t> read(char* to, std::size_t size) override {
    for (;;) {
      if (is_stopped()) return end();
      if (!is_regular_ && !wait_for_bytes()) continue;
      const ssize_t got = ::read(file_, to, size);
      if (got > 0) {
        position_ += static_cast<std::uint64_t>(got);
        is_waiting_ = follows_;
        return static_cast<std::size_t>(got);
      }
      if (got == 0 && !follows_) return end();
      if (got == 0) {
        find_new_content();
        return 0;
      }
      if (errno != EINTR) return cannot_read(path_, std::strerror(errno));
    }
  }
  bool is_waiting() const override { return is_waiting_; }
  std::uint64_t position() const override { return position_; }
  std::uint64_t total() const override { return follows_ ? 0 : total_; }

 private:
  bool is_stopped() const { return options_.stop != nullptr && options_.stop->load(); }
  std::size_t end() {
    is_waiting_ = false;
    return 0;
  }

  bool wait_for_bytes() const {
    pollfd poll_file{file_, POLLIN, 0};
    const int ready = ::poll(&poll_file, 1, kPollMilliseconds);
    // Interrupted by a signal: `stop` may be set now. Any other failure is told by the read.
    return ready > 0 || (ready < 0 && errno != EINTR);
  }

  // A log that was cut begins again, and a rotated one has a new file under its name.
  void find_new_content() {
    struct stat status {};
    if (::fstat(file_, &status) == 0 && static_cast<std::uint64_t>(status.st_size) < position_) {
      if (::lseek(file_, 0, SEEK_SET) == 0) position_ = 0;
      return;
    }
    if (::stat(path_.c_str(), &status) == 0 && status.st_ino != inode_) {
      const int file = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
      if (file >= 0) {
        ::close(std::exchange(file_, file));
        inode_ = status.st_ino;
        position_ = 0;
        return;
      }
    }
    ::poll(nullptr, 0, kPollMilliseconds);
  }

  int file_;
  std::string path_;
  ino_t inode_;
  ByteStreamOptions options_;
  bool is_regular_ = false;
  bool follows_ = false;
  bool is_waiting_ = false;
  std::uint64_t position_ = 0;
  std::uint64_t total_ = 0;
};

class MemoryStream final : public ByteStream {
 public:
  MemoryStream(std::string_view bytes, std::size_t at_once) : bytes_(bytes), at_once_(at_once) {}
  Result<std::size_t> read(char* to, std::size_t size) override {
    const std::size_t got = std::min({size, at_once_, bytes_.size() - at_});
    if (got > 0) std::memcpy(to, bytes_.data() + at_, got);
    at_ += got;
    return got;
  }
  std::uint64_t position() const override { return at_; }
  std::uint64_t total() const override { return bytes_.size(); }

 private:
  std::string_view bytes_;
  std::size_t at_once_;
  std::size_t at_ = 0;
};

}  // namespace

Result<std::unique_ptr<ByteStream>> open_bytes(const std::string& path,
                                               const ByteStreamOptions& options) {
  const bool is_input = path == "-";
  const int file = is_input ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return cannot_read(path, std::strerror(errno));
  struct stat status {};
  if (::fstat(file, &status) != 0 || S_ISDIR(status.st_mode)) {
    const char* why = S_ISDIR(status.st_mode) ? "it is a folder" : std::strerror(errno);
    if (!is_input) ::close(file);
    return cannot_read(path, why);
  }
  return std::unique_ptr<ByteStream>(
      std::make_unique<DescriptorStream>(file, path, status, options));
}

std::unique_ptr<ByteStream> stream_of(std::string_view bytes, std::size_t at_once) {
  return std::make_unique<MemoryStream>(bytes, at_once);
}

}  // namespace assay
