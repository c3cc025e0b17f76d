// zlib and libzstd behind the ByteStream seam. Both formats are read member after member, as
// `cat a.gz b.gz` writes them. What was decompressed before a fault is delivered before the fault
// is reported. Decompression works in steps of 128 KB, so a small file that expands without end
// costs time but no memory; zstd's window is limited to 32 MB.
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/text/byte_stream.h"

namespace assay {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kInputBytes = 128 << 10;
constexpr int kMaxWindowLog = 25;

// A stream whose first bytes were looked at already.
class PeekedStream final : public ByteStream {
 public:
  PeekedStream(std::unique_ptr<ByteStream> stream, std::string head)
      : stream_(std::move(stream)), head_(std::move(head)) {}
  Result<std::size_t> read(char* to, std::size_t size) override {
    if (at_ == head_.size()) return stream_->read(to, size);
    const std::size_t got = std::min(size, head_.size() - at_);
    std::memcpy(to, head_.data() + at_, got);
    at_ += got;
    return got;
  }
  bool is_waiting() const override { return stream_->is_waiting(); }
  std::uint64_t position() const override { return stream_->position(); }
  std::uint64_t total() const override { return stream_->total(); }

 private:
  std::unique_ptr<ByteStream> stream_;
  std::string head_;
  std::size_t at_ = 0;
};

// What gzip and zstd have in common.
class CompressedStream : public ByteStream {
 public:
  CompressedStream(std::unique_ptr<ByteStream> stream, std::string name)
      : stream_(std::move(stream)), name_(std::move(name)), input_(kInputBytes) {}
  std::uint64_t position() const override { return stream_->position(); }
  std::uint64_t total() const override { return stream_->total(); }

  Result<std::size_t> read(char* to, std::size_t size) override {
    for (;;) {
      if (at_ == filled_) {
        ASSAY_TRY(filled_, stream_->read(input_.data(), input_.size()));
        at_ = 0;
        if (filled_ == 0 && !is_between_) return drain(to, size);
        if (filled_ == 0) return 0;
      }
      ASSAY_TRY(const std::size_t got, decode(to, size));
      if (got > 0) return got;
    }
  }

 protected:
  // Decompresses from what is left of the input; 0 when that gives nothing yet.
  virtual Result<std::size_t> decode(char* to, std::size_t size) = 0;

  Diagnostic fault(DiagnosticCode code, const std::string& what) const {
    return make_error(code, {}, "`" + name_ + "` " + what);
  }

  std::unique_ptr<ByteStream> stream_;
  std::string name_;
  std::vector<char> input_;
  std::size_t at_ = 0;
  std::size_t filled_ = 0;
  bool is_between_ = true;  // members

 private:
  // Output that the decoder still holds when its input has ended within a member.
  Result<std::size_t> drain(char* to, std::size_t size) {
    ASSAY_TRY(const std::size_t got, decode(to, size));
    if (got > 0) return got;
    return fault(code::truncated_input, "ends in the middle of its compressed data");
  }
};

class GzipStream final : public CompressedStream {
 public:
  using CompressedStream::CompressedStream;
  ~GzipStream() override {
    if (is_open_) inflateEnd(&zlib_);
  }

 private:
  Result<std::size_t> decode(char* to, std::size_t size) override {
    constexpr int kGzipOnly = 15 + 16;
    if (!is_open_ && inflateInit2(&zlib_, kGzipOnly) != Z_OK)
      return fault(code::broken_compression, "cannot be decompressed: no memory");
    is_open_ = true;
    // Padding behind the last member is no data.
    if (is_between_ && input_[at_] == '\0' && had_member_) {
      at_ = filled_;
      return 0;
    }
    is_between_ = false;
    zlib_.next_in = reinterpret_cast<Bytef*>(input_.data() + at_);
    zlib_.avail_in = static_cast<uInt>(filled_ - at_);
    zlib_.next_out = reinterpret_cast<Bytef*>(to);
    const auto room = static_cast<uInt>(std::min<std::size_t>(size, 1u << 30));
    zlib_.avail_out = room;
    const int status = inflate(&zlib_, Z_NO_FLUSH);
    at_ = filled_ - zlib_.avail_in;
    if (status == Z_STREAM_END) {
      is_between_ = true;
      had_member_ = true;
      inflateReset(&zlib_);
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      return fault(code::broken_compression, "is damaged: gzip data cannot be decompressed");
    }
    return static_cast<std::size_t>(room - zlib_.avail_out);
  }

  z_stream zlib_{};
  bool is_open_ = false;
  bool had_member_ = false;
};

class ZstdStream final : public CompressedStream {
 public:
  using CompressedStream::CompressedStream;
  ~ZstdStream() override { ZSTD_freeDStream(zstd_); }

 private:
  Result<std::size_t> decode(char* to, std::size_t size) override {
    if (zstd_ == nullptr) {
      zstd_ = ZSTD_createDStream();
      if (zstd_ == nullptr)
        return fault(code::broken_compression, "cannot be decompressed: no memory");
      ZSTD_DCtx_setParameter(zstd_, ZSTD_d_windowLogMax, kMaxWindowLog);
    }
    is_between_ = false;
    ZSTD_inBuffer in{input_.data(), filled_, at_};
    ZSTD_outBuffer out{to, size, 0};
    const std::size_t status = ZSTD_decompressStream(zstd_, &out, &in);
    at_ = in.pos;
    if (ZSTD_isError(status) != 0)
      return fault(code::broken_compression,
                   std::string("is damaged: zstd says ") + ZSTD_getErrorName(status));
    is_between_ = status == 0;
    return out.pos;
  }

  ZSTD_DStream* zstd_ = nullptr;
};

struct Magic {
  std::string_view bytes;
  std::string_view name;
  std::string_view tool;
};
constexpr std::array<Magic, 5> kUnsupported{{{"\xfd\x37zXZ\0"sv, "xz", "xz -dc"},
                                             {"BZh"sv, "bzip2", "bzip2 -dc"},
                                             {"\x04\x22\x4d\x18"sv, "lz4", "lz4 -dc"},
                                             {"PK\x03\x04"sv, "zip", "unzip -p"},
                                             {"7z\xbc\xaf\x27\x1c"sv, "7z", "7z x -so"}}};

}  // namespace

Result<std::unique_ptr<ByteStream>> decompressed(std::unique_ptr<ByteStream> stream,
                                                 const std::string& name) {
  std::string head(8, '\0');
  std::size_t size = 0;
  while (size < head.size()) {
    ASSAY_TRY(const std::size_t got, stream->read(head.data() + size, head.size() - size));
    if (got == 0) break;
    size += got;
  }
  head.resize(size);
  const bool is_gzip = head.starts_with("\x1f\x8b"sv);
  const bool is_zstd = head.starts_with("\x28\xb5\x2f\xfd"sv);
  for (const Magic& magic : kUnsupported)
    if (head.starts_with(magic.bytes))
      return make_error(
          code::unsupported_compression, {},
          "`" + name + "` is compressed with " + std::string(magic.name) +
              ", which is not read here",
          "pass its text on: " + std::string(magic.tool) + " " + name + " | assay explain");
  std::unique_ptr<ByteStream> whole =
      std::make_unique<PeekedStream>(std::move(stream), std::move(head));
  if (is_gzip) whole = std::make_unique<GzipStream>(std::move(whole), name);
  if (is_zstd) whole = std::make_unique<ZstdStream>(std::move(whole), name);
  return whole;
}

}  // namespace assay
