// A place in a text: which source, and the half-open byte range [begin, end) in it.
#pragma once

#include <cstdint>

namespace assay {

using SourceId = std::uint32_t;
inline constexpr SourceId kNoSource = 0xffffffffu;

struct Span {
  SourceId source = kNoSource;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  bool is_known() const { return source != kNoSource; }
  bool operator==(const Span&) const = default;
};

}  // namespace assay
