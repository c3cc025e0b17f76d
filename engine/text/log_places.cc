// Each kind of place is three bytes in a row. A kind has a bit; for each of the three a table over
// the low and one over the high half of a byte say which kinds it cannot be part of (the method of
// Hyperscan's "Teddy"). Six shuffles and five ors thus test 16 to 64 places at once; where no words
// are asked for, two bytes do. Of a byte that is not ASCII the shuffle over the low half tells
// nothing, which saves cutting that half out. Kinds share a bit where hardly a text has what mixes
// them. What is let through is looked at again, byte by byte.
//
// The end of a text, less than a group and what has to be readable behind it, is sieved with zeros
// behind it, which are no part of any kind that asks for a byte.
#include "engine/text/log_places.h"

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <type_traits>

#include "engine/base/vector_target.h"

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/text/log_places.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#ifndef ASSAY_TEXT_LOG_PLACES_TABLES
#define ASSAY_TEXT_LOG_PLACES_TABLES
namespace assay {

// Of the bytes a kind allows at a place, `from` to `to`.
struct KindBytes {
  std::uint8_t from = 0;
  std::uint8_t to = 255;
};

struct KindTables {
  // By place and half: the bits of kinds that are not there.
  std::array<std::array<std::uint8_t, 16>, 3> low;
  std::array<std::array<std::uint8_t, 16>, 3> high;

  constexpr KindTables() : low(), high() {
    for (auto* tables : {&low, &high})
      for (auto& table : *tables) table.fill(255);
  }
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
      low[place][byte & 15] = static_cast<std::uint8_t>(low[place][byte & 15] & ~(1 << kind));
      high[place][byte >> 4] = static_cast<std::uint8_t>(high[place][byte >> 4] & ~(1 << kind));
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

constexpr KindTables make_kind_tables(bool with_words) {
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
    if (with_words) tables.allow_word(word.kind, word.word.substr(word.letters, 3));
  return tables;
}

inline constexpr KindTables kAllKinds = make_kind_tables(true);
inline constexpr KindTables kMarkerKinds = make_kind_tables(false);

// The places among kGroupBytes bytes, before they are looked at.
struct PlaceGroup {
  std::uint64_t places = 0;  // a bit each
  std::size_t at = 0;
};
inline constexpr std::size_t kGroupBytes = 64;
inline constexpr std::size_t kBehindGroup = 2;  // what has to be readable behind
// So many that a byte can count the line feeds of a lane, which has four bytes of a group at most.
inline constexpr std::size_t kMaxGroups = 63;

}  // namespace assay
#endif

HWY_BEFORE_NAMESPACE();
namespace assay::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Bytes = hn::CappedTag<std::uint8_t, kGroupBytes>;
using Vector = hn::Vec<Bytes>;

// Writes the groups of [0, size), a multiple of kGroupBytes and at most kMaxGroups of them, in
// which a kind may stand; kBehindGroup bytes more can be read. `groups` has room for one more than
// there may be. Returns how many were written, and adds the line feeds to `feeds`.
template <bool kWithWords>
std::size_t sieve_here(const char* text, std::size_t size, PlaceGroup* groups, std::size_t& feeds) {
  const Bytes d;
  constexpr const KindTables& kinds = kWithWords ? kAllKinds : kMarkerKinds;
  const std::size_t lanes = hn::Lanes(d);
  const auto table = [&](const std::array<std::uint8_t, 16>& of)
                         HWY_ATTR { return hn::LoadDup128(d, of.data()); };
  const Vector low_0 = table(kinds.low[0]), high_0 = table(kinds.high[0]);
  const Vector low_1 = table(kinds.low[1]), high_1 = table(kinds.high[1]);
  const Vector low_2 = table(kinds.low[2]), high_2 = table(kinds.high[2]);
  const Vector none = hn::Set(d, 255);
  const Vector line_feed = hn::Set(d, '\n');
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text);
  const auto other_kinds = [&](Vector byte, Vector low, Vector high) HWY_ATTR {
    return hn::Or(hn::TableLookupBytesOr0(low, byte),
                  hn::TableLookupBytes(high, hn::ShiftRight<4>(byte)));
  };
  using Word = std::conditional_t<hn::MaxLanes(d) <= 32, std::uint32_t, std::uint64_t>;
  const auto bits = [&](auto mask) HWY_ATTR {
    Word word = 0;
    hn::StoreMaskBits(d, mask, reinterpret_cast<std::uint8_t*>(&word));
    return std::uint64_t{word};
  };
  std::size_t count = 0;
  Vector feeds_here = hn::Zero(d);
  for (std::size_t at = 0; at < size; at += kGroupBytes) {
    std::uint64_t others = 0;
#pragma GCC unroll 4
    for (std::size_t lane = 0; lane < kGroupBytes; lane += lanes) {
      const std::uint8_t* here = bytes + at + lane;
      const Vector first = hn::LoadU(d, here);
      Vector not_here = hn::Or(other_kinds(first, low_0, high_0),
                               other_kinds(hn::LoadU(d, here + 1), low_1, high_1));
      if constexpr (kWithWords)
        not_here = hn::Or(not_here, other_kinds(hn::LoadU(d, here + 2), low_2, high_2));
      others |= bits(hn::Eq(not_here, none)) << lane;
      feeds_here = hn::Sub(feeds_here, hn::VecFromMask(d, hn::Eq(first, line_feed)));
    }
    // Always written: which groups have a place, no processor can guess.
    groups[count] = {~others, at};
    count += ~others != 0 ? 1 : 0;
  }
  const hn::Repartition<std::uint64_t, Bytes> sums;
  feeds += static_cast<std::size_t>(hn::GetLane(hn::SumOfLanes(sums, hn::SumsOf8(feeds_here))));
  return count;
}

// For HWY_CHOOSE, which knows no templates.
std::size_t sieve_all(const char* text, std::size_t size, PlaceGroup* groups, std::size_t& feeds) {
  return sieve_here<true>(text, size, groups, feeds);
}
std::size_t sieve_markers(const char* text, std::size_t size, PlaceGroup* groups,
                          std::size_t& feeds) {
  return sieve_here<false>(text, size, groups, feeds);
}

}  // namespace assay::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assay {
namespace {

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

void add_place(std::string_view text, std::size_t at, LogPlaces& places) {
  const std::uint8_t opening = kOpenings[static_cast<unsigned char>(text[at])];
  if (opening == kMarker) places.markers.push_back(static_cast<std::uint32_t>(at));
  if (opening >= kMarker) return;
  const ErrorWord& word = kErrorWords[opening];
  if (at < word.letters) return;
  const std::string_view here = text.substr(at - word.letters, word.word.size());
  const auto is_same = [](char w, char t) { return w == (t | 0x20); };
  if (std::equal(word.word.begin(), word.word.end(), here.begin(), here.end(), is_same))
    places.error_words.push_back(static_cast<std::uint32_t>(at - word.letters));
}

using Sieve = std::size_t(const char*, std::size_t, PlaceGroup*, std::size_t&);

Sieve* sieve_for(LogWords words) {
  static const auto all = best_version(HWY_CHOOSE_AVX3(sieve_all), HWY_CHOOSE_AVX2(sieve_all),
                                       HWY_CHOOSE_SSE4(sieve_all), &HWY_STATIC_DISPATCH(sieve_all));
  static const auto markers =
      best_version(HWY_CHOOSE_AVX3(sieve_markers), HWY_CHOOSE_AVX2(sieve_markers),
                   HWY_CHOOSE_SSE4(sieve_markers), &HWY_STATIC_DISPATCH(sieve_markers));
  return words == LogWords::of_errors ? all : markers;
}

void add_places(std::string_view text, std::size_t begin, std::span<const PlaceGroup> groups,
                LogPlaces& places) {
  for (const PlaceGroup& group : groups)
    for (std::uint64_t rest = group.places; rest != 0; rest &= rest - 1) {
      const std::size_t at = begin + group.at + std::size_t(std::countr_zero(rest));
      if (at < text.size()) add_place(text, at, places);
    }
}

}  // namespace

void find_log_places(std::string_view text, LogWords words, LogPlaces& places) {
  places.clear();
  Sieve* const sieve = sieve_for(words);
  std::array<PlaceGroup, kMaxGroups + 1> groups;
  std::size_t begin = 0;
  while (begin + kGroupBytes + kBehindGroup <= text.size()) {
    const std::size_t whole = (text.size() - kBehindGroup - begin) / kGroupBytes;
    const std::size_t size = std::min(kMaxGroups, whole) * kGroupBytes;
    const std::size_t count = sieve(text.data() + begin, size, groups.data(), places.line_feeds);
    add_places(text, begin, {groups.data(), count}, places);
    begin += size;
  }
  std::array<char, 2 * kGroupBytes + kBehindGroup> rest{};
  std::copy(text.begin() + static_cast<std::ptrdiff_t>(begin), text.end(), rest.begin());
  const std::size_t count = sieve(rest.data(), 2 * kGroupBytes, groups.data(), places.line_feeds);
  add_places(text, begin, {groups.data(), count}, places);
}

}  // namespace assay
#endif
