// Bytes that come one after the other: a file, a pipe, a compressed file. The seam to the disk for
// logs, which are larger than memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "engine/text/result.h"

namespace assay {

class ByteStream {
 public:
  virtual ~ByteStream() = default;
  // Up to `size` bytes, at least one; 0 at the end, which is final unless `is_waiting`.
  // Errors: unreadable_file, truncated_input, broken_compression.
  virtual Result<std::size_t> read(char* to, std::size_t size) = 0;
  // After a read of 0: there may be more later.
  virtual bool is_waiting() const { return false; }
  // What was read of how much, in bytes of the file; the latter is 0 where nobody knows.
  virtual std::uint64_t position() const = 0;
  virtual std::uint64_t total() const { return 0; }
};

struct ByteStreamOptions {
  // Where set and true, a stream that waits for bytes ends.
  const std::atomic<bool>* stop = nullptr;
  // At the end of a file wait for more; begin again when it was cut or another file took its name.
  bool follow = false;
};

// `path` as it stands; "-" is standard input. Errors: unreadable_file.
Result<std::unique_ptr<ByteStream>> open_bytes(const std::string& path,
                                               const ByteStreamOptions& options = {});
// Bytes in memory, which must outlive the stream; reads give at most `at_once` of them.
std::unique_ptr<ByteStream> stream_of(std::string_view bytes, std::size_t at_once = SIZE_MAX);

// gzip and zstd by their first bytes, other streams as they are. `name` is for messages. Errors:
// unsupported_compression (xz, bzip2, lz4, zip), those of reading.
Result<std::unique_ptr<ByteStream>> decompressed(std::unique_ptr<ByteStream> stream,
                                                 const std::string& name);

}  // namespace assay
