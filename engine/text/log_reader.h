// Reads a log of any length in pieces of bounded size.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "engine/text/byte_stream.h"
#include "engine/text/result.h"

namespace assay {

// Whole lines of a log, or a part of a line that is longer than a chunk.
class LogChunk {
 public:
  std::string_view text() const { return std::string_view(buffer_).substr(0, size_); }
  // Bytes at its start that the chunk before ended with as well: a message that lies across the cut
  // of a long line is whole in one of them.
  std::size_t overlap() const { return overlap_; }
  // Place in the input of the byte at `at` of text(): in bytes of the file, or of what it holds
  // where it is compressed.
  std::uint64_t offset(std::size_t at) const;

 private:
  friend class LogReader;
  std::string buffer_;
  std::size_t size_ = 0;
  std::size_t overlap_ = 0;
  std::uint64_t begin_ = 0;  // of text() in the input
  bool is_utf16_ = false;    // in the input; text() is UTF-8
};

class LogReader {
 public:
  static constexpr std::size_t kChunkBytes = 256 << 10;

  // The stream of a log as it is stored: compressed or not, in UTF-8 or UTF-16. `name` is for
  // messages. Errors: those of decompressed(); binary_input, where the first 64 KB are no text.
  static Result<LogReader> open(std::unique_ptr<ByteStream> stream, std::string name);

  // Fills `chunk`, whose memory is used again; false at the end. While the input waits for more, a
  // chunk is what there is of whole lines, at times nothing. Errors: those of the stream, once;
  // what was read before has been delivered by then, and after it is the end.
  Result<bool> next(LogChunk& chunk);

  std::uint64_t position() const { return stream_->position(); }
  std::uint64_t total() const { return stream_->total(); }

 private:
  enum class Encoding : std::uint8_t { bytes, utf16_little, utf16_big };

  LogReader(std::unique_ptr<ByteStream> stream, std::string name)
      : stream_(std::move(stream)), name_(std::move(name)) {}
  bool look_at_start();
  std::size_t read(char* to, std::size_t size);
  std::size_t read_text(char* to, std::size_t size);
  std::size_t decode(char* to, std::size_t size);
  void cut(LogChunk& chunk, std::size_t size);

  std::unique_ptr<ByteStream> stream_;
  std::string name_;
  Encoding encoding_ = Encoding::bytes;
  std::string kept_;         // of the text, for the next chunk
  std::size_t overlap_ = 0;  // of kept_, known already
  std::uint64_t begin_ = 0;  // of kept_ in the input
  std::string raw_;          // UTF-16 that is not decoded yet
  bool is_at_end_ = false;   // of the stream, or at its fault
  Diagnostics fault_;
};

// Whether the beginning of a file is no text: one byte in twenty is a control character that no log
// has.
bool is_binary(std::string_view head);

}  // namespace assay
