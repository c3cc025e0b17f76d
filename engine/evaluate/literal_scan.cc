// The loop of the matcher: eight bytes loaded, a multiplication, a word of the filter, two bits of
// it, on to the next multiple of the stride. At a stride of 16 that takes less time than reading
// the text from memory does; the filter of 1,500 literals is 32 KB. What passes the filter (3 % of
// the places in ordinary logs, 2 % because the gram is really there) is looked up by its bytes, and
// the literals that hold it are compared.
//
// Compiled once for each instruction set by Highway. The work is scalar all the same: BMI2 has the
// shifts it needs, and a gather of eight words costs as much as eight loads on the processors
// measured.
#include "engine/evaluate/literal_scan.h"

#include <array>
#include <cstring>

#include "engine/base/vector_target.h"

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3 | HWY_AVX3_DL)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/evaluate/literal_scan.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#ifndef ASSAY_EVALUATE_LITERAL_SCAN_LOOKUP
#define ASSAY_EVALUATE_LITERAL_SCAN_LOOKUP
namespace assay {

struct TierScan {
  const LiteralTables& tables;
  const LiteralTier& tier;
  std::string_view text;
  std::vector<LiteralHit>& hits;
};

inline void compare_literal(const TierScan& scan, const LiteralTier::Place& place, std::size_t at) {
  const LiteralTables::Literal& literal = scan.tables.literals[place.literal];
  if (at < place.offset) return;
  const std::size_t begin = at - place.offset;
  if (scan.text.size() - begin < literal.length) return;
  const char* bytes = scan.tables.bytes.data() + literal.begin;
  if (std::memcmp(scan.text.data() + begin, bytes, literal.length) == 0)
    scan.hits.push_back({place.literal, static_cast<std::uint32_t>(begin)});
}

inline std::uint64_t gram_in(const TierScan& scan, std::size_t at) {
  std::uint64_t gram = 0;
  const std::size_t readable = scan.text.size() - at;
  std::memcpy(&gram, scan.text.data() + at, readable < 8 ? scan.tier.gram_bytes : 8);
  return first_bytes(gram, scan.tier.gram_bytes);
}

// The index of `gram` among the tier's, or of the last one + 1.
inline std::size_t find_gram(const LiteralTier& tier, std::uint64_t gram) {
  const std::uint64_t hash = gram_hash(gram);
  const std::size_t mask = tier.slots.size() - 1;
  for (std::size_t slot = hash >> tier.slot_shift;; slot = (slot + 1) & mask) {
    const std::uint32_t entry = tier.slots[slot];
    if (entry == 0) return tier.grams.size();
    const std::size_t index = (entry & kSlotIndex) - 1;
    if ((entry & ~kSlotIndex) == slot_tag(hash) && tier.grams[index].bytes == gram) return index;
  }
}

inline void compare_literals(const TierScan& scan, const LiteralTier::Gram& gram, std::size_t at) {
  const std::size_t behind = at + scan.tier.gram_bytes;
  const std::uint32_t next_bytes = gram.next_bytes();
  if (next_bytes != 0 && behind + 8 <= scan.text.size()) {
    std::uint64_t next = 0;
    std::memcpy(&next, scan.text.data() + behind, 8);
    if (first_bytes(next, next_bytes) != gram.next) return;
  }
  for (std::uint32_t i = 0; i < gram.places(); ++i)
    compare_literal(scan, scan.tier.places[gram.first_place + i], at);
}

// Places that passed the filter, taken together: what is looked up for one of them comes from
// memory while the others are worked on.
constexpr std::size_t kBatch = 128;

[[gnu::noinline]] inline void look_up_batch(const TierScan& scan, const std::uint32_t* places,
                                            std::size_t count) {
  const LiteralTier& tier = scan.tier;
  std::array<std::uint64_t, kBatch + 4> grams;
  for (std::size_t i = 0; i < count; ++i) {
    grams[i] = gram_in(scan, places[i]);
    __builtin_prefetch(&tier.slots[gram_hash(grams[i]) >> tier.slot_shift]);
  }
  struct Candidate {
    std::uint32_t place;
    std::uint32_t index;
  };
  std::array<Candidate, kBatch + 4> candidates;
  std::size_t kept = 0;
  const std::size_t mask = tier.slots.size() - 1;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t hash = gram_hash(grams[i]);
    std::size_t slot = hash >> tier.slot_shift;
    while (tier.slots[slot] != 0 && (tier.slots[slot] & ~kSlotIndex) != slot_tag(hash))
      slot = (slot + 1) & mask;
    if (tier.slots[slot] == 0) continue;
    candidates[kept] = {static_cast<std::uint32_t>(i), (tier.slots[slot] & kSlotIndex) - 1};
    __builtin_prefetch(&tier.grams[candidates[kept++].index]);
  }
  for (std::size_t i = 0; i < kept; ++i) {
    const std::uint64_t gram = grams[candidates[i].place];
    std::size_t index = candidates[i].index;
    if (tier.grams[index].bytes != gram) index = find_gram(tier, gram);
    if (index < tier.grams.size())
      compare_literals(scan, tier.grams[index], places[candidates[i].place]);
  }
}

}  // namespace assay
#endif

HWY_BEFORE_NAMESPACE();
namespace assay::HWY_NAMESPACE {

template <std::uint32_t kGramBytes>
HWY_INLINE std::uint64_t load_gram(const char* text) {
  std::uint64_t gram = 0;
  std::memcpy(&gram, text, 8);
  return first_bytes(gram, kGramBytes);
}

// Bit 0: whether the gram may be in the tables.
HWY_INLINE std::uint64_t passes(const std::uint64_t* filter, std::uint32_t shift,
                                std::uint64_t gram) {
  const std::uint64_t hash = gram_hash(gram);
  const std::uint64_t word = filter[hash >> shift];
  return (word >> ((hash >> 40) & 63)) & (word >> ((hash >> 34) & 63));
}

template <std::uint32_t kGramBytes, std::uint32_t kStride>
void scan_tier(const TierScan& scan) {
  const char* text = scan.text.data();
  const std::size_t size = scan.text.size();
  const std::uint64_t* filter = scan.tier.filter.data();
  const std::uint32_t shift = scan.tier.filter_shift;
  const auto test = [filter, shift, text](std::size_t at) {
    return passes(filter, shift, load_gram<kGramBytes>(text + at));
  };
  // Four places a turn: one jump instead of four, and four independent chains of work.
  std::array<std::uint32_t, kBatch + 4> places;
  std::size_t count = 0;
  std::size_t at = 0;
  for (; at + 3 * kStride + 8 <= size; at += 4 * kStride) {
    const std::uint64_t a = test(at);
    const std::uint64_t b = test(at + kStride);
    const std::uint64_t c = test(at + 2 * kStride);
    const std::uint64_t d = test(at + 3 * kStride);
    if (HWY_LIKELY(((a | b | c | d) & 1) == 0)) continue;
    const auto note = [&](std::uint64_t passed, std::size_t place) {
      places[count] = static_cast<std::uint32_t>(place);
      count += passed & 1;
    };
    note(a, at);
    note(b, at + kStride);
    note(c, at + 2 * kStride);
    note(d, at + 3 * kStride);
    if (count < kBatch) continue;
    look_up_batch(scan, places.data(), count);
    count = 0;
  }
  look_up_batch(scan, places.data(), count);
  count = 0;
  for (; at + kGramBytes <= size; at += kStride) places[count++] = static_cast<std::uint32_t>(at);
  look_up_batch(scan, places.data(), count);
}

void scan_here(const LiteralTables& tables, std::string_view text, std::vector<LiteralHit>& hits) {
  const TierScan long_scan{tables, tables.long_tier, text, hits};
  const TierScan short_scan{tables, tables.short_tier, text, hits};
  if (!tables.long_tier.empty()) scan_tier<kLongGramBytes, kLongStride>(long_scan);
  if (tables.short_tier.empty()) return;
  if (tables.short_tier.stride == kShortStride)
    scan_tier<kShortGramBytes, kShortStride>(short_scan);
  else
    scan_tier<kShortGramBytes, kShortestStride>(short_scan);
}

}  // namespace assay::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assay {

void scan_literals(const LiteralTables& tables, std::string_view text,
                   std::vector<LiteralHit>& hits) {
  static const auto scan =
      best_version(HWY_CHOOSE_AVX3(scan_here), HWY_CHOOSE_AVX2(scan_here),
                   HWY_CHOOSE_SSE4(scan_here), &HWY_STATIC_DISPATCH(scan_here));
  scan(tables, text, hits);
}

}  // namespace assay
#endif
