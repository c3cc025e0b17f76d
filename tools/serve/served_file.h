// A file as it goes over the wire, and those that were asked for.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>

namespace assay::serve {

struct ServedFile {
  const char* content_type = "text/plain; charset=utf-8";
  std::shared_ptr<const std::string> body;
  std::shared_ptr<const std::string> gzip;  // null where it would not be smaller
  std::string tag;                          // for If-None-Match, with its quotes
};
using ServedFilePtr = std::shared_ptr<const ServedFile>;

// `name`: its ending says what it is. Compresses it.
// As gzip; null where that would not be smaller.
std::shared_ptr<const std::string> compressed(const std::string& content);
ServedFilePtr make_served_file(std::string_view name, std::string content);
const char* content_type_of(std::string_view name);

// Files by name, made when they are first asked for; thread-safe. What would take more than its
// share of `max_bytes` drives out the others.
class ServedFileCache {
 public:
  explicit ServedFileCache(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  // Null where there is none.
  ServedFilePtr find(std::string_view name) const;
  void add(std::string_view name, ServedFilePtr file);

 private:
  struct Shard {
    mutable std::shared_mutex mutex;
    std::map<std::string, ServedFilePtr, std::less<>> files;
    std::size_t bytes = 0;
  };
  static constexpr std::size_t kShards = 16;
  Shard& shard_of(std::string_view name) const;

  const std::size_t max_bytes_;
  mutable std::array<Shard, kShards> shards_;
};

}  // namespace assay::serve
