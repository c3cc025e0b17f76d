#include "engine/evaluate/similar_records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace assay {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

Dataset dataset_of(std::initializer_list<std::string> messages) {
  Dataset dataset;
  for (const std::string& message : messages) {
    ErrorRecord record;
    record.slug = message;
    record.error_message = message;
    dataset.records.push_back(record);
  }
  return dataset;
}

std::string shown(const SimilarRecord& similar) {
  std::string text;
  for (const WordDifference& part : similar.difference) {
    const char* open = part.side == WordDifference::Side::both       ? ""
                       : part.side == WordDifference::Side::log_only ? "+"
                                                                     : "-";
    text += (text.empty() ? "" : " ") + (open + part.text);
  }
  return text;
}

TEST(SimilarRecords, FindsTheSameSentenceWithOtherWordsAndShowsTheDifference) {
  const Dataset dataset = dataset_of({"The block size {size} must divide the head dimension {dim}.",
                                      "The cache type must be fp8_e4m3.", "No port is free."});
  const auto found = SimilarRecords(dataset).find(
      "ValueError", "The page size 48 must divide the head dimension 128.", 3);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].record, &dataset.records[0]);
  EXPECT_LT(found[0].likeness, 1);
  EXPECT_EQ(shown(found[0]), "The -block +page size 48 must divide the head dimension 128");
}

TEST(SimilarRecords, TheSameWordsInAnotherOrderAreLessLike) {
  const Dataset dataset =
      dataset_of({"alpha beta gamma delta", "delta gamma beta alpha", "x", "y"});
  const auto found = SimilarRecords(dataset).find("", "alpha beta gamma delta", 3);
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].record, &dataset.records[0]);
  EXPECT_GT(found[0].likeness, found[1].likeness);
}

TEST(SimilarRecords, NothingInCommonGivesNothing) {
  const Dataset dataset = dataset_of({"The cache type must be fp8_e4m3."});
  const SimilarRecords records(dataset);
  EXPECT_THAT(records.find("", "socket closed unexpectedly", 3), IsEmpty());
  EXPECT_THAT(records.find("", "", 3), IsEmpty());
  EXPECT_THAT(records.find("", std::string(100'000, '\xff'), 3), IsEmpty());
}

TEST(SimilarRecords, WrappersAndRetiredRecordsAreLeftOut) {
  Dataset dataset = dataset_of({"alpha beta gamma", "alpha beta gamma"});
  dataset.records[0].is_wrapper = true;
  dataset.records[1].status = "retired";
  EXPECT_THAT(SimilarRecords(dataset).find("", "alpha beta gamma", 3), IsEmpty());
}

}  // namespace
}  // namespace assay
