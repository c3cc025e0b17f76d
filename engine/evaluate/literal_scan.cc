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

#include <cstring>

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

// Takes the place at `at`, where `gram` stands, if it is in the tables.
[[gnu::noinline]] inline void look_up_gram(const TierScan& scan, std::uint64_t gram,
                                           std::size_t at) {
  const LiteralTier& tier = scan.tier;
  const std::uint64_t hash = gram_hash(gram);
  const std::size_t mask = tier.slots.size() - 1;
  for (std::size_t slot = hash >> tier.slot_shift;; slot = (slot + 1) & mask) {
    const std::uint32_t entry = tier.slots[slot];
    if (entry == 0) return;
    if ((entry & ~kSlotIndex) != slot_tag(hash)) continue;
    const LiteralTier::Gram& known = tier.grams[(entry & kSlotIndex) - 1];
    if (known.bytes != gram) continue;
    const std::size_t behind = at + tier.gram_bytes;
    if (behind + 8 <= scan.text.size()) {
      std::uint64_t next = 0;
      std::memcpy(&next, scan.text.data() + behind, 8);
      if ((next & known.next_mask) != known.next) return;
    }
    for (std::uint32_t i = 0; i < known.places; ++i)
      compare_literal(scan, tier.places[known.first_place + i], at);
    return;
  }
}

}  // namespace assay
#endif

HWY_BEFORE_NAMESPACE();
namespace assay::HWY_NAMESPACE {

template <std::uint32_t kGramBytes>
HWY_INLINE std::uint64_t gram_at(const char* text) {
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
    return passes(filter, shift, gram_at<kGramBytes>(text + at));
  };
  // Four places a turn: one jump instead of four, and four independent chains of work.
  std::size_t at = 0;
  for (; at + 3 * kStride + 8 <= size; at += 4 * kStride) {
    const std::uint64_t any =
        test(at) | test(at + kStride) | test(at + 2 * kStride) | test(at + 3 * kStride);
    if (HWY_LIKELY((any & 1) == 0)) continue;
    for (std::size_t i = at; i < at + 4 * kStride; i += kStride)
      if ((test(i) & 1) != 0) look_up_gram(scan, gram_at<kGramBytes>(text + i), i);
  }
  for (; at + kGramBytes <= size; at += kStride) {
    std::uint64_t gram = 0;
    std::memcpy(&gram, text + at, kGramBytes);
    look_up_gram(scan, gram, at);
  }
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

HWY_EXPORT(scan_here);

void scan_literals(const LiteralTables& tables, std::string_view text,
                   std::vector<LiteralHit>& hits) {
  HWY_DYNAMIC_DISPATCH(scan_here)(tables, text, hits);
}

}  // namespace assay
#endif
