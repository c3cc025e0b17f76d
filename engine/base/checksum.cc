// Four lanes of multiply and rotate over 32 bytes at a time, then the rest in pieces of 8, 4 and 1,
// then a final mix. Source: the xxHash fast digest algorithm, specification 0.1.1, section XXH64.
#include "engine/base/checksum.h"

#include <bit>

#include "engine/base/little_endian.h"

namespace assay {
namespace {

constexpr std::uint64_t kPrime1 = 0x9e3779b185ebca87u;
constexpr std::uint64_t kPrime2 = 0xc2b2ae3d27d4eb4fu;
constexpr std::uint64_t kPrime3 = 0x165667b19e3779f9u;
constexpr std::uint64_t kPrime4 = 0x85ebca77c2b2ae63u;
constexpr std::uint64_t kPrime5 = 0x27d4eb2f165667c5u;

std::uint64_t add_to_lane(std::uint64_t lane, std::uint64_t input) {
  return std::rotl(lane + input * kPrime2, 31) * kPrime1;
}

std::uint64_t merge_lane(std::uint64_t hash, std::uint64_t lane) {
  return (hash ^ add_to_lane(0, lane)) * kPrime1 + kPrime4;
}

std::uint64_t finish(std::uint64_t hash, const char* at, const char* end) {
  for (; end - at >= 8; at += 8)
    hash = std::rotl(hash ^ add_to_lane(0, load_little_endian<std::uint64_t>(at)), 27) * kPrime1 +
           kPrime4;
  if (end - at >= 4) {
    hash =
        std::rotl(hash ^ load_little_endian<std::uint32_t>(at) * kPrime1, 23) * kPrime2 + kPrime3;
    at += 4;
  }
  for (; at < end; ++at)
    hash = std::rotl(hash ^ static_cast<unsigned char>(*at) * kPrime5, 11) * kPrime1;
  hash = (hash ^ hash >> 33) * kPrime2;
  hash = (hash ^ hash >> 29) * kPrime3;
  return hash ^ hash >> 32;
}

}  // namespace

std::uint64_t checksum(std::string_view bytes) {
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  std::uint64_t hash = kPrime5;
  if (bytes.size() >= 32) {
    std::uint64_t lanes[4] = {kPrime1 + kPrime2, kPrime2, 0, 0 - kPrime1};
    for (; end - at >= 32; at += 32)
      for (int lane = 0; lane < 4; ++lane)
        lanes[lane] = add_to_lane(lanes[lane], load_little_endian<std::uint64_t>(at + 8 * lane));
    hash = std::rotl(lanes[0], 1) + std::rotl(lanes[1], 7) + std::rotl(lanes[2], 12) +
           std::rotl(lanes[3], 18);
    for (const std::uint64_t lane : lanes) hash = merge_lane(hash, lane);
  }
  return finish(hash + bytes.size(), at, end);
}

}  // namespace assay
