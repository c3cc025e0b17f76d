// Numbers in little-endian byte order, at any address, on any processor.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace assay {

// One load where the processor is little-endian: g++ 12 does not find that in the loop.
template <class Unsigned>
Unsigned load_little_endian(const char* bytes) {
  Unsigned value = 0;
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(&value, bytes, sizeof value);
  } else {
    for (std::size_t at = sizeof value; at-- > 0;)
      value = static_cast<Unsigned>(value << 8 | static_cast<unsigned char>(bytes[at]));
  }
  return value;
}

template <class Unsigned>
void append_little_endian(std::string& bytes, Unsigned value) {
  for (std::size_t at = 0; at < sizeof(Unsigned); ++at)
    bytes += static_cast<char>(value >> (8 * at) & 0xff);
}

}  // namespace assay
