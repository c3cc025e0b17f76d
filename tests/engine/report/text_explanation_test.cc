#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/report/text_report.h"
#include "tests/engine/report/report_sample.h"
#include "tests/support/golden.h"

namespace assay {
namespace {

using ::testing::HasSubstr;

TEST(TextExplanation, TellsTheErrorItsPlaceAndWhatToDo) {
  const ErrorRecord record = sample_record();
  ErrorRecord carrier = sample_record();
  carrier.is_wrapper = true;
  Explanation explanation;
  explanation.source = "server.log";
  explanation.lines = 120;
  explanation.found = CauseFound::known;
  explanation.errors.push_back(
      {&record,
       17,
       13,
       "ValueError: ...",
       "tokenspeed_mla backend requires kv-cache-dtype=fp8_e4m3, got bf16.",
       {{"kv_cache_dtype", "bf16"}, {"2", "no line"}},
       8});
  ExplainedError& cause = explanation.errors[0];
  cause.role = ErrorRole::cause;
  cause.confidence = Confidence::certain;
  cause.why = "The only known error that carries no other.";
  cause.process = "TP0";
  cause.ranks = {"TP0", "TP1"};
  cause.file = "sglang/attention.py";
  cause.function = "build";
  explanation.errors.push_back({&carrier, 3, 1, "x", "Scheduler hit an exception", {}, 1});
  explanation.errors[1].role = ErrorRole::wrapper;
  explanation.errors[1].why = "It only carries another error.";
  const test::GoldenCase golden("record_text", "found_in_log");
  EXPECT_TRUE(golden.matches("explanation.txt", write_text_explanation(explanation, {})));
}

TEST(TextExplanation, SaysWhenNothingIsKnown) {
  Explanation explanation;
  explanation.source = "server.log";
  explanation.lines = 1;
  EXPECT_EQ(write_text_explanation(explanation, {}), "server.log: no known error in 1 line\n");
}

TEST(TextExplanation, ShowsWhatToFetchWhenTheCauseIsNotInTheText) {
  const ErrorRecord record = sample_record();
  Explanation explanation;
  explanation.source = "server.log";
  explanation.lines = 12;
  explanation.found = CauseFound::not_in_text;
  explanation.fetch = {"The lines above", "The other node's log"};
  explanation.errors.push_back({&record, 3, 1, "x", "Engine core failed", {}, 1});
  explanation.errors[0].role = ErrorRole::wrapper;
  const test::GoldenCase golden("record_text", "not_in_text");
  EXPECT_TRUE(golden.matches("explanation.txt", write_text_explanation(explanation, {})));
}

TEST(TextExplanation, ShowsTheNearestRecordsOfAnUnknownErrorAndHowTheyDiffer) {
  const ErrorRecord record = sample_record();
  Explanation explanation;
  explanation.source = "server.log";
  explanation.lines = 12;
  explanation.found = CauseFound::unknown;
  ExplainedError error;
  error.line = 3;
  error.column = 1;
  error.count = 1;
  error.error_class = "ValueError";
  error.matched = "the other backend requires fp8";
  error.role = ErrorRole::cause;
  error.confidence = Confidence::possible;
  error.similar.push_back({&record,
                           0.718,
                           {{WordDifference::Side::both, "the"},
                            {WordDifference::Side::record_only, "tokenspeed_mla"},
                            {WordDifference::Side::log_only, "other"},
                            {WordDifference::Side::both, "backend requires"}}});
  explanation.errors.push_back(error);
  const test::GoldenCase golden("record_text", "unknown_error");
  EXPECT_TRUE(golden.matches("explanation.txt", write_text_explanation(explanation, {})));
}

TEST(TextExplanation, SaysThatAnAsynchronousFaultsPlaceIsNotTheCause) {
  const ErrorRecord record = sample_record();
  Explanation explanation;
  explanation.found = CauseFound::known;
  explanation.errors.push_back({&record, 3, 1, "x", "illegal memory access", {}, 1});
  explanation.errors[0].is_asynchronous = true;
  EXPECT_THAT(write_text_explanation(explanation, {}), HasSubstr("CUDA_LAUNCH_BLOCKING=1"));
}

TEST(TextExplanation, NothingOfAHostileLogReachesTheTerminal) {
  const std::string hostile = "\x1b[2J\x07\xff\u202e";
  Explanation explanation;
  explanation.source = hostile;
  explanation.found = CauseFound::unknown;
  ExplainedError error;
  error.matched = error.error_class = error.process = error.file = error.function = error.why =
      hostile;
  explanation.errors = {error, error};
  explanation.fetch = {hostile};
  EXPECT_EQ(write_text_explanation(explanation, {}).find('\x1b'), std::string::npos);
}

TEST(TextRule, ShowsConditionMessageAndFixes) {
  const test::GoldenCase golden("record_text", "rule");
  EXPECT_TRUE(golden.matches("rule.txt", write_text_rule(sample_rule(), {})));
}

TEST(TextRecord, ShowsTheSectionsOfThePage) {
  const test::GoldenCase golden("record_text", "whole_record");
  EXPECT_TRUE(golden.matches("record.txt", write_text_record(sample_record(), {})));
}

TEST(TextRecord, ARetiredRecordNamesItsSuccessor) {
  ErrorRecord record = sample_record();
  record.status = "retired";
  record.replaced_by = "f1f5ada3bbfdb861";
  EXPECT_THAT(write_text_record(record, {}), HasSubstr("retired: see f1f5ada3bbfdb861"));
}

}  // namespace
}  // namespace assay
