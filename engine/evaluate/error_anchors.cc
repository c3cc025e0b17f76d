// Of each word three bytes are looked for; of "error" the middle, since its letters are the rarest
// together. Each word has a bit; for each of the three bytes a table over its low half and one over
// its high half say which words it belongs to, as in text/byte_scan.cc: six shuffles and five ands
// test a vector of places. Both cases of a letter differ in the high half only, so that they cost
// nothing. Compiled once for each instruction set by Highway.
#include "engine/evaluate/error_anchors.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "engine/base/vector_target.h"

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/evaluate/error_anchors.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#ifndef ASSAY_EVALUATE_ERROR_ANCHORS_TABLES
#define ASSAY_EVALUATE_ERROR_ANCHORS_TABLES
namespace assay {

inline constexpr std::array<std::string_view, 6> kWords{"error",  "exception", "traceback",
                                                        "assert", "fatal",     "critical"};
inline constexpr std::array<std::string_view, 6> kTriples{"rro", "xce", "ceb", "sse", "fat", "iti"};

struct TripleTables {
  std::array<std::array<std::uint8_t, 16>, 3> low{};
  std::array<std::array<std::uint8_t, 16>, 3> high{};
};

constexpr TripleTables make_triple_tables() {
  TripleTables tables;
  for (std::size_t word = 0; word < kTriples.size(); ++word)
    for (std::size_t i = 0; i < 3; ++i) {
      const auto letter = static_cast<std::uint8_t>(kTriples[word][i]);
      const auto bit = static_cast<std::uint8_t>(1u << word);
      tables.low[i][letter & 15] |= bit;
      tables.high[i][letter >> 4] |= bit;
      tables.high[i][(letter >> 4) & ~2u] |= bit;  // the capital
    }
  return tables;
}

inline constexpr TripleTables kTripleTables = make_triple_tables();

}  // namespace assay
#endif

HWY_BEFORE_NAMESPACE();
namespace assay::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// The first place of `size` bytes at which a triple stands; where there is none, one so near the
// end that no vector fits.
std::size_t next_candidate_here(const char* text, std::size_t size) {
  const hn::CappedTag<std::uint8_t, 64> d;
  using Vector = hn::Vec<decltype(d)>;
  const std::size_t lanes = hn::Lanes(d);
  const Vector low_half = hn::Set(d, 15);
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(text);
  const auto table = [&](const std::array<std::uint8_t, 16>& of) {
    return hn::LoadDup128(d, of.data());
  };
  const Vector low_0 = table(kTripleTables.low[0]), high_0 = table(kTripleTables.high[0]);
  const Vector low_1 = table(kTripleTables.low[1]), high_1 = table(kTripleTables.high[1]);
  const Vector low_2 = table(kTripleTables.low[2]), high_2 = table(kTripleTables.high[2]);
  const auto words = [&](std::size_t at, Vector low, Vector high) {
    const Vector byte = hn::LoadU(d, bytes + at);
    return hn::And(hn::TableLookupBytes(low, hn::And(byte, low_half)),
                   hn::TableLookupBytes(high, hn::ShiftRight<4>(byte)));
  };
  const auto triples = [&](std::size_t at) {
    return hn::And(hn::And(words(at, low_0, high_0), words(at + 1, low_1, high_1)),
                   words(at + 2, low_2, high_2));
  };
  const Vector none = hn::Zero(d);
  std::size_t at = 0;
  for (; at + 2 * lanes + 2 <= size; at += 2 * lanes) {  // one jump for two vectors
    const Vector first = triples(at);
    const Vector second = triples(at + lanes);
    if (HWY_LIKELY(hn::AllTrue(d, hn::Eq(hn::Or(first, second), none)))) continue;
    const auto in_first = hn::FindFirstTrue(d, hn::Ne(first, none));
    if (in_first >= 0) return at + static_cast<std::size_t>(in_first);
    const auto in_second = hn::FindFirstTrue(d, hn::Ne(second, none));
    return at + lanes + static_cast<std::size_t>(in_second);
  }
  return at;
}

}  // namespace assay::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assay {
namespace {

bool is_candidate(std::string_view text, std::size_t at) {
  unsigned words = 255;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto byte = static_cast<unsigned char>(text[at + i]);
    words &= kTripleTables.low[i][byte & 15u] & unsigned{kTripleTables.high[i][byte >> 4]};
  }
  return words != 0;
}

bool has_word_at(std::string_view text, std::size_t at) {
  return std::any_of(kWords.begin(), kWords.end(), [&](std::string_view word) {
    return text.size() - at >= word.size() &&
           std::equal(word.begin(), word.end(), text.begin() + static_cast<std::ptrdiff_t>(at),
                      [](char w, char t) { return w == (t | 0x20); });
  });
}

// A word that has a candidate at `at` begins at most four bytes before it.
std::size_t word_around(std::string_view text, std::size_t at, std::size_t from) {
  for (std::size_t back = 0; back <= 4 && back <= at - from; ++back)
    if (has_word_at(text, at - back)) return at - back;
  return std::string_view::npos;
}

}  // namespace

std::size_t find_error_anchor(std::string_view text, std::size_t from) {
  static const auto next_candidate =
      best_version(HWY_CHOOSE_AVX3(next_candidate_here), HWY_CHOOSE_AVX2(next_candidate_here),
                   HWY_CHOOSE_SSE4(next_candidate_here), &HWY_STATIC_DISPATCH(next_candidate_here));
  for (std::size_t at = from; at + 2 < text.size(); ++at) {
    at += next_candidate(text.data() + at, text.size() - at);
    if (at + 2 >= text.size() || !is_candidate(text, at)) continue;
    const std::size_t word = word_around(text, at, from);
    if (word != std::string_view::npos) return word;
  }
  return std::string_view::npos;
}

std::vector<std::size_t> find_error_anchors(std::string_view text) {
  std::vector<std::size_t> anchors;
  for (std::size_t at = find_error_anchor(text, 0); at != std::string_view::npos;
       at = find_error_anchor(text, at)) {
    anchors.push_back(at);
    at = text.find('\n', at);
    if (at == std::string_view::npos) break;
  }
  return anchors;
}

}  // namespace assay
#endif
