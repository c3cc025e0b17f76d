// Writes structs as a bundle's bytes: what `fields` (bundle_fields.h) names of them, one after the
// other. Whole numbers take one byte for seven bits; texts that occur more than once in the bundle
// are numbers of the shared table.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/base/grouped_list.h"
#include "engine/base/name_index.h"
#include "engine/compile/predicate.h"
#include "engine/text/source.h"

namespace assay {

// The texts of a bundle. Everything is written twice: the first time to count them.
class SharedTexts {
 public:
  // The number of a shared text; none: it is written where it stands.
  std::optional<std::uint32_t> use(std::string_view text);
  void end_counting();
  // The shared table: how many, where each begins and the last one ends, their bytes.
  std::string section() const;

 private:
  struct Entry {
    std::uint32_t uses = 0;
    std::uint32_t number = 0;
  };
  bool is_counting_ = true;
  std::map<std::string, Entry, std::less<>> texts_;
  std::vector<std::string_view> shared_;
};

struct BundleWriting {
  SharedTexts& texts;
  std::string_view root;  // what the names of sources begin with and the bundle leaves out
  SourceId first_source = 0;
};

class BundleWriter {
 public:
  static constexpr bool kReads = false;
  explicit BundleWriter(const BundleWriting& writing) : writing_(writing) {}

  template <class... T>
  void operator()(const T&... values) {
    (put(values), ...);
  }
  // The name of a source.
  void path(const std::string& path) {
    put_text(path.starts_with(writing_.root) ? std::string_view(path).substr(writing_.root.size())
                                             : std::string_view(path));
  }
  void value(const Value& value);
  void span(const Span& span);
  void number(std::uint64_t value);
  // A text that is never shared.
  void text_in_place(std::string_view text) {
    number(std::uint64_t{text.size()} << 1);
    bytes_ += text;
  }

  std::string take() { return std::move(bytes_); }

 private:
  void put_text(std::string_view text);
  void put_real(double value);
  void put(const std::string& text) { put_text(text); }
  void put(std::string_view text) { put_text(text); }
  void put(const Span& place) { span(place); }
  void put(const Value& one) { value(one); }
  template <class T>
  void put(const std::optional<T>& one) {
    number(one ? 1 : 0);
    if (one) put(*one);
  }
  template <class A, class B>
  void put(const std::pair<A, B>& both) {
    put(both.first);
    put(both.second);
  }
  template <class T>
  void put(const std::vector<T>& items) {
    number(items.size());
    for (const auto& item : items) put(static_cast<const T&>(item));
  }
  template <class T>
  void put(const GroupedList<T>& lists) {
    number(lists.size());
    for (std::size_t group = 0; group < lists.size(); ++group) {
      number(lists[group].size());
      for (const T& item : lists[group]) put(item);
    }
  }
  template <class Number>
  void put(const NameIndex<Number>& index) {
    put(index.sorted());
  }
  template <class T>
  void put(const T& value) {
    if constexpr (std::is_same_v<T, double>) {
      put_real(value);
    } else if constexpr (std::is_enum_v<T>) {
      number(static_cast<std::uint64_t>(value));
    } else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
      number(static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63));
    } else if constexpr (std::is_integral_v<T>) {
      number(value);
    } else {
      fields(*this, const_cast<T&>(value));  // one description for both ways; a writer only reads
    }
  }

  const BundleWriting& writing_;
  std::string bytes_;
};

template <class T>
std::string written(const T& value, const BundleWriting& writing) {
  BundleWriter writer(writing);
  writer(value);
  return writer.take();
}

}  // namespace assay
