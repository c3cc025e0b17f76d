// The loop of the matcher: eight bytes loaded, two multiplications, a word of the filter, three
// bits of it, on to the next multiple of the stride: about four cycles. The filter of 1,500
// literals is 64 KB. What passes it (1 % of the places in ordinary logs) is looked up: a slot holds
// a print of the whole window around a gram, so that nearly all that is left are literals.
//
// Compiled once for each instruction set by Highway. The work is scalar all the same: BMI2 has the
// shifts it needs, and a gather of eight words costs as much as eight loads on the processors
// measured.
#include "engine/evaluate/literal_scan.h"

#include <algorithm>
#include <array>
#include <bit>
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

struct ScanOutput {
  const LiteralTables& tables;
  std::string_view text;
  std::vector<LiteralHit>& hits;
  std::vector<BrokenLiteral>* broken;
};

// The window with index `index` stands at `at`.
[[gnu::noinline]] inline void compare_literals(const ScanOutput& scan, std::uint32_t index,
                                               std::size_t at) {
  const LiteralTables& tables = scan.tables;
  const LiteralTables::Window& window = tables.windows[index];
  std::size_t begin = at;
  std::size_t end = at;
  for (const auto& place : tables.places.subspan(window.first_place, window.places)) {
    const LiteralTables::Literal& literal = tables.literals[place.literal];
    const std::size_t before = std::min<std::size_t>(place.offset, at);
    const std::size_t first = at - before;
    const std::size_t last = std::min<std::size_t>(scan.text.size(), at + literal.length);
    if (before == place.offset && scan.text.size() - first >= literal.length &&
        std::memcmp(scan.text.data() + first, tables.bytes.data() + literal.begin,
                    literal.length) == 0) {
      scan.hits.push_back({place.literal, static_cast<std::uint32_t>(first)});
      continue;
    }
    begin = std::min(begin, first);
    end = std::max(end, last);
  }
  if (end > at && scan.broken != nullptr)
    scan.broken->push_back({static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(begin),
                            static_cast<std::uint32_t>(end)});
}

inline void look_up(const ScanOutput& scan, const GramSlots& grams, std::uint64_t eight,
                    std::size_t at) {
  const std::size_t mask = grams.slots.size() - 1;
  for (std::size_t i = (eight * grams.factor) >> grams.shift;; i = (i + 1) & mask) {
    const GramSlots::Slot& slot = grams.slots[i];
    if (slot.window == 0) return;
    if (at < slot.place()) continue;
    const std::size_t begin = at - slot.place();
    if (scan.text.size() - begin < grams.window_bytes) continue;
    if (window_print(scan.text.data() + begin, grams.window_bytes) == slot.print)
      compare_literals(scan, slot.index(), begin);
  }
}

// Places that passed the filter, taken together: what is looked up for one of them comes from
// memory while the others are worked on.
constexpr std::size_t kBatch = 128;
constexpr std::size_t kTurn = 8;
using Batch = std::array<std::uint32_t, kBatch + kTurn>;

[[gnu::noinline]] inline void look_up_batch(const ScanOutput& scan, const Batch& places,
                                            std::size_t count) {
  const GramSlots& longer = scan.tables.long_grams;
  const GramSlots& shorter = scan.tables.short_grams;
  std::array<std::uint64_t, kBatch + kTurn> eights;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t readable = std::min<std::size_t>(scan.text.size() - places[i], 8);
    eights[i] = 0;
    if (readable == 8)
      eights[i] = load_eight(scan.text.data() + places[i]);
    else
      std::memcpy(&eights[i], scan.text.data() + places[i], readable);
    if (!longer.empty())
      __builtin_prefetch(&longer.slots[(eights[i] * longer.factor) >> longer.shift]);
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (!longer.empty()) look_up(scan, longer, eights[i], places[i]);
    if (!shorter.empty()) look_up(scan, shorter, eights[i], places[i]);
  }
}

}  // namespace assay
#endif

HWY_BEFORE_NAMESPACE();
namespace assay::HWY_NAMESPACE {

template <std::uint32_t kStep>
void scan_at_stride(const ScanOutput& scan) {
  const char* text = scan.text.data();
  const std::size_t size = scan.text.size();
  const std::uint64_t* words = scan.tables.filter.words.data();
  const std::uint32_t shift = scan.tables.filter.shift;
  const std::uint64_t word_factor = scan.tables.filter.word_factor;
  const std::uint64_t bits_factor = scan.tables.filter.bits_factor;
  const std::uint64_t* triples = kBitTriples.data();
  // Whether the filter lets the gram through.
  const auto test = [=](std::size_t at) HWY_ATTR {
    const std::uint64_t eight = load_eight(text + at);
    const std::uint64_t word = words[(eight * word_factor) >> shift];
    return (triples[GramFilter::triple_of(eight * bits_factor)] & ~word) == 0;
  };
  // Eight places a turn: one jump instead of eight, and eight independent chains of work.
  Batch places;
  std::size_t count = 0;
  std::size_t at = 0;
  for (; at + (kTurn - 1) * kStep + 8 <= size; at += kTurn * kStep) {
    std::uint64_t passed = 0;  // the first place in the highest bit
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kTurn; ++i) passed = 2 * passed + (test(at + i * kStep) ? 1 : 0);
    if (HWY_LIKELY(passed == 0)) continue;
    for (; passed != 0; passed ^= std::bit_floor(passed))
      places[count++] =
          static_cast<std::uint32_t>(at + (kTurn - std::size_t(std::bit_width(passed))) * kStep);
    if (count < kBatch) continue;
    look_up_batch(scan, places, count);
    count = 0;
  }
  for (; at + kShortGramBytes <= size; at += kStep) {
    if (at + 8 > size || test(at)) places[count++] = static_cast<std::uint32_t>(at);
    if (count < kBatch) continue;
    look_up_batch(scan, places, count);
    count = 0;
  }
  look_up_batch(scan, places, count);
}

void scan_here(const ScanOutput& scan) {
  if (scan.tables.filter.words.empty()) return;
  if (scan.tables.stride == kStride)
    scan_at_stride<kStride>(scan);
  else
    scan_at_stride<kShortestStride>(scan);
}

}  // namespace assay::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assay {

void scan_literals(const LiteralTables& tables, std::string_view text,
                   std::vector<LiteralHit>& hits, std::vector<BrokenLiteral>* broken) {
  static const auto scan =
      best_version(HWY_CHOOSE_AVX3(scan_here), HWY_CHOOSE_AVX2(scan_here),
                   HWY_CHOOSE_SSE4(scan_here), &HWY_STATIC_DISPATCH(scan_here));
  scan({tables, text, hits, broken});
}

}  // namespace assay
#endif
