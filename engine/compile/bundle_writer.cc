// A text that occurs once stands where it is used, so that reading one item touches one place.
// Which texts are shared, and in what order, depends on the texts alone.
#include "engine/compile/bundle_writer.h"

#include <bit>

#include "engine/base/little_endian.h"

namespace assay {
namespace {

constexpr std::size_t kLeastShared = 4;  // a shorter one is no longer than its number

}  // namespace

std::optional<std::uint32_t> SharedTexts::use(std::string_view text) {
  if (text.size() < kLeastShared) return std::nullopt;
  auto found = texts_.find(text);
  if (is_counting_) {
    if (found == texts_.end()) found = texts_.emplace(text, Entry{}).first;
    ++found->second.uses;
    return std::nullopt;
  }
  if (found == texts_.end() || found->second.uses < 2) return std::nullopt;
  return found->second.number;
}

void SharedTexts::end_counting() {
  is_counting_ = false;
  for (auto& [text, entry] : texts_) {
    if (entry.uses < 2) continue;
    entry.number = static_cast<std::uint32_t>(shared_.size());
    shared_.push_back(text);
  }
}

std::string SharedTexts::section() const {
  std::string section;
  append_little_endian(section, static_cast<std::uint32_t>(shared_.size()));
  std::uint32_t end = 0;
  append_little_endian(section, end);
  for (const std::string_view text : shared_) {
    end += static_cast<std::uint32_t>(text.size());
    append_little_endian(section, end);
  }
  for (const std::string_view text : shared_) section += text;
  return section;
}

void BundleWriter::number(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
  bytes_ += static_cast<char>(value);
}

void BundleWriter::put_text(std::string_view text) {
  if (const auto shared = writing_.texts.use(text)) {
    number(std::uint64_t{*shared} << 1 | 1);
    return;
  }
  number(std::uint64_t{text.size()} << 1);
  bytes_ += text;
}

void BundleWriter::put_real(double value) {
  append_little_endian(bytes_, std::bit_cast<std::uint64_t>(value));
}

void BundleWriter::span(const Span& span) {
  number(span.is_known() ? std::uint64_t{span.source} - writing_.first_source + 1 : 0);
  if (!span.is_known()) return;
  number(span.begin);
  number(span.end - span.begin);
}

void BundleWriter::value(const Value& value) {
  number(static_cast<std::uint64_t>(value.kind()));
  switch (value.kind()) {
    case ValueKind::null:
      return;
    case ValueKind::boolean:
      return number(value.as_boolean() ? 1 : 0);
    case ValueKind::integer:
      return put(value.as_integer());
    case ValueKind::unsigned_integer:
      return number(value.as_unsigned());
    case ValueKind::real:
      return put_real(value.as_real());
    case ValueKind::list:
      number(value.as_list().size());
      for (const Value& item : value.as_list()) this->value(item);
      return;
    case ValueKind::map:
      number(value.as_map().size());
      for (const MapEntry& entry : value.as_map()) {
        this->value(entry.key);
        this->value(entry.value);
      }
      return;
    case ValueKind::unknown:
      number(value.as_unknown().size());
      for (const std::uint32_t slot : value.as_unknown()) number(slot);
      return;
    default:
      return put_text(value.as_text());
  }
}

}  // namespace assay
