// Compiled once for each instruction set by Highway.
#include "engine/text/byte_scan.h"

#include <cstdint>

#include "engine/base/vector_target.h"

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/text/byte_scan.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace assay::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Bytes = hn::CappedTag<std::uint8_t, 64>;
using Vector = hn::Vec<Bytes>;

std::size_t count_line_feeds_here(const char* text, std::size_t size) {
  const Bytes d;
  const std::size_t lanes = hn::Lanes(d);
  const Vector line_feed = hn::Set(d, '\n');
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text);
  std::size_t count = 0;
  std::size_t at = 0;
  for (; at + lanes <= size; at += lanes)
    count += hn::CountTrue(d, hn::Eq(hn::LoadU(d, bytes + at), line_feed));
  for (; at < size; ++at) count += bytes[at] == '\n' ? 1 : 0;
  return count;
}

}  // namespace assay::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assay {

std::size_t count_line_feeds(std::string_view text) {
  static const auto count_here = best_version(
      HWY_CHOOSE_AVX3(count_line_feeds_here), HWY_CHOOSE_AVX2(count_line_feeds_here),
      HWY_CHOOSE_SSE4(count_line_feeds_here), &HWY_STATIC_DISPATCH(count_line_feeds_here));
  return count_here(text.data(), text.size());
}

}  // namespace assay
#endif
