// An image may come from a bundle that somebody altered, so everything is looked at that a scan
// goes by: that lists lie in each other without gaps or overlaps, that indices have what they name,
// that a gram stands in its literal where it is said to, that a search through the slots meets an
// empty one. That takes about 0.2 ms for 1,500 patterns. Whether the filter lets everything
// through that it should is not looked at: a wrong one only finds too little, which is what the
// bundle's checksums are for.
#include "engine/compile/literal_tables.h"

#include <algorithm>
#include <cstring>

namespace assay {
namespace {

class ImageReader {
 public:
  explicit ImageReader(std::string_view image) : rest_(image) {}

  template <class T>
  std::span<const T> take(std::uint32_t count) {
    const std::size_t size = std::size_t{count} * sizeof(T);
    if (size > rest_.size()) is_whole_ = false;
    if (!is_whole_) return {};
    const std::span<const T> taken(reinterpret_cast<const T*>(rest_.data()), count);
    rest_.remove_prefix(size);
    return taken;
  }
  // Whether all was there, and nothing else.
  bool finish() const { return is_whole_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool is_whole_ = true;
};

bool is_index_size(std::size_t size) { return size >= 2 && std::has_single_bit(size); }

bool is_gram_sound(const LiteralTables& tables, const LiteralTier& tier,
                   const LiteralTier::Gram& gram, std::size_t first_place) {
  if (gram.first_place != first_place || gram.places() == 0) return false;
  if (gram.places() > tier.places.size() - first_place || gram.next_bytes() > 8) return false;
  for (const LiteralTier::Place& place : tier.places.subspan(first_place, gram.places())) {
    if (place.literal >= tables.literals.size()) return false;
    const std::string_view literal = tables.text(tables.literals[place.literal]);
    if (place.offset > literal.size() || literal.size() - place.offset < tier.gram_bytes)
      return false;
    if (gram_at(literal, place.offset, tier.gram_bytes) != gram.bytes) return false;
  }
  return true;
}

bool is_tier_sound(const LiteralTables& tables, const LiteralTier& tier) {
  if (tier.empty()) return tier.filter.empty() && tier.slots.empty() && tier.places.empty();
  if (!is_index_size(tier.filter.size()) || !is_index_size(tier.slots.size())) return false;
  bool has_empty_slot = false;
  for (const std::uint32_t slot : tier.slots) {
    const std::uint32_t index = slot & kSlotIndex;
    if (slot == 0)
      has_empty_slot = true;
    else if (index == 0 || index > tier.grams.size())
      return false;
  }
  std::size_t first_place = 0;
  for (const LiteralTier::Gram& gram : tier.grams) {
    if (!is_gram_sound(tables, tier, gram, first_place)) return false;
    first_place += gram.places();
  }
  return has_empty_slot && first_place == tier.places.size();
}

bool are_literals_sound(const LiteralTables& tables) {
  std::size_t begin = 0;
  std::size_t first_pattern = 0;
  for (const LiteralTables::Literal& literal : tables.literals) {
    if (literal.begin != begin || literal.length > tables.bytes.size() - begin) return false;
    if (literal.first_pattern != first_pattern ||
        literal.patterns > tables.patterns.size() - first_pattern)
      return false;
    begin += literal.length;
    first_pattern += literal.patterns;
  }
  return begin == tables.bytes.size() && first_pattern == tables.patterns.size();
}

bool are_patterns_sound(const LiteralTables& tables, std::size_t pattern_count) {
  const auto is_one = [pattern_count](std::uint32_t pattern) { return pattern < pattern_count; };
  return tables.patterns.size() + tables.without_literal.size() == pattern_count &&
         std::ranges::all_of(tables.patterns, is_one) &&
         std::ranges::all_of(tables.without_literal, is_one);
}

void set_shifts(LiteralTier& tier) {
  if (tier.empty()) return;
  tier.filter_shift = index_shift(tier.filter.size());
  tier.slot_shift = index_shift(tier.slots.size());
}

}  // namespace

std::uint64_t gram_at(std::string_view text, std::size_t at, std::uint32_t gram_bytes) {
  std::uint64_t eight = 0;
  std::memcpy(&eight, text.data() + at, gram_bytes);
  return first_bytes(eight, gram_bytes);
}

std::optional<LiteralTables> read_literal_tables(std::string_view image,
                                                 std::size_t pattern_count) {
  if (image.size() < sizeof(LiteralTablesHead) ||
      std::bit_cast<std::uintptr_t>(image.data()) % alignof(std::uint64_t) != 0)
    return std::nullopt;
  LiteralTablesHead head;
  std::memcpy(&head, image.data(), sizeof head);
  if (head.zero != 0 || (head.short_stride != kShortStride && head.short_stride != kShortestStride))
    return std::nullopt;
  ImageReader reader(image.substr(sizeof head));
  LiteralTables tables;
  LiteralTier& longer = tables.long_tier;
  LiteralTier& shorter = tables.short_tier;
  longer.gram_bytes = kLongGramBytes;
  longer.stride = kLongStride;
  shorter.gram_bytes = kShortGramBytes;
  shorter.stride = head.short_stride;
  longer.filter = reader.take<std::uint64_t>(head.long_tier.filter_words);
  longer.grams = reader.take<LiteralTier::Gram>(head.long_tier.grams);
  shorter.filter = reader.take<std::uint64_t>(head.short_tier.filter_words);
  shorter.grams = reader.take<LiteralTier::Gram>(head.short_tier.grams);
  longer.slots = reader.take<std::uint32_t>(head.long_tier.slots);
  longer.places = reader.take<LiteralTier::Place>(head.long_tier.places);
  shorter.slots = reader.take<std::uint32_t>(head.short_tier.slots);
  shorter.places = reader.take<LiteralTier::Place>(head.short_tier.places);
  tables.literals = reader.take<LiteralTables::Literal>(head.literals);
  tables.patterns = reader.take<std::uint32_t>(head.patterns);
  tables.without_literal = reader.take<std::uint32_t>(head.without_literal);
  const std::span<const char> bytes = reader.take<char>(head.bytes);
  tables.bytes = {bytes.data(), bytes.size()};
  if (!reader.finish() || !are_literals_sound(tables) ||
      !are_patterns_sound(tables, pattern_count) || !is_tier_sound(tables, longer) ||
      !is_tier_sound(tables, shorter))
    return std::nullopt;
  set_shifts(longer);
  set_shifts(shorter);
  return tables;
}

}  // namespace assay
