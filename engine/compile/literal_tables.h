// The literals of all patterns as flat tables, in which a scan finds every one of them while it
// looks at every 16th (or 8th, or 4th) byte of a text only.
//
// Sampling: of each literal some window of `stride + gram_bytes - 1` bytes is chosen and all
// `stride` grams of it are entered. Wherever the literal stands in a text, one of these grams
// begins at a multiple of `stride`.
//
// The tables are one image of bytes, made by literal_tables_builder.h, kept in a bundle as it is
// and used where it lies: numbers and bytes, no pointers, all little-endian.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace assay {

static_assert(std::endian::native == std::endian::little, "the tables are used where they lie");

inline constexpr std::uint32_t kLongGramBytes = 8;
inline constexpr std::uint32_t kLongStride = 16;
inline constexpr std::uint32_t kShortGramBytes = 5;
inline constexpr std::uint32_t kShortStride = 8;
inline constexpr std::uint32_t kShortestStride = 4;  // with a literal of less than 12 bytes

// A literal shorter than this cannot be looked for.
inline constexpr std::size_t kUsableLiteralBytes = 8;
// One literal shorter than this, of all, makes the scan look at twice as many places. Lint asks for
// it in a pattern, or in the context of a pattern.
inline constexpr std::size_t kFastLiteralBytes = kShortStride + kShortGramBytes - 1;

// The literals that are sampled alike.
struct LiteralTier {
  struct Gram {
    std::uint64_t bytes = 0;
    std::uint64_t next = 0;  // up to eight bytes that follow it in its literal, if it has one place
    std::uint32_t first_place = 0;
    std::uint32_t counts = 0;  // places, and above kPlaceBits how many bytes `next` has

    static constexpr std::uint32_t kPlaceBits = 24;
    std::uint32_t places() const { return counts & ((1u << kPlaceBits) - 1); }
    std::uint32_t next_bytes() const { return counts >> kPlaceBits; }
  };
  struct Place {  // of a gram
    std::uint32_t literal = 0;
    std::uint32_t offset = 0;
  };

  std::uint32_t gram_bytes = 0;
  std::uint32_t stride = 0;
  // A gram's word is hash >> filter_shift, and it has two bits there (filter_bits()).
  std::uint32_t filter_shift = 0;
  std::uint32_t slot_shift = 0;
  std::span<const std::uint64_t> filter;
  // hash >> slot_shift, then onwards: 0, or the index of a gram + 1 below a tag (slot_tag()).
  std::span<const std::uint32_t> slots;
  std::span<const Gram> grams;
  std::span<const Place> places;

  bool empty() const { return grams.empty(); }
};

struct LiteralTables {
  struct Literal {
    std::uint32_t begin = 0;  // in `bytes`
    std::uint32_t length = 0;
    std::uint32_t first_pattern = 0;  // in `patterns`
    std::uint32_t patterns = 0;
  };

  LiteralTier long_tier;   // literals of 23 bytes and more: 8-byte grams, every 16th byte
  LiteralTier short_tier;  // of 8 and more: 5-byte grams, every 8th byte, or every 4th
  std::span<const Literal> literals;
  std::span<const std::uint32_t> patterns;
  std::span<const std::uint32_t> without_literal;  // patterns to be tried on every line
  std::string_view bytes;

  std::string_view text(const Literal& literal) const {
    return bytes.substr(literal.begin, literal.length);
  }
};

// What an image begins with: how many of each there are. The arrays follow without gaps: filter and
// grams of the long tier, then of the short one; slots and places of each; literals, patterns,
// without_literal; bytes.
struct LiteralTablesHead {
  struct Tier {
    std::uint32_t filter_words = 0;
    std::uint32_t slots = 0;
    std::uint32_t grams = 0;
    std::uint32_t places = 0;
  };
  std::uint32_t literals = 0;
  std::uint32_t patterns = 0;
  std::uint32_t without_literal = 0;
  std::uint32_t bytes = 0;
  std::uint32_t short_stride = 0;
  std::uint32_t zero = 0;
  Tier long_tier;
  Tier short_tier;
};
static_assert(sizeof(LiteralTablesHead) == 56);

// The tables that lie in `image`, which begins at a multiple of eight and must outlive them. None
// where it is not what build_literal_tables writes for `pattern_count` patterns, so far as a scan
// depends on it: whatever the image is, scanning with what is returned stays inside and ends.
std::optional<LiteralTables> read_literal_tables(std::string_view image, std::size_t pattern_count);

inline std::uint64_t gram_hash(std::uint64_t gram) { return gram * 0x9e3779b97f4a7c15u; }
inline std::uint64_t filter_bits(std::uint64_t hash) {
  return (std::uint64_t{1} << ((hash >> 40) & 63)) | (std::uint64_t{1} << ((hash >> 34) & 63));
}
// By how much a hash is shifted to be an index of `size`, a power of two and at least two.
inline std::uint32_t index_shift(std::size_t size) {
  return 65 - static_cast<std::uint32_t>(std::bit_width(size));
}
// In the upper bits of a slot: most other grams are told apart by it.
inline constexpr std::uint32_t kSlotIndex = (1u << 20) - 1;
inline std::uint32_t slot_tag(std::uint64_t hash) {
  return static_cast<std::uint32_t>(hash >> 16) & ~kSlotIndex;
}
// The first `gram_bytes`, fewer than eight or all, of eight bytes that were loaded together.
inline std::uint64_t first_bytes(std::uint64_t eight, std::uint32_t gram_bytes) {
  return eight & (~std::uint64_t{0} >> (64 - 8 * gram_bytes));
}
// The gram at `at` of `text`, which holds all of it.
std::uint64_t gram_at(std::string_view text, std::size_t at, std::uint32_t gram_bytes);

}  // namespace assay
