// The literals of all patterns as flat tables, in which a scan finds every one of them while it
// looks at every 8th (or 4th) byte of a text only.
//
// Sampling: of each literal a window of `stride + 7` bytes is chosen and all `stride` grams of
// eight bytes in it are entered. Wherever the literal stands in a text, one of these grams begins
// at a multiple of `stride`. A literal too short for that has a window of `stride + 4` bytes and
// grams of five; what follows these in a text may be anything.
//
// The tables are one image of bytes, made by literal_tables_builder.h, kept in a bundle as it is
// and used where it lies: numbers and bytes, no pointers, all little-endian.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

namespace assay {

static_assert(std::endian::native == std::endian::little, "the tables are used where they lie");

inline constexpr std::uint32_t kLongGramBytes = 8;
inline constexpr std::uint32_t kShortGramBytes = 5;
inline constexpr std::uint32_t kStride = 8;
inline constexpr std::uint32_t kShortestStride = 4;  // with a literal of less than 12 bytes

// A literal shorter than this cannot be looked for.
inline constexpr std::size_t kUsableLiteralBytes = 8;
// One literal shorter than this, of all, makes the scan look at twice as many places. Lint asks for
// it in a pattern, or in the context of a pattern.
inline constexpr std::size_t kFastLiteralBytes = kStride + kShortGramBytes - 1;

// Hashes are the upper bits of a product of the eight bytes at a place of a text; they depend on
// those that the factor does not shift out.
inline constexpr std::uint64_t kHashEight = 0x9e3779b97f4a7c15u;
inline constexpr std::uint64_t kHashFive = kHashEight << 24;
// The same with other factors. The builder takes one with which few grams of ordinary logs share
// words with those of literals.
inline constexpr std::uint32_t kWordHashes = 64;
inline std::uint64_t word_factor(std::uint32_t index) {
  return (kHashEight + index * std::uint64_t{0xa0761d6478bd642eu}) << 24;
}

inline std::uint64_t load_eight(const char* text) {
  std::uint64_t eight = 0;
  std::memcpy(&eight, text, sizeof eight);
  return eight;
}

// Three bits of a word, by ten bits of a hash. To look them up is faster than to shift a bit for
// each; with fewer than ten, too many grams would have the same.
inline constexpr std::array<std::uint64_t, 1024> kBitTriples = [] {
  std::array<std::uint64_t, 1024> triples{};
  std::uint64_t state = 0;
  for (std::uint64_t& triple : triples)
    while (std::popcount(triple) < 3) {
      state = state * 0x5851f42d4c957f2du + 0x14057b7ef767814fu;
      triple |= std::uint64_t{1} << (state >> 58);
    }
  return triples;
}();

// A gram has three bits in a word that five bytes choose. The bits are chosen by eight, or, where
// most grams are short, by five as well.
struct GramFilter {
  std::uint32_t shift = 0;
  std::uint64_t word_factor = kHashFive;
  std::uint64_t bits_factor = kHashEight;
  std::span<const std::uint64_t> words;

  static std::size_t triple_of(std::uint64_t bits_hash) { return bits_hash >> 54; }
  bool lets_through(std::uint64_t eight) const {
    if (words.empty()) return false;
    const std::uint64_t word = words[(eight * word_factor) >> shift];
    return (kBitTriples[triple_of(eight * bits_factor)] & ~word) == 0;
  }
};

// Grams of one length: at hash >> shift or behind it, before an empty slot.
struct GramSlots {
  struct Slot {
    std::uint32_t print = 0;   // of the window (window_print())
    std::uint32_t window = 0;  // 0: empty; else its index + 1, and below it the gram's place in it

    static constexpr std::uint32_t kPlaceBits = 3;
    std::uint32_t index() const { return (window >> kPlaceBits) - 1; }
    std::uint32_t place() const { return window & ((1u << kPlaceBits) - 1); }
  };

  std::uint32_t window_bytes = 0;
  std::uint64_t factor = 0;
  std::uint32_t shift = 0;
  std::span<const Slot> slots;

  bool empty() const { return slots.empty(); }
};

struct LiteralTables {
  struct Literal {
    std::uint32_t begin = 0;  // in `bytes`
    std::uint32_t length = 0;
    std::uint32_t first_pattern = 0;  // in `patterns`
    std::uint32_t patterns = 0;
  };
  struct Place {  // of a window
    std::uint32_t literal = 0;
    std::uint32_t offset = 0;
  };
  struct Window {
    std::uint32_t first_place = 0;
    std::uint32_t places = 0;
  };

  std::uint32_t stride = 0;
  GramFilter filter;
  GramSlots long_grams;
  GramSlots short_grams;
  std::span<const Window> windows;
  std::span<const Place> places;
  std::span<const Literal> literals;
  std::span<const std::uint32_t> patterns;
  std::span<const std::uint32_t> without_literal;  // patterns to be tried on every line
  std::string_view bytes;

  std::string_view text(const Literal& literal) const {
    return bytes.substr(literal.begin, literal.length);
  }
};

// What an image begins with: how many of each there are. The arrays follow without gaps, in this
// order.
struct LiteralTablesHead {
  std::uint32_t stride = 0;
  std::uint32_t is_filter_by_five = 0;  // 1: the bits as well
  std::uint32_t filter_words = 0;
  std::uint32_t long_slots = 0;
  std::uint32_t short_slots = 0;
  std::uint32_t windows = 0;
  std::uint32_t places = 0;
  std::uint32_t literals = 0;
  std::uint32_t patterns = 0;
  std::uint32_t without_literal = 0;
  std::uint32_t bytes = 0;
  std::uint32_t word_hash = 0;  // of the filter: below kWordHashes
};
static_assert(sizeof(LiteralTablesHead) == 48);

// The tables that lie in `image`, which begins at a multiple of eight and must outlive them. None
// where it is not what build_literal_tables writes for `pattern_count` patterns, so far as a scan
// depends on it: whatever the image is, scanning with what is returned stays inside and ends.
std::optional<LiteralTables> read_literal_tables(std::string_view image, std::size_t pattern_count);

// Tells windows apart by their first and their last eight bytes.
inline std::uint32_t window_print(const char* window, std::uint32_t window_bytes) {
  const std::uint64_t first = load_eight(window) * 0xd6e8feb86659fd93u;
  const std::uint64_t last = load_eight(window + window_bytes - 8) * 0xa0761d6478bd642fu;
  return static_cast<std::uint32_t>((first ^ std::rotl(last, 23)) >> 32);
}
// By how much a hash is shifted to be an index of `size`, a power of two and at least two.
inline std::uint32_t index_shift(std::size_t size) {
  return 65 - static_cast<std::uint32_t>(std::bit_width(size));
}

}  // namespace assay
