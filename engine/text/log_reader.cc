// A chunk is 256 KB of input, which the cache of a core holds from one pass to the next, cut behind
// its last line end; the rest waits for the next one. A line longer than that comes in pieces that
// overlap by 4 KB. Records that a container's runtime split stay together where the split parts fit
// into a quarter of a chunk.
//
// UTF-16 is recognised by its mark, or by every other byte of the first KB being zero, and decoded
// as it is read. Places are then counted in UTF-16 units, which UTF-8 tells: two bytes for every
// character, four for one of four bytes.
#include "engine/text/log_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/text/log_escapes.h"
#include "engine/text/utf16.h"

namespace assay {
namespace {

constexpr std::size_t kHeadBytes = 64 << 10;
constexpr std::size_t kOverlapBytes = 4 << 10;
constexpr std::size_t kMaxKeptParts = LogReader::kChunkBytes / 4;

std::uint64_t utf16_bytes(std::string_view text) {
  std::uint64_t bytes = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    bytes += (byte & 0xc0) == 0x80 ? 0u : byte >= 0xf0 ? 4u : 2u;
  }
  return bytes;
}

// Where the last record of `text`, which ends with a line feed, begins if it is not complete.
std::size_t end_of_whole_records(std::string_view text) {
  std::size_t end = text.size();
  while (end > 0 && text.size() - end < kMaxKeptParts) {
    const auto feed = end < 2 ? std::string_view::npos : text.rfind('\n', end - 2);
    const std::size_t begin = feed == std::string_view::npos ? 0 : feed + 1;
    if (!container_prefix(text.substr(begin)).is_partial) return end;
    end = begin;
  }
  return end == 0 ? text.size() : end;
}

}  // namespace

bool is_binary(std::string_view head) {
  const auto strange = static_cast<std::size_t>(std::count_if(head.begin(), head.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < ' ' && byte != '\n' && byte != '\r' && byte != '\t' && byte != '\x1b' &&
           byte != '\b' && byte != '\f' && byte != '\a';
  }));
  return strange * 20 > head.size();
}

std::uint64_t LogChunk::offset(std::size_t at) const {
  return begin_ + (is_utf16_ ? utf16_bytes(text().substr(0, at)) : at);
}

Result<LogReader> LogReader::open(std::unique_ptr<ByteStream> stream, std::string name) {
  ASSAY_TRY(auto plain, decompressed(std::move(stream), name));
  LogReader reader(std::move(plain), std::move(name));
  const bool is_text = reader.look_at_start();
  if (reader.kept_.empty() && reader.raw_.empty() && !reader.fault_.empty()) return reader.fault_;
  if (!is_text)
    return make_error(code::binary_input, {}, "`" + reader.name_ + "` is no text",
                      "a log is text: UTF-8 or UTF-16, plain or compressed with gzip or zstd");
  return reader;
}

// Reads the head of the input, and tells its encoding. False: it is no text.
bool LogReader::look_at_start() {
  using namespace std::string_view_literals;
  std::string head(kHeadBytes, '\0');
  head.resize(read(head.data(), head.size()));
  // The share of zeros among the bytes at even or odd places of the first KB.
  const auto zeros_at = [&head](std::size_t first) {
    const std::size_t end = std::min<std::size_t>(head.size(), 1024);
    std::size_t zeros = 0;
    for (std::size_t i = first; i < end; i += 2) zeros += head[i] == '\0' ? 1 : 0;
    return end < 16 ? 0.0 : 2.0 * static_cast<double>(zeros) / static_cast<double>(end);
  };
  std::size_t mark = 2;
  if (head.starts_with("\xff\xfe"sv) && !head.starts_with("\xff\xfe\0\0"sv)) {
    encoding_ = Encoding::utf16_little;
  } else if (head.starts_with("\xfe\xff"sv)) {
    encoding_ = Encoding::utf16_big;
  } else {
    mark = head.starts_with("\xef\xbb\xbf") ? 3 : 0;
    if (zeros_at(1) > 0.9 && zeros_at(0) < 0.1) encoding_ = Encoding::utf16_little;
    if (zeros_at(0) > 0.9 && zeros_at(1) < 0.1) encoding_ = Encoding::utf16_big;
  }
  begin_ = mark;
  (encoding_ == Encoding::bytes ? kept_ : raw_) = head.substr(mark);
  return encoding_ != Encoding::bytes || !is_binary(kept_);
}

// Up to `size` bytes of the stream; less only at its end or fault, or while it waits.
std::size_t LogReader::read(char* to, std::size_t size) {
  std::size_t got = 0;
  while (got < size && !is_at_end_) {
    Result<std::size_t> read = stream_->read(to + got, size - got);
    if (!read) fault_ = std::move(read.error());
    if (!read || *read == 0) {
      is_at_end_ = !read || !stream_->is_waiting();
      break;
    }
    got += *read;
  }
  return got;
}

std::size_t LogReader::read_text(char* to, std::size_t size) {
  if (encoding_ == Encoding::bytes) return read(to, size);
  // Two bytes of UTF-16 become up to three of UTF-8.
  const std::size_t before = raw_.size();
  const std::size_t wanted = size / 3 * 2;
  if (before < wanted) {
    raw_.resize(wanted);
    raw_.resize(before + read(raw_.data() + before, wanted - before));
  }
  return decode(to, size);
}

// Decodes of raw_ what is whole, or, at the end, all of it.
std::size_t LogReader::decode(char* to, std::size_t size) {
  std::size_t bytes = std::min(raw_.size(), size / 3 * 2) & ~std::size_t{1};
  const bool is_little = encoding_ == Encoding::utf16_little;
  const auto is_high_surrogate = [&](std::size_t at) {
    return (static_cast<unsigned char>(raw_[is_little ? at + 1 : at]) & 0xfc) == 0xd8;
  };
  const bool is_last = is_at_end_ && bytes + 1 >= raw_.size();
  if (bytes >= 2 && is_high_surrogate(bytes - 2) && !is_last) bytes -= 2;
  if (is_last) bytes = raw_.size();
  const std::string text = utf16_to_utf8(std::string_view(raw_).substr(0, bytes), is_little);
  raw_.erase(0, bytes);
  std::memcpy(to, text.data(), text.size());
  return text.size();
}

Result<bool> LogReader::next(LogChunk& chunk) {
  chunk.is_utf16_ = encoding_ != Encoding::bytes;
  if (chunk.buffer_.size() < kChunkBytes) chunk.buffer_.resize(kChunkBytes);
  std::size_t size = kept_.size();
  std::memcpy(chunk.buffer_.data(), kept_.data(), size);
  // UTF-16 is decoded only where there is room for a few characters.
  while (size + 64 < kChunkBytes) {
    const std::size_t got = read_text(chunk.buffer_.data() + size, kChunkBytes - size);
    if (got == 0) break;
    size += got;
  }
  const bool is_nothing_new = size == overlap_;
  if (is_at_end_ && raw_.empty() && is_nothing_new) {
    kept_.clear();
    overlap_ = 0;
    if (fault_.empty()) return false;
    return std::exchange(fault_, {});
  }
  cut(chunk, size);
  return true;
}

// Gives the chunk the whole lines of its first `size` bytes and keeps the rest.
void LogReader::cut(LogChunk& chunk, std::size_t size) {
  const std::string_view text = std::string_view(chunk.buffer_).substr(0, size);
  const bool is_last = is_at_end_ && raw_.empty();
  const auto feed = text.rfind('\n');
  std::size_t end = feed == std::string_view::npos ? 0 : feed + 1;
  std::size_t shared = 0;  // of the next chunk with this one
  if (is_last) {
    end = size;
  } else if (end > 0) {
    end = end_of_whole_records(text.substr(0, end));
  } else if (size + 64 >= kChunkBytes) {  // a long line
    end = size;
    shared = kOverlapBytes;
  }
  chunk.size_ = end;
  chunk.overlap_ = std::min(overlap_, end);
  chunk.begin_ = begin_;
  kept_ = text.substr(end - shared);
  begin_ = chunk.offset(end - shared);
  overlap_ = shared > 0 ? shared : overlap_ - chunk.overlap_;
}

}  // namespace assay
