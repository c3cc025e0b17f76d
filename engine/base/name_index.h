// From a name to a number, such as a place in a list. Filled like a map, or given as a sorted table
// that is searched as it stands.
#pragma once

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace assay {

template <class Number>
class NameIndex {
 public:
  using Table = std::vector<std::pair<std::string_view, Number>>;  // sorted by name

  // What was found: `->second` is the number.
  class Iterator {
   public:
    Iterator() = default;
    explicit Iterator(Number number) : second(number), is_end_(false) {}
    const Iterator* operator->() const { return this; }
    bool operator==(const Iterator&) const = default;

    Number second{};

   private:
    bool is_end_ = true;
  };

  NameIndex() = default;
  // The names' memory must outlive the index, which cannot be added to.
  explicit NameIndex(Table table) : table_(std::move(table)) {}

  Iterator find(std::string_view name) const {
    if (!table_.empty()) {
      const auto at = std::lower_bound(
          table_.begin(), table_.end(), name,
          [](const auto& entry, std::string_view wanted) { return entry.first < wanted; });
      return at == table_.end() || at->first != name ? Iterator() : Iterator(at->second);
    }
    const auto found = map_.find(std::string(name));
    return found == map_.end() ? Iterator() : Iterator(found->second);
  }
  Iterator end() const { return {}; }
  bool contains(std::string_view name) const { return find(name) != end(); }
  // There must be one.
  Number at(std::string_view name) const {
    const Iterator found = find(name);
    if (found == end()) throw std::out_of_range("no such name");
    return found->second;
  }
  std::size_t size() const { return table_.empty() ? map_.size() : table_.size(); }
  // All of it, sorted by name; looks into the index.
  Table sorted() const {
    if (!table_.empty()) return table_;
    Table all(map_.begin(), map_.end());
    std::sort(all.begin(), all.end());
    return all;
  }

  // A name that is there already keeps its number.
  std::pair<Iterator, bool> try_emplace(std::string name, Number number) {
    const auto [entry, is_new] = map_.try_emplace(std::move(name), number);
    return {Iterator(entry->second), is_new};
  }
  bool emplace(std::string name, Number number) {
    return try_emplace(std::move(name), number).second;
  }
  Number& operator[](std::string name) { return map_[std::move(name)]; }
  void clear() { map_.clear(); }

 private:
  std::unordered_map<std::string, Number> map_;
  Table table_;
};

}  // namespace assay
