// Markers are pairs of bytes. Each kind of pair has a bit; a table over the low and one over the
// high half of a byte say which kinds it can open, two more which it can close (the method of
// Hyperscan's "Teddy"). Four shuffles and three ands thus test 16 to 64 pairs at once. A kind that
// allows several bytes also lets through what mixes their halves: the reader looks again anyway.
#include "engine/text/byte_scan.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <type_traits>

#include "engine/base/vector_target.h"

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/text/byte_scan.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#ifndef ASSAY_TEXT_BYTE_SCAN_TABLES
#define ASSAY_TEXT_BYTE_SCAN_TABLES
namespace assay {

struct PairTables {
  std::array<std::uint8_t, 16> first_low{}, first_high{}, second_low{}, second_high{};

  constexpr void first(int kind, std::uint8_t from, std::uint8_t to) {
    set(first_low, first_high, kind, from, to);
  }
  constexpr void second(int kind, std::uint8_t from, std::uint8_t to) {
    set(second_low, second_high, kind, from, to);
  }

 private:
  static constexpr void set(std::array<std::uint8_t, 16>& low, std::array<std::uint8_t, 16>& high,
                            int kind, std::uint8_t from, std::uint8_t to) {
    for (unsigned byte = from; byte <= to; ++byte) {
      low[byte & 15] = static_cast<std::uint8_t>(low[byte & 15] | 1 << kind);
      high[byte >> 4] = static_cast<std::uint8_t>(high[byte >> 4] | 1 << kind);
    }
  }
};

constexpr PairTables make_pair_tables() {
  PairTables tables;
  tables.first(0, 0x1b, 0x1b);
  tables.second(0, 0, 255);
  tables.first(1, '^', '^');
  tables.second(1, '[', '[');
  tables.first(2, '0', '9');
  tables.second(2, 'm', 'm');
  tables.first(3, '&', '&');
  tables.second(3, '#', '#');
  tables.second(3, 'a', 'z');
  tables.first(4, 0xe2, 0xe2);
  tables.second(4, 0x80, 0x80);
  tables.first(5, 'P', 'P');
  tables.second(5, ' ', ' ');
  tables.first(6, '\n', '\n');
  tables.first(6, ' ', ' ');
  tables.second(6, '{', '{');
  return tables;
}

inline constexpr PairTables kPairTables = make_pair_tables();

}  // namespace assay
#endif

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

// Writes the offsets of the pairs that begin in [0, size); text[size] can be read. `places` has
// room for `size` of them and two. Returns how many there are, and adds the line feeds to `feeds`.
std::size_t find_pairs_here(const char* text, std::size_t size, std::uint32_t* places,
                            std::size_t& feeds) {
  const Bytes d;
  const std::size_t lanes = hn::Lanes(d);
  const Vector first_low = hn::LoadDup128(d, kPairTables.first_low.data());
  const Vector first_high = hn::LoadDup128(d, kPairTables.first_high.data());
  const Vector second_low = hn::LoadDup128(d, kPairTables.second_low.data());
  const Vector second_high = hn::LoadDup128(d, kPairTables.second_high.data());
  const Vector low_half = hn::Set(d, 15);
  const Vector line_feed = hn::Set(d, '\n');
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text);
  const auto kinds = [&](Vector byte, Vector low, Vector high) {
    return hn::And(hn::TableLookupBytes(low, hn::And(byte, low_half)),
                   hn::TableLookupBytes(high, hn::ShiftRight<4>(byte)));
  };
  using Word = std::conditional_t<hn::MaxLanes(d) <= 32, std::uint32_t, std::uint64_t>;
  const auto bits = [&](auto mask) {
    Word word = 0;
    hn::StoreMaskBits(d, mask, reinterpret_cast<std::uint8_t*>(&word));
    return std::uint64_t{word};
  };
  std::size_t count = 0;
  std::size_t feeds_here = 0;
  std::size_t at = 0;
  for (; at + 64 <= size; at += 64) {
    std::uint64_t others = 0;
    std::uint64_t ends = 0;
#pragma GCC unroll 4
    for (std::size_t lane = 0; lane < 64; lane += lanes) {
      const Vector first = hn::LoadU(d, bytes + at + lane);
      const Vector second = hn::LoadU(d, bytes + at + lane + 1);
      const Vector both =
          hn::And(kinds(first, first_low, first_high), kinds(second, second_low, second_high));
      others |= bits(hn::Eq(both, hn::Zero(d))) << lane;
      ends |= bits(hn::Eq(first, line_feed)) << lane;
    }
    std::uint64_t pairs = ~others;
    feeds_here += std::size_t(std::popcount(ends));
    // Nearly all have two at most. Both are written: which ones have some, no processor can guess.
    std::uint32_t* next = places + count;
    count += std::size_t(std::popcount(pairs));
    const auto note_first = [&] {
      constexpr std::uint64_t kLast = std::uint64_t{1} << 63;  // without it none is a case apart
      *next++ = static_cast<std::uint32_t>(at + std::size_t(std::countr_zero(pairs | kLast)));
      pairs &= pairs - 1;
    };
    note_first();
    note_first();
    while (HWY_UNLIKELY(pairs != 0)) note_first();
  }
  feeds += feeds_here;
  for (; at < size; ++at) {
    const unsigned a = bytes[at];
    const unsigned b = bytes[at + 1];
    feeds += a == '\n' ? 1 : 0;
    if ((kPairTables.first_low[a & 15] & kPairTables.first_high[a >> 4] &
         kPairTables.second_low[b & 15] & kPairTables.second_high[b >> 4]) != 0)
      places[count++] = static_cast<std::uint32_t>(at);
  }
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

std::size_t find_log_markers(std::string_view text, std::vector<std::uint32_t>& places) {
  static const auto find_pairs =
      best_version(HWY_CHOOSE_AVX3(find_pairs_here), HWY_CHOOSE_AVX2(find_pairs_here),
                   HWY_CHOOSE_SSE4(find_pairs_here), &HWY_STATIC_DISPATCH(find_pairs_here));
  places.clear();
  if (text.empty()) return 0;
  std::size_t feeds = text.back() == '\n' ? 1 : 0;
  constexpr std::size_t kStep = 4096;
  std::array<std::uint32_t, kStep + 2> found;
  for (std::size_t at = 0; at + 1 < text.size(); at += kStep) {
    const std::size_t size = std::min(kStep, text.size() - 1 - at);
    const std::size_t count = find_pairs(text.data() + at, size, found.data(), feeds);
    for (std::size_t i = 0; i < count; ++i) found[i] += static_cast<std::uint32_t>(at);
    places.insert(places.end(), found.begin(), found.begin() + static_cast<std::ptrdiff_t>(count));
  }
  if (text.back() == '\x1b') places.push_back(static_cast<std::uint32_t>(text.size() - 1));
  return feeds;
}

}  // namespace assay
#endif
