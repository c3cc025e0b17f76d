#include "engine/evaluate/log_scan.h"

#include <gtest/gtest.h>

#include <optional>

namespace assay {
namespace {

class LogScanTest : public ::testing::Test {
 protected:
  LogScanTest() {
    ErrorRecord record;
    record.id = record.slug = "oom";
    record.message_pattern = "tried to allocate (.+?) of memory";
    dataset_.records.push_back(record);
    auto compiled = MessageMatcher::compile(dataset_);
    EXPECT_TRUE(compiled.has_value());
    matcher_.emplace(std::move(*compiled));
  }

  struct Found {
    std::uint64_t line;
    std::uint64_t offset;
    std::string capture;
    auto operator<=>(const Found&) const = default;
  };

  std::vector<Found> scan(std::string_view text, unsigned threads) {
    auto reader = LogReader::open(stream_of(text, 10'000), "a.log");
    EXPECT_TRUE(reader.has_value());
    std::vector<Found> found;
    result_ = scan_log(*matcher_, *reader, threads, [&](ScannedChunk& scanned) {
      for (const MessageMatch& match : scanned.found.matches)
        found.push_back(
            {match.line, scanned.chunk->offset(match.offset), std::string(match.captures[0])});
      return found.size() < stop_after_;
    });
    return found;
  }

  Dataset dataset_;
  std::optional<MessageMatcher> matcher_;
  LogScanResult result_;
  std::size_t stop_after_ = SIZE_MAX;
};

TEST_F(LogScanTest, ManyThreadsFindWhatOneFindsInItsOrder) {
  std::string text;
  std::vector<Found> expected;
  for (std::uint64_t line = 1; line <= 60'000; ++line) {
    if (line % 997 == 0) {
      expected.push_back({line, text.size(), std::to_string(line) + " GiB"});
      text += "tried to allocate " + expected.back().capture + " of memory\n";
    } else {
      text += "[2026-01-02 03:04:05] an ordinary line " + std::to_string(line) + "\n";
    }
  }
  for (const unsigned threads : {1u, 2u, 5u}) {
    EXPECT_EQ(scan(text, threads), expected) << threads;
    EXPECT_EQ(result_.lines, 60'000u);
    EXPECT_TRUE(result_.faults.empty());
  }
}

TEST_F(LogScanTest, AMessageInALineOfMegabytesIsFoundOnce) {
  std::string text = "first\n" + std::string(3 << 20, 'x') + "\nlast";
  const std::string message = "tried to allocate 2 GiB of memory";
  for (const std::size_t at :
       {std::size_t{70'000}, LogReader::kChunkBytes - 10, std::size_t{2} << 20})
    text.replace(at, message.size(), message);
  const auto found = scan(text, 2);
  ASSERT_EQ(found.size(), 3u);
  for (const Found& one : found) EXPECT_EQ(one.line, 2u);
  EXPECT_EQ(result_.lines, 3u);
}

TEST_F(LogScanTest, StopsWhenTheTakerHasEnough) {
  std::string text;
  for (int i = 0; i < 100'000; ++i)
    text += "tried to allocate " + std::to_string(i) + " of memory\n";
  stop_after_ = 1;
  const auto found = scan(text, 3);
  EXPECT_GE(found.size(), 1u);
  EXPECT_LT(found.size(), 100'000u);
}

}  // namespace
}  // namespace assay
