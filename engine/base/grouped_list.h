// A list of lists in two arrays: group g holds items()[starts()[g], starts()[g + 1]). A thousand
// short lists cost two allocations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace assay {

template <class T>
class GroupedList {
 public:
  GroupedList() = default;
  explicit GroupedList(const std::vector<std::vector<T>>& groups) {
    starts_.reserve(groups.size() + 1);
    for (const std::vector<T>& group : groups) {
      items_.insert(items_.end(), group.begin(), group.end());
      starts_.push_back(static_cast<std::uint32_t>(items_.size()));
    }
  }
  // `starts`: begins with 0, does not fall, ends with the number of items.
  GroupedList(std::vector<std::uint32_t> starts, std::vector<T> items)
      : starts_(std::move(starts)), items_(std::move(items)) {}

  std::size_t size() const { return starts_.size() - 1; }
  std::span<const T> operator[](std::size_t group) const {
    return {items_.data() + starts_[group], items_.data() + starts_[group + 1]};
  }
  const std::vector<std::uint32_t>& starts() const { return starts_; }
  const std::vector<T>& items() const { return items_; }

 private:
  std::vector<std::uint32_t> starts_{0};
  std::vector<T> items_;
};

}  // namespace assay
