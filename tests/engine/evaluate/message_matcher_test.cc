#include "engine/evaluate/message_matcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/evaluate/explanation.h"
#include "engine/evaluate/log_line.h"

namespace assay {
namespace {

using ::testing::ElementsAre;

ErrorRecord message_record(std::string slug, std::string message, std::string pattern) {
  ErrorRecord r;
  r.id = slug;
  r.slug = std::move(slug);
  r.severity = "error";
  r.error_message = std::move(message);
  r.message_pattern = std::move(pattern);
  return r;
}

Dataset two_message_dataset() {
  Dataset dataset;
  dataset.records.push_back(
      message_record("any-dtype", "{} must be {}, got {}", "(.+?) must be (.+?), got (.+?)"));
  dataset.records.push_back(message_record("kv-dtype",
                                           "kv must be torch.float8_e4m3fn, got {kv.dtype}",
                                           R"(kv must be torch\.float8_e4m3fn, got (.+?))"));
  dataset.records.push_back(message_record("cache", "backend requires fp8_e4m3, got {}.",
                                           R"(backend requires fp8_e4m3, got (.+?)\.)"));
  dataset.records.push_back(message_record("carrier", "Scheduler hit an exception: {}",
                                           "Scheduler hit an exception: (.+?)"));
  dataset.records.back().is_wrapper = true;
  dataset.records.push_back(message_record("letters", "E{}", "(E[0-9]+)"));
  dataset.records.back().context = "^\\[device\\]";
  return dataset;
}

class MatcherTest : public ::testing::Test {
 protected:
  MatcherTest() {
    auto compiled = MessageMatcher::compile(dataset_);
    EXPECT_TRUE(compiled.has_value());
    matcher_.emplace(std::move(*compiled));
  }
  std::vector<MessageMatch> find(std::string_view text) { return matcher_->find(text); }
  Explanation explain(std::string_view text) { return explain_text(*matcher_, "log", text); }

  Dataset dataset_ = two_message_dataset();
  std::optional<MessageMatcher> matcher_;
};

TEST_F(MatcherTest, FindsTheMessageAfterTheClassAndFillsItsCaptures) {
  const std::string text =
      "one\n[2026-01-02 03:04:05 TP0] x\nValueError: backend requires "
      "fp8_e4m3, got torch.bfloat16.\n";
  const auto matches = find(text);
  ASSERT_EQ(matches.size(), 1u);
  EXPECT_EQ(matches[0].record->slug, "cache");
  EXPECT_EQ(matches[0].line, 3u);
  EXPECT_EQ(text.substr(matches[0].offset, 10), "ValueError");
  EXPECT_THAT(matches[0].captures, ElementsAre("torch.bfloat16"));
}

TEST_F(MatcherTest, TheMoreSpecificRecordComesFirst) {
  const auto matches = find("kv must be torch.float8_e4m3fn, got torch.bfloat16");
  ASSERT_EQ(matches.size(), 2u);
  EXPECT_EQ(matches[0].record->slug, "kv-dtype");
  EXPECT_EQ(matches[1].record->slug, "any-dtype");
  EXPECT_THAT(matches[1].captures, ElementsAre("kv", "torch.float8_e4m3fn", "torch.bfloat16"));
}

TEST_F(MatcherTest, ARetiredRecordComesAfterOneInUse) {
  dataset_.records[1].status = "retired";
  const auto matches = find("kv must be torch.float8_e4m3fn, got torch.bfloat16");
  ASSERT_EQ(matches.size(), 2u);
  EXPECT_EQ(matches[0].record->slug, "any-dtype");
}

TEST_F(MatcherTest, CapturesStartAfterTheLogsOwnPrefix) {
  for (const std::string prefix :
       {"[2026-01-02 03:04:05 DP1 TP3] ", "ERROR 01-02 03:04:05 [core.py:270] ",
        "(APIServer pid=1) (Worker_TP3 pid=45) ERROR 01-02 03:04:05 [a.py:671] ValueError: ",
        "server-1  | [2026-01-02 03:04:05 TP0] torch.OutOfMemoryError: ",
        "2026-01-02T03:04:05.209003136Z ", "[rank0]: "}) {
    const std::string line = prefix + "q must be fp8, got bf16";
    const auto matches = find(line);
    ASSERT_EQ(matches.size(), 1u) << prefix;
    EXPECT_THAT(matches[0].captures, ElementsAre("q", "fp8", "bf16")) << prefix;
  }
}

TEST_F(MatcherTest, PydanticTailIsNoPartOfTheMessage) {
  const auto matches =
      find("  Value error, q must be fp8, got bf16 [type=value_error, input_type=ArgsKwargs]");
  ASSERT_EQ(matches.size(), 1u);
  EXPECT_EQ(matches[0].captures[2], "bf16");
}

TEST_F(MatcherTest, TerminalEscapesAndCarriageReturnsDoNotHideAMessage) {
  const std::string text =
      "50%|##|\rValueError: \x1b[1;31mbackend requires \x1b[0mfp8_e4m3, got \x1b]0;t\abf16.\r\n";
  const auto matches = find(text);
  ASSERT_EQ(matches.size(), 1u);
  EXPECT_EQ(matches[0].line, 1u);
  EXPECT_THAT(matches[0].captures, ElementsAre("bf16"));
  EXPECT_EQ(matches[0].captures[0].data() - text.data(), static_cast<long>(text.find("bf16")));
  const Explanation explanation = explain(text);
  ASSERT_EQ(explanation.errors.size(), 1u);
  EXPECT_EQ(explanation.errors[0].matched, "backend requires fp8_e4m3, got bf16.");
}

TEST_F(MatcherTest, APatternWithoutLiteralNeedsItsContext) {
  EXPECT_TRUE(find("see E57 there").empty());
  EXPECT_EQ(find("[device] E57").size(), 1u);
}

TEST_F(MatcherTest, HostileTextsAreSearchedSafely) {
  EXPECT_TRUE(find("").empty());
  EXPECT_TRUE(find("\n\r\n\r").empty());
  EXPECT_TRUE(find("\x1b").empty());
  EXPECT_TRUE(find("\x1b[").empty());
  EXPECT_TRUE(find(std::string(1000, '\x1b')).empty());
  std::string text("\0\xff\xfe", 3);
  text += "kv must be torch.float8_e4m3fn, got \xff\n";
  EXPECT_EQ(find(text).size(), 2u);
}

TEST_F(MatcherTest, ALongLineIsTakenInPiecesAndEachMessageFoundOnce) {
  std::string text(300 << 10, 'x');
  const std::string message = " backend requires fp8_e4m3, got bf16.";
  text.replace((60 << 10) + 100, message.size(), message);  // in the overlap of two pieces
  text += "\nbackend requires fp8_e4m3, got fp4.\n";
  const auto matches = find(text);
  ASSERT_EQ(matches.size(), 2u);
  EXPECT_EQ(matches[0].line, 1u);
  EXPECT_EQ(matches[1].line, 2u);
  EXPECT_THAT(matches[1].captures, ElementsAre("fp4"));
}

TEST_F(MatcherTest, ManyLinesKeepTheirNumbers) {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += "an ordinary line of a log, nothing to see\n";
  text += "backend requires fp8_e4m3, got bf16.";
  const auto matches = find(text);
  ASSERT_EQ(matches.size(), 1u);
  EXPECT_EQ(matches[0].line, 20001u);
}

TEST(MessageMatcher, AMessageOfSeveralLinesIsFoundOnceFromEachOfItsLines) {
  Dataset dataset;
  dataset.records.push_back(
      message_record("config", "Invalid configuration:\n{}", "Invalid configuration:\\n(.+?)"));
  dataset.records.push_back(message_record("quant", "Invalid {}. \nOnly these are supported: a",
                                           R"(Invalid '(.+?)'\. \nOnly these are supported: a)"));
  const auto matcher = MessageMatcher::compile(dataset);
  ASSERT_TRUE(matcher.has_value());
  const auto found = matcher->find(
      "Invalid configuration:\nInvalid configuration: 2\nx\nInvalid 'q'. \nOnly these are "
      "supported: a\n");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].line, 1u);
  EXPECT_EQ(found[0].captures[0], "Invalid configuration: 2");
  EXPECT_EQ(found[1].record->slug, "quant");
  EXPECT_EQ(found[1].line, 4u);
}

TEST(MessageMatcher, ABadPatternIsReportedAtItsPlace) {
  Dataset dataset = two_message_dataset();
  dataset.records[0].message_pattern = "(";
  dataset.records[0].pattern_span = {0, 3, 4};
  dataset.records[4].context = "[";
  const auto compiled = MessageMatcher::compile(dataset);
  ASSERT_FALSE(compiled.has_value());
  ASSERT_EQ(compiled.error().size(), 2u);
  EXPECT_EQ(compiled.error()[0].code, code::bad_pattern);
  EXPECT_EQ(compiled.error()[0].span, (Span{0, 3, 4}));
}

TEST_F(MatcherTest, ExplanationPutsTheCauseBeforeItsCarrier) {
  const Explanation explanation = explain(
      "[2026-01-02 03:04:05] Scheduler hit an exception: Traceback\n"
      "  \xc3\xa9 ValueError: kv must be torch.float8_e4m3fn, got torch.bfloat16\n"
      "ValueError: kv must be torch.float8_e4m3fn, got torch.float16\n");
  ASSERT_EQ(explanation.errors.size(), 2u);
  const ExplainedError& cause = explanation.errors[0];
  EXPECT_EQ(cause.record->slug, "kv-dtype");
  EXPECT_EQ(cause.line, 2u);
  EXPECT_EQ(cause.column, 17u);
  EXPECT_EQ(cause.count, 2u);
  ASSERT_EQ(cause.captures.size(), 1u);
  EXPECT_EQ(cause.captures[0].name, "kv.dtype");
  EXPECT_EQ(cause.captures[0].value, "torch.bfloat16");
  EXPECT_EQ(explanation.errors[1].record->slug, "carrier");
  EXPECT_EQ(explanation.lines, 3u);
}

TEST_F(MatcherTest, ExplanationPutsErrorsBeforeWarningsAndEarlierOnesFirst) {
  dataset_.records[2].severity = "warning";
  const Explanation explanation = explain(
      "backend requires fp8_e4m3, got a.\n[device] E57\nkv must be torch.float8_e4m3fn, got b\n");
  ASSERT_EQ(explanation.errors.size(), 3u);
  EXPECT_EQ(explanation.errors[0].record->slug, "letters");
  EXPECT_EQ(explanation.errors[1].record->slug, "kv-dtype");
  EXPECT_EQ(explanation.errors[2].record->slug, "cache");
}

TEST(LogLine, AnErrorQuotedInsideAnotherStaysPartOfItsMessage) {
  const LogLine line = split_log_line("RuntimeError: worker failed: ValueError: x");
  EXPECT_EQ(line.error_class, "RuntimeError");
  EXPECT_EQ(line.message, "worker failed: ValueError: x");
}

}  // namespace
}  // namespace assay
