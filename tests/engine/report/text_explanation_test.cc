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
  explanation.errors.push_back(
      {&record,
       17,
       13,
       "ValueError: ...",
       "tokenspeed_mla backend requires kv-cache-dtype=fp8_e4m3, got bf16.",
       {{"kv_cache_dtype", "bf16"}, {"2", "no line"}},
       8});
  explanation.errors.push_back({&carrier, 3, 1, "x", "Scheduler hit an exception", {}, 1});
  const test::GoldenCase golden("record_text", "found_in_log");
  EXPECT_TRUE(golden.matches("explanation.txt", write_text_explanation(explanation, {})));
}

TEST(TextExplanation, SaysWhenNothingIsKnown) {
  EXPECT_EQ(write_text_explanation({"server.log", {}, 1}, {}),
            "server.log: no known error in 1 line\n");
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
