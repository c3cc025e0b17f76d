// Values are read by recursion, bounded by kMaxDepth: what packs write is at most 500 deep.
#include "engine/compile/bundle_reader.h"

#include <bit>

#include "engine/base/little_endian.h"
#include "engine/compile/value_comparison.h"

namespace assay {

bool BundleReading::set_texts(std::string_view section) {
  if (section.size() < 8) return false;
  text_count = load_little_endian<std::uint32_t>(section.data());
  const std::size_t offsets = 4 + 4 * (std::size_t{text_count} + 1);
  if (offsets > section.size()) return false;
  texts = section;
  std::uint32_t before = 0;
  for (std::uint32_t at = 0; at <= text_count; ++at) {
    const auto offset = load_little_endian<std::uint32_t>(section.data() + 4 + 4 * std::size_t{at});
    if (offset < before || offset > section.size() - offsets) return false;
    before = offset;
  }
  return true;
}

std::optional<std::string_view> BundleReading::text(std::uint64_t number) const {
  if (number >= text_count) return std::nullopt;
  const char* const entry = texts.data() + 4 + 4 * number;
  const auto begin = load_little_endian<std::uint32_t>(entry);
  const auto end = load_little_endian<std::uint32_t>(entry + 4);
  return texts.substr(4 + 4 * (std::size_t{text_count} + 1) + begin, end - begin);
}

std::string_view BundleReader::text() {
  const std::uint64_t head = number();
  if ((head & 1) != 0) {
    const auto shared = reading_.text(head >> 1);
    expect(shared.has_value());
    return shared.value_or(std::string_view());
  }
  if (head >> 1 > static_cast<std::size_t>(end_ - at_)) {
    fail();
    return {};
  }
  const std::string_view text(at_, head >> 1);
  at_ += text.size();
  return text;
}

void BundleReader::get(double& value) {
  if (end_ - at_ < 8) return fail();
  value = std::bit_cast<double>(load_little_endian<std::uint64_t>(at_));
  at_ += 8;
}

void BundleReader::get(Span& span) {
  const std::uint64_t source = number();
  span = {};
  if (source == 0) return;
  const std::uint64_t begin = number();
  const std::uint64_t size = number();
  expect(source <= reading_.source_count && begin <= 0xffffffffu && size <= 0xffffffffu - begin);
  if (has_failed_) return;
  span = {reading_.first_source + static_cast<SourceId>(source - 1),
          static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(begin + size)};
}

void BundleReader::get(Value& value) {
  const std::uint64_t kind = number();
  value = {};
  if (++depth_ > kMaxDepth || kind > static_cast<std::uint64_t>(ValueKind::unknown)) return fail();
  switch (static_cast<ValueKind>(kind)) {
    case ValueKind::null:
      break;
    case ValueKind::boolean: {
      bool read = false;
      get(read);
      value = Value::boolean(read);
      break;
    }
    case ValueKind::integer: {
      std::int64_t read = 0;
      get(read);
      value = Value::integer(read);
      break;
    }
    case ValueKind::unsigned_integer:
      value = Value::unsigned_integer(number());
      break;
    case ValueKind::real: {
      double read = 0;
      get(read);
      value = Value::real(read);
      break;
    }
    case ValueKind::string:
      value = Value::string(text());
      break;
    case ValueKind::bytes:
      value = Value::bytes(text());
      break;
    case ValueKind::type:
      value = Value::type(text());
      break;
    case ValueKind::error:
      value = Value::error(text());
      break;
    case ValueKind::list: {
      std::vector<Value> items;
      get(items);
      auto* memory = this->memory().allocate_array<Value>(items.size());
      std::copy(items.begin(), items.end(), memory);
      value = Value::list({memory, items.size()});
      break;
    }
    case ValueKind::map: {
      std::vector<std::pair<Value, Value>> entries;
      get(entries);
      auto* memory = this->memory().allocate_array<MapEntry>(entries.size());
      for (std::size_t at = 0; at < entries.size(); ++at) {
        expect(is_map_key(entries[at].first));
        memory[at] = {entries[at].first, entries[at].second};
      }
      value = Value::map({memory, entries.size()});
      break;
    }
    case ValueKind::unknown: {
      std::vector<std::uint32_t> slots;
      get(slots);
      auto* memory = this->memory().allocate_array<std::uint32_t>(slots.size());
      std::copy(slots.begin(), slots.end(), memory);
      for (std::size_t at = 0; at < slots.size(); ++at)
        expect(slots[at] < reading_.slot_count && (at == 0 || slots[at - 1] < slots[at]));
      value = Value::unknown({memory, slots.size()});
      break;
    }
  }
  --depth_;
}

}  // namespace assay
