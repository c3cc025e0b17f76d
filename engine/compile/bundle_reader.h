// Reads back what bundle_writer.h wrote, and believes nothing: every length, number and choice is
// held against what is there. After the first fault everything reads as zero or empty, and `finish`
// says so.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/base/grouped_list.h"
#include "engine/base/name_index.h"
#include "engine/compile/bundle_file.h"
#include "engine/compile/predicate.h"
#include "engine/text/source.h"

namespace assay {

// What the items of a bundle are read with.
struct BundleReading {
  const BundleFile* file = nullptr;
  std::string_view texts;  // the shared table
  std::uint32_t text_count = 0;
  std::string root;  // put before the names of sources
  SourceId first_source = 0;
  std::uint32_t source_count = 0;
  // Of the pack that is read; 0 before they are known.
  std::uint32_t fact_count = 0;
  std::uint32_t slot_count = 0;      // without `let` names
  std::uint32_t all_slot_count = 0;  // with them
  std::uint32_t rule_count = 0;
  const std::vector<std::uint32_t>* derived_of_fact = nullptr;

  // Checks the shared table; false when it is damaged.
  bool set_texts(std::string_view section);
  std::optional<std::string_view> text(std::uint64_t number) const;
};

class BundleReader {
 public:
  static constexpr bool kReads = true;
  // `bytes` and `reading` must outlive the reader and, since texts of values are not copied, what
  // it reads.
  BundleReader(std::string_view bytes, const BundleReading& reading)
      : at_(bytes.data()), end_(bytes.data() + bytes.size()), reading_(reading) {}

  template <class... T>
  void operator()(T&... values) {
    (get(values), ...);
  }
  void path(std::string& path) {
    path = reading_.root;
    path += text();
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64 && at_ < end_; shift += 7) {
      const auto byte = static_cast<unsigned char>(*at_++);
      value |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
    fail();
    return 0;
  }
  std::string_view text();

  // Says that what was read is nothing that can be.
  void fail() {
    has_failed_ = true;
    at_ = end_;
  }
  void expect(bool holds) {
    if (!holds) fail();
  }
  bool has_failed() const { return has_failed_; }
  // Whether everything was read, and nothing but it.
  bool finish() const { return !has_failed_ && at_ == end_; }
  const BundleReading& reading() const { return reading_; }

  // What lists and maps among the values look at; whoever keeps the values keeps it.
  Arena& memory() {
    if (memory_ == nullptr) memory_ = std::make_unique<Arena>();
    return *memory_;
  }
  std::unique_ptr<Arena> take_memory() { return std::move(memory_); }

 private:
  static constexpr int kMaxDepth = 1200;

  // How many of something that takes at least a byte each.
  std::size_t count() {
    const std::uint64_t wanted = number();
    if (wanted <= static_cast<std::size_t>(end_ - at_)) return wanted;
    fail();
    return 0;
  }
  void get(std::string& value) { value = text(); }
  void get(std::string_view& value) { value = text(); }
  void get(Span& span);
  void get(Value& value);
  void get(double& value);
  void get(bool& value) {
    const std::uint64_t read = number();
    expect(read <= 1);
    value = read == 1;
  }
  template <class T>
  void get(std::optional<T>& value) {
    bool is_there = false;
    get(is_there);
    if (is_there) get(value.emplace());
  }
  template <class A, class B>
  void get(std::pair<A, B>& both) {
    get(both.first);
    get(both.second);
  }
  void get(std::vector<bool>& items) {
    const std::size_t size = count();
    for (std::size_t at = 0; at < size; ++at) {
      bool item = false;
      get(item);
      items.push_back(item);
    }
  }
  template <class T>
  void get(std::vector<T>& items) {
    if (++depth_ > kMaxDepth) fail();
    const std::size_t size = count();
    items.reserve(std::min<std::size_t>(size, 4096));  // a lie costs little
    for (std::size_t at = 0; at < size && !has_failed_; ++at) get(items.emplace_back());
    --depth_;
  }
  template <class T>
  void get(GroupedList<T>& lists) {
    std::vector<std::uint32_t> starts{0};
    std::vector<T> items;
    const std::size_t groups = count();
    starts.reserve(std::min<std::size_t>(groups, 1 << 16));
    for (std::size_t group = 0; group < groups && !has_failed_; ++group) {
      const std::size_t size = count();
      for (std::size_t at = 0; at < size && !has_failed_; ++at) get(items.emplace_back());
      starts.push_back(static_cast<std::uint32_t>(items.size()));
    }
    lists = {std::move(starts), std::move(items)};
  }
  template <class Number>
  void get(NameIndex<Number>& index) {
    typename NameIndex<Number>::Table table;
    get(table);
    for (std::size_t at = 1; at < table.size(); ++at) expect(table[at - 1].first < table[at].first);
    if (!has_failed_) index = NameIndex<Number>(std::move(table));
  }
  template <class T>
  void get(T& value) {
    if constexpr (std::is_enum_v<T>) {
      const std::uint64_t read = number();
      expect(read >= static_cast<std::uint64_t>(first_of(T{})) &&
             read <= static_cast<std::uint64_t>(last_of(T{})));
      value = static_cast<T>(has_failed_ ? static_cast<std::uint64_t>(first_of(T{})) : read);
    } else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
      const std::uint64_t read = number();
      const auto whole = static_cast<std::int64_t>(read >> 1 ^ (0 - (read & 1)));
      value = static_cast<T>(whole);
      expect(value == whole);
    } else if constexpr (std::is_integral_v<T>) {
      const std::uint64_t read = number();
      expect(read <= std::numeric_limits<T>::max());
      value = static_cast<T>(read);
    } else {
      fields(*this, value);
    }
  }

  const char* at_;
  const char* end_;
  const BundleReading& reading_;
  std::unique_ptr<Arena> memory_;
  int depth_ = 0;
  bool has_failed_ = false;
};

// The items of a section, each read when it is asked for. One that cannot be read is noted as
// damage, and an empty one stands in its place.
template <class T>
class BundleItems final : public ItemReader<T> {
 public:
  // `reading` must outlive it.
  BundleItems(const BundleReading& reading, SectionKind kind, std::uint32_t owner)
      : reading_(reading),
        directory_(reading.file->section(kind, owner)),
        bytes_(reading.file->section(static_cast<SectionKind>(static_cast<std::uint32_t>(kind) + 1),
                                     owner)) {}

  std::size_t size() const override { return BundleFile::item_count(directory_); }
  std::unique_ptr<const T> read(std::size_t at) const override {
    auto item = read_or_null(at);
    return item == nullptr ? std::make_unique<T>() : std::move(item);
  }
  // Null for an item that cannot be read.
  std::unique_ptr<T> read_or_null(std::size_t at) const {
    auto item = std::make_unique<T>();
    const std::string_view bytes = reading_.file->item(directory_, bytes_, at);
    if (bytes.empty()) {
      reading_.file->note_damage("an item is missing");
      return nullptr;
    }
    BundleReader reader(bytes, reading_);
    reader(*item);
    take_memory(*item, reader);
    if (reader.finish()) return item;
    reading_.file->note_damage("an item is not what it should be");
    return nullptr;
  }

 private:
  static void take_memory(T& item, BundleReader& reader) {
    if constexpr (requires { item.memory; }) item.memory = reader.take_memory();
  }

  const BundleReading& reading_;
  std::string_view directory_;
  std::string_view bytes_;
};

}  // namespace assay
