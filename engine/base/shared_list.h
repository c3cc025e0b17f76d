// A list whose items may stand in several lists at once: a copy of the list, or an item that is
// kept for the next one, costs a pointer. Items do not change once they are in a list.
#pragma once

#include <iterator>
#include <memory>
#include <utility>
#include <vector>

namespace assay {

template <class T>
class SharedList {
 public:
  using Item = std::shared_ptr<const T>;

  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = const T*;
    using reference = const T&;

    explicit Iterator(const Item* at) : at_(at) {}
    reference operator*() const { return **at_; }
    pointer operator->() const { return at_->get(); }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    Iterator operator++(int) { return Iterator(at_++); }
    bool operator==(const Iterator&) const = default;

   private:
    const Item* at_;
  };

  void push_back(T item) { items_.push_back(std::make_shared<const T>(std::move(item))); }
  void push_back(Item item) { items_.push_back(std::move(item)); }
  // The items of a kept list, in its order.
  void append(const SharedList& other) {
    items_.insert(items_.end(), other.items_.begin(), other.items_.end());
  }
  void replace(std::size_t at, T item) { items_[at] = std::make_shared<const T>(std::move(item)); }
  void clear() { items_.clear(); }

  std::size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  const T& operator[](std::size_t at) const { return *items_[at]; }
  Iterator begin() const { return Iterator(items_.data()); }
  Iterator end() const { return Iterator(items_.data() + items_.size()); }

 private:
  std::vector<Item> items_;
};

}  // namespace assay
