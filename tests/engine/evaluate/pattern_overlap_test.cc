#include "engine/evaluate/pattern_overlap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using ::testing::HasSubstr;

ErrorRecord record(std::string slug, std::string message, std::string pattern) {
  ErrorRecord r;
  r.id = r.slug = std::move(slug);
  r.error_message = std::move(message);
  r.message_pattern = std::move(pattern);
  return r;
}

TEST(PatternOverlap, ACaseOfAMoreGeneralPatternIsShownWithALine) {
  Dataset dataset;
  dataset.records.push_back(
      record("general", "unsupported cache type {}", "unsupported cache (.+?)"));
  dataset.records.push_back(
      record("case", "unsupported cache type {x}", "unsupported cache type (.+?)"));
  const Diagnostics found = lint_overlaps(dataset);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].code, code::shadowed_pattern);
  EXPECT_THAT(found[0].message, HasSubstr("`general` is explained as `case`"));
  EXPECT_THAT(found[0].message, HasSubstr("\"unsupported cache type x1\""));
  dataset.records[0].error_message = "unsupported cache {}";
  const Diagnostics overlap = lint_overlaps(dataset);
  ASSERT_EQ(overlap.size(), 1u);
  EXPECT_EQ(overlap[0].code, code::overlapping_patterns);
  dataset.records[1].see_also.push_back({"general", "the general message"});
  EXPECT_TRUE(lint_overlaps(dataset).empty());
}

TEST(PatternOverlap, ExamplesAreLookedAtToo) {
  Dataset dataset;
  dataset.records.push_back(record("a", "first part {}", "first part of (.+?)"));
  dataset.records.push_back(record("b", "second part {}", "second part of (.+?)"));
  EXPECT_TRUE(lint_overlaps(dataset).empty());
  dataset.records[0].examples.push_back({"first part of it and second part of it", ""});
  EXPECT_EQ(lint_overlaps(dataset).size(), 1u);
}

TEST(PatternOverlap, AWrapperMayCarryAnything) {
  Dataset dataset;
  dataset.records.push_back(record("carrier", "worker failed: {}", "worker failed: (.+?)"));
  dataset.records.push_back(record("case", "worker failed: no memory", "worker failed: no memory"));
  EXPECT_EQ(lint_overlaps(dataset).size(), 1u);
  dataset.records[0].is_wrapper = true;
  EXPECT_TRUE(lint_overlaps(dataset).empty());
}

TEST(PatternOverlap, APatternThatIsRefusedIsReported) {
  Dataset dataset;
  dataset.records.push_back(record("a", "x", "("));
  ASSERT_EQ(lint_overlaps(dataset).size(), 1u);
  EXPECT_EQ(lint_overlaps(dataset)[0].code, code::bad_pattern);
}

}  // namespace
}  // namespace assay
