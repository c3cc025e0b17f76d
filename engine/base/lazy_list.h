// A list that is either filled like a vector, or read from elsewhere item by item, each when it is
// first asked for. A list that is read is constant and safe to share between threads.
#pragma once

#include <atomic>
#include <compare>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "engine/base/check.h"

namespace assay {

// Where the items of a read list come from.
template <class T>
class ItemReader {
 public:
  virtual ~ItemReader() = default;
  virtual std::size_t size() const = 0;
  // Never null: a reader that cannot read an item notes that where its owner looks, and returns one
  // that does no harm. Called from any thread, for one item perhaps from several at once.
  virtual std::unique_ptr<const T> read(std::size_t at) const = 0;
};

template <class T>
class LazyList {
 public:
  using value_type = T;

  template <class List, class Item>
  class BasicIterator {
   public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = Item*;
    using reference = Item&;
    using Iterator = BasicIterator;

    BasicIterator() = default;
    BasicIterator(List* list, std::ptrdiff_t at) : list_(list), at_(at) {}
    reference operator*() const { return (*list_)[static_cast<std::size_t>(at_)]; }
    pointer operator->() const { return &**this; }
    reference operator[](difference_type offset) const { return *(*this + offset); }
    Iterator& operator++() { return *this += 1; }
    Iterator operator++(int) { return std::exchange(*this, *this + 1); }
    Iterator& operator--() { return *this -= 1; }
    Iterator operator--(int) { return std::exchange(*this, *this - 1); }
    Iterator& operator+=(difference_type offset) {
      at_ += offset;
      return *this;
    }
    Iterator& operator-=(difference_type offset) { return *this += -offset; }
    friend Iterator operator+(Iterator it, difference_type offset) { return it += offset; }
    friend Iterator operator+(difference_type offset, Iterator it) { return it += offset; }
    friend Iterator operator-(Iterator it, difference_type offset) { return it -= offset; }
    friend difference_type operator-(Iterator a, Iterator b) { return a.at_ - b.at_; }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }
    auto operator<=>(const Iterator& other) const { return at_ <=> other.at_; }

   private:
    List* list_ = nullptr;
    std::ptrdiff_t at_ = 0;
  };
  using Iterator = BasicIterator<LazyList, T>;
  using ConstIterator = BasicIterator<const LazyList, const T>;

  LazyList() = default;
  LazyList(std::initializer_list<T> items) : items_(items) {}
  LazyList(std::vector<T> items) : items_(std::move(items)) {}
  explicit LazyList(std::unique_ptr<const ItemReader<T>> reader)
      : reader_(std::move(reader)),
        read_(std::make_unique<std::atomic<const T*>[]>(reader_->size())) {}
  LazyList(LazyList&& other) noexcept
      : items_(std::move(other.items_)),
        reader_(std::move(other.reader_)),
        read_(std::move(other.read_)) {}
  LazyList& operator=(LazyList&& other) noexcept {
    LazyList(std::move(other)).swap(*this);
    return *this;
  }
  // A copy of a read list holds all of it.
  LazyList(const LazyList& other)
      : items_(other.reader_ == nullptr ? other.items_
                                        : std::vector<T>(other.begin(), other.end())) {}
  LazyList& operator=(const LazyList& other) {
    LazyList(other).swap(*this);
    return *this;
  }
  ~LazyList() {
    if (reader_ == nullptr) return;
    for (std::size_t at = 0; at < reader_->size(); ++at)
      delete read_[at].load(std::memory_order_relaxed);
  }
  void swap(LazyList& other) noexcept {
    items_.swap(other.items_);
    reader_.swap(other.reader_);
    read_.swap(other.read_);
  }

  std::size_t size() const { return reader_ == nullptr ? items_.size() : reader_->size(); }
  bool empty() const { return size() == 0; }
  const T& operator[](std::size_t at) const {
    if (reader_ == nullptr) return items_[at];
    const T* item = read_[at].load(std::memory_order_acquire);
    return item == nullptr ? read(at) : *item;
  }
  const T& front() const { return (*this)[0]; }
  const T& back() const { return (*this)[size() - 1]; }
  ConstIterator begin() const { return {this, 0}; }
  ConstIterator end() const { return {this, static_cast<std::ptrdiff_t>(size())}; }

  // For filling. The items of a list that is read must not be changed.
  T& operator[](std::size_t at) { return const_cast<T&>(std::as_const(*this)[at]); }
  T& front() { return (*this)[0]; }
  T& back() { return (*this)[size() - 1]; }
  Iterator begin() { return {this, 0}; }
  Iterator end() { return {this, static_cast<std::ptrdiff_t>(size())}; }
  void push_back(T item) { filled().push_back(std::move(item)); }
  void pop_back() { filled().pop_back(); }
  void reserve(std::size_t count) { filled().reserve(count); }

 private:
  std::vector<T>& filled() {
    ASSAY_CHECK(reader_ == nullptr, "a list that is read does not change");
    return items_;
  }
  const T& read(std::size_t at) const {
    std::unique_ptr<const T> item = reader_->read(at);
    const T* first = nullptr;
    if (read_[at].compare_exchange_strong(first, item.get(), std::memory_order_acq_rel))
      return *item.release();
    return *first;  // another thread was faster
  }

  std::vector<T> items_;
  std::unique_ptr<const ItemReader<T>> reader_;
  std::unique_ptr<std::atomic<const T*>[]> read_;
};

}  // namespace assay
