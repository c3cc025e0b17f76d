// One pass finds what a reader of logs looks at closer: bytes that may not be meant as text, and
// words that errors are made of. Each kind is three bytes in a row. A kind has a bit; for each of
// the three a table over the low and one over the high half of a byte say which kinds it can be
// part of (the method of Hyperscan's "Teddy"). Six shuffles and five ands thus test 16 to 64 places
// at once. Kinds share a bit where hardly a text has what mixes them; the reader looks again
// anyway.
#include "engine/text/byte_scan.h"

#include <algorithm>
#include <array>
#include <bit>
#include <span>
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

// Of the bytes a kind allows at a place, `from` to `to`.
struct KindBytes {
  std::uint8_t from = 0;
  std::uint8_t to = 255;
};

struct KindTables {
  std::array<std::array<std::uint8_t, 16>, 3> low{};
  std::array<std::array<std::uint8_t, 16>, 3> high{};

  constexpr void allow(int kind, KindBytes first, KindBytes second, KindBytes third) {
    set(kind, 0, first);
    set(kind, 1, second);
    set(kind, 2, third);
  }
  constexpr void allow_word(int kind, std::string_view three_letters) {
    for (std::size_t i = 0; i < 3; ++i) {
      const auto letter = static_cast<std::uint8_t>(three_letters[i]);
      const auto capital = static_cast<std::uint8_t>(letter & ~0x20u);
      set(kind, i, {letter, letter});
      set(kind, i, {capital, capital});
    }
  }

 private:
  constexpr void set(int kind, std::size_t place, KindBytes bytes) {
    for (unsigned byte = bytes.from; byte <= bytes.to; ++byte) {
      low[place][byte & 15] = static_cast<std::uint8_t>(low[place][byte & 15] | 1 << kind);
      high[place][byte >> 4] = static_cast<std::uint8_t>(high[place][byte >> 4] | 1 << kind);
    }
  }
};

// A word of errors, and which three of its letters are looked for: the rarest together.
struct ErrorWord {
  std::string_view word;
  std::size_t letters;
  int kind;
};
inline constexpr std::array<ErrorWord, 6> kErrorWords{{{"error", 1, 5},
                                                       {"assert", 1, 5},
                                                       {"exception", 1, 6},
                                                       {"traceback", 3, 6},
                                                       {"fatal", 0, 7},
                                                       {"critical", 2, 7}}};

constexpr KindBytes only(char byte) {
  return {static_cast<std::uint8_t>(byte), static_cast<std::uint8_t>(byte)};
}

constexpr KindTables make_kind_tables() {
  constexpr KindBytes kAny{};
  KindTables tables;
  tables.allow(0, only('\x1b'), kAny, kAny);
  tables.allow(1, only('^'), only('['), kAny);
  tables.allow(1, only('P'), only(' '), kAny);
  tables.allow(2, {'0', '9'}, only('m'), kAny);
  tables.allow(3, only('&'), only('#'), kAny);
  tables.allow(3, only('&'), {'a', 'z'}, kAny);
  tables.allow(4, only('\xe2'), only('\x80'), {0x98, 0x9f});
  tables.allow(4, only('\n'), only('{'), only('"'));
  tables.allow(4, only(' '), only('{'), only('"'));
  for (const ErrorWord& word : kErrorWords)
    tables.allow_word(word.kind, word.word.substr(word.letters, 3));
  return tables;
}

inline constexpr KindTables kKindTables = make_kind_tables();

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

// Writes the offsets of the places in [0, size), a multiple of 64, at which a kind may stand; two
// bytes more can be read. `places` has room for `size` of them and two. Returns how many there are,
// and adds the line feeds to `feeds`.
std::size_t find_places_here(const char* text, std::size_t size, std::uint32_t* places,
                             std::size_t& feeds) {
  const Bytes d;
  const std::size_t lanes = hn::Lanes(d);
  const auto table = [&](const std::array<std::uint8_t, 16>& of)
                         HWY_ATTR { return hn::LoadDup128(d, of.data()); };
  const Vector low_0 = table(kKindTables.low[0]), high_0 = table(kKindTables.high[0]);
  const Vector low_1 = table(kKindTables.low[1]), high_1 = table(kKindTables.high[1]);
  const Vector low_2 = table(kKindTables.low[2]), high_2 = table(kKindTables.high[2]);
  const Vector low_half = hn::Set(d, 15);
  const Vector line_feed = hn::Set(d, '\n');
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text);
  const auto kinds = [&](Vector byte, Vector low, Vector high) HWY_ATTR {
    return hn::And(hn::TableLookupBytes(low, hn::And(byte, low_half)),
                   hn::TableLookupBytes(high, hn::ShiftRight<4>(byte)));
  };
  using Word = std::conditional_t<hn::MaxLanes(d) <= 32, std::uint32_t, std::uint64_t>;
  const auto bits = [&](auto mask) HWY_ATTR {
    Word word = 0;
    hn::StoreMaskBits(d, mask, reinterpret_cast<std::uint8_t*>(&word));
    return std::uint64_t{word};
  };
  std::size_t count = 0;
  std::size_t feeds_here = 0;
  for (std::size_t at = 0; at < size; at += 64) {
    std::uint64_t others = 0;
    std::uint64_t ends = 0;
#pragma GCC unroll 4
    for (std::size_t lane = 0; lane < 64; lane += lanes) {
      const std::uint8_t* here = bytes + at + lane;
      const Vector first = hn::LoadU(d, here);
      const Vector all = hn::And(
          hn::And(kinds(first, low_0, high_0), kinds(hn::LoadU(d, here + 1), low_1, high_1)),
          kinds(hn::LoadU(d, here + 2), low_2, high_2));
      others |= bits(hn::Eq(all, hn::Zero(d))) << lane;
      ends |= bits(hn::Eq(first, line_feed)) << lane;
    }
    std::uint64_t found = ~others;
    feeds_here += std::size_t(std::popcount(ends));
    // Nearly all have two at most. Both are written: which ones have some, no processor can guess.
    std::uint32_t* next = places + count;
    count += std::size_t(std::popcount(found));
    const auto note_first = [&] {
      constexpr std::uint64_t kLast = std::uint64_t{1} << 63;  // without it none is a case apart
      *next++ = static_cast<std::uint32_t>(at + std::size_t(std::countr_zero(found | kLast)));
      found &= found - 1;
    };
    note_first();
    note_first();
    while (HWY_UNLIKELY(found != 0)) note_first();
  }
  feeds += feeds_here;
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

namespace {

constexpr std::size_t kGroup = 64;
constexpr std::size_t kBehind = 2;  // bytes of a kind behind its first

// What a place may be by its first byte: a word, by its number, or a marker; else kinds that share
// a bit were mixed.
constexpr std::uint8_t kMarker = kErrorWords.size();
constexpr std::uint8_t kNothing = kMarker + 1;
constexpr std::array<std::uint8_t, 256> make_openings() {
  std::array<std::uint8_t, 256> openings{};
  openings.fill(kNothing);
  for (const unsigned char byte : std::string_view("\x1b^&\xe2P\n 0123456789"))
    openings[byte] = kMarker;
  for (std::size_t i = 0; i < kErrorWords.size(); ++i) {
    const auto letter = static_cast<std::uint8_t>(kErrorWords[i].word[kErrorWords[i].letters]);
    openings[letter] = openings[letter & ~0x20u] = static_cast<std::uint8_t>(i);
  }
  return openings;
}
constexpr std::array<std::uint8_t, 256> kOpenings = make_openings();

void add_places(std::string_view text, std::span<const std::uint32_t> found, std::size_t begin,
                LogPlaces& places) {
  for (const std::uint32_t place : found) {
    const std::size_t at = begin + place;
    const std::uint8_t opening = kOpenings[static_cast<unsigned char>(text[at])];
    if (opening == kMarker) places.markers.push_back(static_cast<std::uint32_t>(at));
    if (opening >= kMarker) continue;
    const ErrorWord& word = kErrorWords[opening];
    if (at < word.letters) continue;
    const std::string_view here = text.substr(at - word.letters, word.word.size());
    const auto is_same = [](char w, char t) { return w == (t | 0x20); };
    if (std::equal(word.word.begin(), word.word.end(), here.begin(), here.end(), is_same))
      places.error_words.push_back(static_cast<std::uint32_t>(at - word.letters));
  }
}

}  // namespace

void find_log_places(std::string_view text, LogPlaces& places) {
  static const auto find_places =
      best_version(HWY_CHOOSE_AVX3(find_places_here), HWY_CHOOSE_AVX2(find_places_here),
                   HWY_CHOOSE_SSE4(find_places_here), &HWY_STATIC_DISPATCH(find_places_here));
  places.markers.clear();
  places.error_words.clear();
  places.line_feeds = 0;
  constexpr std::size_t kStep = 4096;
  std::array<std::uint32_t, kStep + 2> found;
  std::size_t at = 0;
  while (at + kGroup + kBehind <= text.size()) {
    const std::size_t size = std::min(kStep, (text.size() - kBehind - at) / kGroup * kGroup);
    const std::size_t count = find_places(text.data() + at, size, found.data(), places.line_feeds);
    add_places(text, {found.data(), count}, at, places);
    at += size;
  }
  // The rest, with zeros behind it, which are no part of any kind that asks for a byte.
  std::array<char, 2 * kGroup + kBehind> rest{};
  std::copy(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(), rest.begin());
  std::size_t count = find_places(rest.data(), 2 * kGroup, found.data(), places.line_feeds);
  while (count > 0 && at + found[count - 1] >= text.size()) --count;
  add_places(text, {found.data(), count}, at, places);
}

}  // namespace assay
#endif
