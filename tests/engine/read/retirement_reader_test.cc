#include "engine/read/retirement_reader.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

std::string faults_text(const Diagnostics& faults) {
  std::string text;
  for (const Diagnostic& fault : faults)
    text += std::string(fault.code.name) + ": " + fault.message + "\n";
  return text;
}

Result<Retirement> read_one(std::string text) {
  SourceSet sources;
  return read_retirement(sources, sources.add("retired.yaml", std::move(text)));
}

Dataset one_record() {
  Dataset dataset;
  ErrorRecord record;
  record.id = "00000000000000a1";
  record.repo = "toy/toy";
  record.slug = "needs-fp8";
  dataset.records.push_back(std::move(record));
  dataset.by_id["00000000000000a1"] = 0;
  return dataset;
}

const std::string kRetired =
    "retired:\n"
    "  - {id: 00000000000000b2, repo: toy/toy, slug: gone, message: m, reason: r, to: "
    "00000000000000a1}\n";

TEST(RetirementReader, ReadsRetiredRecordsAndMovedSlugs) {
  const auto retirement =
      read_one(kRetired + "moved:\n  - {repo: toy/toy, slug: old, id: 00000000000000a1}\n");
  ASSERT_TRUE(retirement.has_value()) << faults_text(retirement.error());
  ASSERT_EQ(retirement->records.size(), 1u);
  EXPECT_EQ(retirement->records[0].id, "00000000000000b2");
  EXPECT_EQ(retirement->records[0].to, "00000000000000a1");
  ASSERT_EQ(retirement->slugs.size(), 1u);
  EXPECT_EQ(retirement->slugs[0].slug, "old");
  EXPECT_TRUE(check_retirement(*retirement, one_record()).empty());
}

TEST(RetirementReader, RefusesWhatIsNotOfTheForm) {
  const auto refused = read_one(
      "retired:\n"
      "  - {id: short, repo: toy/toy, slug: a, message: m, reason: r}\n"
      "  - {id: 00000000000000b2, repo: toy/toy, slug: a, message: '', reasn: r}\n"
      "moved: [x]\n");
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(faults_text(refused.error()),
            "invalid-value: `short` is no id: 16 hexadecimal digits in lower case\n"
            "unknown-key: unknown key `reasn` in a retired record\n"
            "missing-key: a retired record lacks the key `reason`\n"
            "invalid-value: `message` is empty\n"
            "duplicate-id: `a` of toy/toy is listed twice\n"
            "wrong-type: a moved slug must be a mapping, found a string\n");
}

TEST(RetirementReader, AnIdOrAddressLeadsToOnePlace) {
  const auto twice = read_one(kRetired +
                              "  - {id: 00000000000000b2, repo: toy/toy, slug: other, message: m, "
                              "reason: r}\n");
  ASSERT_FALSE(twice.has_value());
  EXPECT_EQ(faults_text(twice.error()), "duplicate-id: `00000000000000b2` is retired twice\n");

  const auto clashing = read_one(
      "retired:\n"
      "  - {id: 00000000000000a1, repo: toy/toy, slug: x, message: m, reason: r}\n"
      "  - {id: 00000000000000b2, repo: toy/toy, slug: needs-fp8, message: m, reason: r, to: "
      "00000000000000ff}\n"
      "moved:\n"
      "  - {repo: toy/toy, slug: y, id: 00000000000000fe}\n");
  ASSERT_TRUE(clashing.has_value()) << faults_text(clashing.error());
  EXPECT_EQ(faults_text(check_retirement(*clashing, one_record())),
            "duplicate-id: `00000000000000a1` is retired, and a record has it\n"
            "duplicate-id: `needs-fp8` of toy/toy is the address of a record\n"
            "unknown-record: no record has the id `00000000000000ff`\n"
            "unknown-record: no record has the id `00000000000000fe`\n");
}

}  // namespace
}  // namespace assay
