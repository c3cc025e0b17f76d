#include "engine/base/lazy_list.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>

namespace assay {
namespace {

class Numbers final : public ItemReader<std::string> {
 public:
  explicit Numbers(std::atomic<int>& reads) : reads_(reads) {}
  std::size_t size() const override { return 100; }
  std::unique_ptr<const std::string> read(std::size_t at) const override {
    ++reads_;
    return std::make_unique<const std::string>(std::to_string(at));
  }

 private:
  std::atomic<int>& reads_;
};

TEST(LazyList, IsFilledLikeAVector) {
  LazyList<std::string> list;
  list.push_back("b");
  list.push_back("a");
  list.back() = "c";
  std::sort(list.begin(), list.end(), std::greater<>());
  EXPECT_EQ(list[0], "c");
  EXPECT_EQ(list.size(), 2u);
}

TEST(LazyList, ReadsAnItemOnceAndOnlyWhenItIsAskedFor) {
  std::atomic<int> reads = 0;
  const LazyList<std::string> list(std::make_unique<Numbers>(reads));
  EXPECT_EQ(list.size(), 100u);
  EXPECT_EQ(reads, 0);
  const std::string& item = list[7];
  EXPECT_EQ(item, "7");
  EXPECT_EQ(&list[7], &item);
  EXPECT_EQ(reads, 1);
}

TEST(LazyList, ItemsStayWhereTheyAreWhenTheListMoves) {
  std::atomic<int> reads = 0;
  LazyList<std::string> list(std::make_unique<Numbers>(reads));
  const std::string& item = list[7];
  const LazyList<std::string> moved = std::move(list);
  EXPECT_EQ(&moved[7], &item);
  EXPECT_TRUE(std::is_sorted(moved.begin(), moved.end(), [](const auto& a, const auto& b) {
    return std::stoi(a) < std::stoi(b);
  }));
}

TEST(LazyList, IsSafeToShareBetweenThreads) {
  std::atomic<int> reads = 0;
  const LazyList<std::string> list(std::make_unique<Numbers>(reads));
  std::vector<const std::string*> seen[4];
  {
    std::vector<std::jthread> threads;
    for (auto& of_one : seen)
      threads.emplace_back([&] {
        for (const std::string& item : list) of_one.push_back(&item);
      });
  }
  for (const auto& of_one : seen) EXPECT_EQ(of_one, seen[0]);
}

}  // namespace
}  // namespace assay
