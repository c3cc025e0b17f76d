// Hostile logs through the reader, the normaliser and the matcher: nothing crashes or hangs, places
// lie in the original, and reading in pieces finds what reading at once finds. The same texts each
// time; ASSAY_FUZZ_SECONDS=600 goes on with new ones for that long.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <random>

#include "engine/evaluate/explanation.h"
#include "engine/evaluate/log_line.h"
#include "engine/evaluate/log_scan.h"
#include "engine/evaluate/message_matcher.h"
#include "engine/text/log_text.h"

namespace assay {
namespace {

class LogFuzzer {
 public:
  explicit LogFuzzer(unsigned seed) : random_(seed) {}

  std::string log() {
    std::string text;
    const std::size_t pieces = below(60);
    for (std::size_t i = 0; i < pieces; ++i) {
      switch (below(8)) {
        case 0:
          text += std::string(below(below(20) == 0 ? 70'000 : 50), static_cast<char>(below(256)));
          break;
        case 1:
          for (std::size_t n = below(40); n > 0; --n) text += static_cast<char>(below(256));
          break;
        default:
          text += kPieces[below(kPieces.size())];
      }
    }
    for (std::size_t n = below(6); n > 0 && !text.empty(); --n)
      text[below(text.size())] = static_cast<char>(below(256));
    if (below(10) == 0 && !text.empty()) text.resize(below(text.size()));
    return text;
  }
  std::size_t below(std::size_t limit) { return random_() % limit; }

 private:
  static inline const std::vector<std::string> kPieces{
      "kv must be torch.float8_e4m3fn, got torch.bfloat16",
      "backend requires fp8_e4m3, got ",
      "Scheduler hit an exception: ",
      "ValueError: ",
      "Traceback (most recent call last):\n",
      "  File \"/a.py\", line 1, in f\n    x()\n",
      "During handling of the above exception, another exception occurred:\n",
      "python -m sglang.launch_server --tp-size 2 \\\n",
      "ServerArgs(model_path='/m', tp_size=2",
      "/home/alice/x 10.0.0.2 hf_abcdefghijklmnopqrstuv",
      "\n",
      "\n",
      "\r",
      "\r\n",
      "\x1b[1;31m",
      "\x1b[",
      "^[[0m",
      "[0;1m",
      "\x1b]0;",
      "&quot;",
      "&#x",
      "\xe2\x80\x9c",
      "{\"log\":\"",
      "\\n\",\"stream\":\"stderr\"}\n",
      "{\"message\":\"",
      "\\u001b[1m",
      "\\\"",
      "\"}\n",
      "2026-01-02T03:04:05.000000001Z stderr P ",
      "\n2026-01-02T03:04:05.000000001Z stderr F ",
      "[2026-01-02 03:04:05 TP0] ",
      "(Worker_TP1 pid=45) ERROR 01-02 03:04:05 [a.py:1] ",
      "server-1  | ",
      "Jan  2 03:04:05 host vllm[8707]: ",
      " [type=value_error]",
      "50%|#####     | 1/2 [00:01<00:01,  1.00s/it]",
      std::string("\xff\xfe", 2),
      std::string("\x1f\x8b\x08\0\0\0\0\0\0\x03", 10),
      std::string("\x28\xb5\x2f\xfd\x20", 5)};
  std::mt19937 random_;
};

Dataset small_dataset() {
  Dataset dataset;
  const auto add = [&](const char* slug, const char* pattern, const char* context) {
    ErrorRecord record;
    record.id = record.slug = slug;
    record.message_pattern = pattern;
    if (context != nullptr) record.context = context;
    dataset.records.push_back(std::move(record));
  };
  add("kv", R"(kv must be torch\.float8_e4m3fn, got (.+?))", nullptr);
  add("cache", R"(backend requires fp8_e4m3, got (.+?)\.)", nullptr);
  add("any", "(.+?) must be (.+?), got (.+?)", nullptr);
  add("class", "(\\w+) got (\\S+)$", "ValueError: ");
  add("none", "(?i)VALUEerror: (.*)", nullptr);
  add("lines", "exception: \n(.*)", nullptr);
  return dataset;
}

class LogFuzz : public ::testing::Test {
 protected:
  LogFuzz() {
    auto compiled = MessageMatcher::compile(dataset_);
    EXPECT_TRUE(compiled.has_value());
    matcher_.emplace(std::move(*compiled));
  }

  void check(std::string_view text, std::size_t at_once) {
    check_places(text);
    const std::vector<MessageMatch> whole = matcher_->find(text);
    for (const MessageMatch& match : whole) {
      ASSERT_GE(match.text.data(), text.data());
      ASSERT_LE(match.text.data() + match.text.size(), text.data() + text.size());
      ASSERT_EQ(match.text.data(), text.data() + match.offset);
    }
    const Explanation explanation =
        explain_text(*matcher_, "fuzz", text, {&similar_, true, nullptr});
    for (const ExplainedError& error : explanation.errors) {
      ASSERT_GE(error.line, 1u);
      ASSERT_LE(error.offset, text.size());
    }
    auto reader = LogReader::open(stream_of(text, at_once), "fuzz");
    if (!reader) return;
    std::size_t found = 0;
    const LogScanResult result = scan_log(*matcher_, *reader, 1, [&](ScannedChunk& scanned) {
      found += scanned.found.matches.size();
      return true;
    });
    const bool is_plain = !text.starts_with("\xff\xfe") && !text.starts_with("\xfe\xff") &&
                          !text.starts_with("\xef\xbb\xbf") && !text.starts_with("\x1f\x8b") &&
                          !text.starts_with("\x28\xb5");
    if (is_plain && result.faults.empty()) {
      EXPECT_EQ(found, whole.size());
    }
  }

  static void check_places(std::string_view text) {
    const LogText log(text);
    std::vector<std::string_view> records;
    split_glued_records(log.text().substr(0, log.text().find('\n')), records);
    std::size_t bytes = 0;
    for (const std::string_view record : records) bytes += record.size();
    ASSERT_EQ(bytes, std::min(log.text().find('\n'), log.text().size()));
    const std::size_t step = 1 + log.text().size() / 50;
    for (std::size_t at = 0; at < log.text().size(); at += step) {
      const std::string_view part = log.original(log.text().substr(at, step));
      ASSERT_GE(part.data(), text.data());
      ASSERT_LE(part.data() + part.size(), text.data() + text.size());
    }
  }

  Dataset dataset_ = small_dataset();
  const SimilarRecords similar_{dataset_};
  std::optional<MessageMatcher> matcher_;
};

TEST_F(LogFuzz, HostileLogsAreReadSafely) {
  using Clock = std::chrono::steady_clock;
  const char* seconds = std::getenv("ASSAY_FUZZ_SECONDS");
  const auto end = Clock::now() + std::chrono::seconds(seconds == nullptr ? 0 : std::atoi(seconds));
  for (unsigned seed = 0; seed < 400 || Clock::now() < end; ++seed) {
    LogFuzzer fuzzer(seed);
    const std::string text = fuzzer.log();
    SCOPED_TRACE(seed);
    check(text, 1 + fuzzer.below(5000));
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace assay
