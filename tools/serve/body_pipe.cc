// The reader takes all that has come at once, and hands it out without the lock.
#include "tools/serve/body_pipe.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace assay::serve {
namespace {

constexpr std::size_t kMaxBytes = 256 << 10;

}  // namespace

class BodyPipe::Reader final : public ByteStream {
 public:
  explicit Reader(BodyPipe& pipe) : pipe_(pipe) {}
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader() override {
    const std::lock_guard lock(pipe_.mutex_);
    pipe_.is_reader_gone_ = true;
    pipe_.changed_.notify_all();
  }

  Result<std::size_t> read(char* to, std::size_t size) override {
    if (used_ == taken_.size()) {
      taken_.clear();
      used_ = 0;
      std::unique_lock lock(pipe_.mutex_);
      pipe_.changed_.wait(lock, [&] { return !pipe_.bytes_.empty() || pipe_.is_ended_; });
      if (pipe_.fault_) return make_error(code::truncated_input, {}, *pipe_.fault_);
      taken_.swap(pipe_.bytes_);
      pipe_.changed_.notify_all();
    }
    const std::size_t count = std::min(size, taken_.size() - used_);
    std::memcpy(to, taken_.data() + used_, count);
    used_ += count;
    position_ += count;
    return count;
  }
  std::uint64_t position() const override { return position_; }

 private:
  BodyPipe& pipe_;
  std::string taken_;
  std::size_t used_ = 0;
  std::uint64_t position_ = 0;
};

bool BodyPipe::push(std::string_view bytes) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return bytes_.size() < kMaxBytes || is_reader_gone_; });
  bytes_.append(bytes);
  changed_.notify_all();
  return !is_reader_gone_;
}

void BodyPipe::end(std::optional<std::string> fault) {
  const std::lock_guard lock(mutex_);
  if (is_ended_) return;
  is_ended_ = true;
  fault_ = std::move(fault);
  changed_.notify_all();
}

std::unique_ptr<ByteStream> BodyPipe::stream() { return std::make_unique<Reader>(*this); }

}  // namespace assay::serve
