// Compressed once, not for each request. The tag is a checksum of the content and the same for both
// forms of it, which is what a weak tag says.
#include "tools/serve/served_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <mutex>

#include "engine/base/checksum.h"

namespace assay::serve {
namespace {

constexpr std::size_t kWorthCompressing = 512;

}  // namespace

std::shared_ptr<const std::string> compressed(const std::string& content) {
  if (content.size() < kWorthCompressing) return nullptr;
  z_stream stream{};
  constexpr int kGzip = 15 + 16;
  if (deflateInit2(&stream, 6, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY) != Z_OK) return nullptr;
  std::string out(deflateBound(&stream, static_cast<uLong>(content.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const bool is_done = deflate(&stream, Z_FINISH) == Z_STREAM_END;
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (!is_done || out.size() >= content.size()) return nullptr;
  out.shrink_to_fit();
  return std::make_shared<const std::string>(std::move(out));
}

const char* content_type_of(std::string_view name) {
  if (name.ends_with(".html")) return "text/html; charset=utf-8";
  if (name.ends_with(".json")) return "application/json";
  if (name.ends_with(".js")) return "text/javascript; charset=utf-8";
  if (name.ends_with(".css")) return "text/css; charset=utf-8";
  if (name.ends_with(".md")) return "text/markdown; charset=utf-8";
  if (name.ends_with(".xml")) return "application/xml";
  if (name.ends_with(".svg")) return "image/svg+xml";
  return "text/plain; charset=utf-8";
}

ServedFilePtr make_served_file(std::string_view name, std::string content) {
  ServedFile file;
  file.content_type = content_type_of(name);
  file.tag = fmt::format("W/\"{:016x}\"", checksum(content));
  file.gzip = compressed(content);
  file.body = std::make_shared<const std::string>(std::move(content));
  return std::make_shared<const ServedFile>(std::move(file));
}

ServedFileCache::Shard& ServedFileCache::shard_of(std::string_view name) const {
  return shards_[checksum(name) % kShards];
}

ServedFilePtr ServedFileCache::find(std::string_view name) const {
  const Shard& shard = shard_of(name);
  const std::shared_lock lock(shard.mutex);
  const auto found = shard.files.find(name);
  return found == shard.files.end() ? nullptr : found->second;
}

void ServedFileCache::add(std::string_view name, ServedFilePtr file) {
  const std::size_t bytes = file->body->size() + (file->gzip ? file->gzip->size() : 0);
  Shard& shard = shard_of(name);
  const std::unique_lock lock(shard.mutex);
  if (shard.bytes + bytes > max_bytes_ / kShards) {
    shard.files.clear();
    shard.bytes = 0;
  }
  if (shard.files.emplace(name, std::move(file)).second) shard.bytes += bytes;
}

}  // namespace assay::serve
