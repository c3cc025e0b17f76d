// An image may come from a bundle that somebody altered, so everything is looked at that a scan
// goes by: that lists lie in each other without gaps or overlaps, that indices have what they name,
// that a window lies in its literal, that a search through the slots meets an empty one. That takes
// about 0.05 ms for 1,500 patterns. Whether the filter and the slots let everything through that
// they should is not looked at: wrong ones only find too little, which is what the bundle's
// checksums are for.
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

bool are_slots_sound(const LiteralTables& tables, const GramSlots& grams) {
  if (grams.empty()) return true;
  if (!is_index_size(grams.slots.size())) return false;
  bool has_empty_slot = false;
  for (const GramSlots::Slot& slot : grams.slots) {
    if (slot.window == 0)
      has_empty_slot = true;
    else if (slot.index() >= tables.windows.size() || slot.place() >= tables.stride)
      return false;
  }
  return has_empty_slot;
}

bool are_windows_sound(const LiteralTables& tables) {
  const std::size_t shortest = tables.stride + kShortGramBytes - 1;
  std::size_t first_place = 0;
  for (const LiteralTables::Window& window : tables.windows) {
    if (window.first_place != first_place || window.places > tables.places.size() - first_place)
      return false;
    first_place += window.places;
  }
  const auto is_inside = [&](const LiteralTables::Place& place) {
    if (place.literal >= tables.literals.size()) return false;
    const std::size_t length = tables.literals[place.literal].length;
    return place.offset <= length && length - place.offset >= shortest;
  };
  return first_place == tables.places.size() && std::ranges::all_of(tables.places, is_inside);
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

void set_shapes(LiteralTables& tables) {
  tables.long_grams.window_bytes = tables.stride + kLongGramBytes - 1;
  tables.short_grams.window_bytes = tables.stride + kShortGramBytes - 1;
  tables.long_grams.factor = kHashEight;
  tables.short_grams.factor = kHashFive;
  if (!tables.filter.words.empty()) tables.filter.shift = index_shift(tables.filter.words.size());
  for (GramSlots* grams : {&tables.long_grams, &tables.short_grams})
    if (!grams->empty()) grams->shift = index_shift(grams->slots.size());
}

}  // namespace

std::optional<LiteralTables> read_literal_tables(std::string_view image,
                                                 std::size_t pattern_count) {
  if (image.size() < sizeof(LiteralTablesHead) ||
      std::bit_cast<std::uintptr_t>(image.data()) % alignof(std::uint64_t) != 0)
    return std::nullopt;
  LiteralTablesHead head;
  std::memcpy(&head, image.data(), sizeof head);
  if (head.word_hash >= kWordHashes || head.is_filter_by_five > 1 ||
      (head.stride != kStride && head.stride != kShortestStride))
    return std::nullopt;
  ImageReader reader(image.substr(sizeof head));
  LiteralTables tables;
  tables.stride = head.stride;
  tables.filter.words = reader.take<std::uint64_t>(head.filter_words);
  if (head.is_filter_by_five != 0) tables.filter.bits_factor = kHashFive;
  tables.filter.word_factor = word_factor(head.word_hash);
  tables.long_grams.slots = reader.take<GramSlots::Slot>(head.long_slots);
  tables.short_grams.slots = reader.take<GramSlots::Slot>(head.short_slots);
  tables.windows = reader.take<LiteralTables::Window>(head.windows);
  tables.places = reader.take<LiteralTables::Place>(head.places);
  tables.literals = reader.take<LiteralTables::Literal>(head.literals);
  tables.patterns = reader.take<std::uint32_t>(head.patterns);
  tables.without_literal = reader.take<std::uint32_t>(head.without_literal);
  const std::span<const char> bytes = reader.take<char>(head.bytes);
  tables.bytes = {bytes.data(), bytes.size()};
  if (!reader.finish() || !are_literals_sound(tables) ||
      !are_patterns_sound(tables, pattern_count) || !are_windows_sound(tables) ||
      !are_slots_sound(tables, tables.long_grams) || !are_slots_sound(tables, tables.short_grams) ||
      (!tables.filter.words.empty() && !is_index_size(tables.filter.words.size())))
    return std::nullopt;
  set_shapes(tables);
  return tables;
}

}  // namespace assay
