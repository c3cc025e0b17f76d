// Every thread does the same: read the next chunk (one at a time), search it, wait until the chunks
// before it have been taken, hand it over. Chunks are equal in size, so that the wait is short; a
// thread holds one chunk, so that memory is bounded by their number.
#include "engine/evaluate/log_scan.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

namespace assay {
namespace {

class Scan {
 public:
  Scan(const MessageMatcher& matcher, LogReader& reader,
       const std::function<bool(ScannedChunk&)>& take)
      : matcher_(matcher), reader_(reader), take_(take) {}

  void work() {
    LogChunk chunk;
    for (;;) {
      std::uint64_t turn = 0;
      std::uint64_t read = 0;
      {
        const std::lock_guard lock(reading_);
        if (is_over_) return;
        Result<bool> has_more = reader_.next(chunk);
        if (!has_more) faults_ = std::move(has_more.error());
        is_over_ = !has_more || !*has_more;
        if (is_over_) return;
        turn = next_read_++;
        read = reader_.position();
      }
      ScannedChunk scanned{&chunk, matcher_.search(chunk.text()), 1, read};
      std::unique_lock lock(taking_);
      turn_came_.wait(lock, [&] { return next_taken_ == turn; });
      if (!is_stopped_) hand_over(scanned);
      ++next_taken_;
      turn_came_.notify_all();
    }
  }

  LogScanResult result() { return {lines_ + (ends_in_line_ ? 1 : 0), std::move(faults_)}; }

 private:
  void hand_over(ScannedChunk& scanned) {
    const std::string_view text = scanned.chunk->text();
    if (text.empty()) return;
    scanned.first_line = lines_ + 1;
    leave_out_known(scanned);
    for (MessageMatch& match : scanned.found.matches) match.line += lines_;
    lines_ += scanned.found.line_feeds;  // an overlap has none: it is of a line that was cut
    ends_in_line_ = text.back() != '\n';
    if (take_(scanned)) return;
    is_stopped_ = true;
    is_over_ = true;
  }

  // Of a long line that was cut: what is in both parts was found in both.
  void leave_out_known(ScannedChunk& scanned) {
    const std::size_t overlap = scanned.chunk->overlap();
    const auto place_of = [&](const MessageMatch& match) {
      const auto at = static_cast<std::size_t>(match.matched.data() - scanned.chunk->text().data());
      return std::pair(match.record, scanned.chunk->offset(at));
    };
    if (overlap > 0)
      std::erase_if(scanned.found.matches, [&](const MessageMatch& match) {
        return found_at_end_.contains(place_of(match));
      });
    found_at_end_.clear();
    if (scanned.chunk->text().ends_with('\n')) return;
    for (const MessageMatch& match : scanned.found.matches) found_at_end_.insert(place_of(match));
  }

  const MessageMatcher& matcher_;
  LogReader& reader_;
  const std::function<bool(ScannedChunk&)>& take_;

  std::atomic<bool> is_over_ = false;

  std::mutex reading_;  // guards these
  std::uint64_t next_read_ = 0;
  Diagnostics faults_;

  std::mutex taking_;  // guards these
  std::condition_variable turn_came_;
  std::uint64_t next_taken_ = 0;
  bool is_stopped_ = false;
  std::uint64_t lines_ = 0;
  bool ends_in_line_ = false;
  std::set<std::pair<const ErrorRecord*, std::uint64_t>> found_at_end_;
};

}  // namespace

LogScanResult scan_log(const MessageMatcher& matcher, LogReader& reader, unsigned threads,
                       const std::function<bool(ScannedChunk&)>& take) {
  Scan scan(matcher, reader, take);
  {
    std::vector<std::jthread> others;
    try {
      while (others.size() + 1 < threads) others.emplace_back([&scan] { scan.work(); });
    } catch (const std::system_error&) {
      // The threads that are there, and this one, do it all.
    }
    scan.work();
  }
  return scan.result();
}

}  // namespace assay
