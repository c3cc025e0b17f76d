// From a command to its report and repairs, on a pack with the kinds of rules there are. A case is
// launch.sh, with facts.yaml (given facts) and keep.txt (arguments to keep) where it has any.
#include <gtest/gtest.h>

#include <sstream>

#include "engine/evaluate/launch_checker.h"
#include "engine/evaluate/repair_search.h"
#include "engine/read/launch_reader.h"
#include "tests/engine/evaluate/test_pack.h"
#include "tests/support/golden.h"

namespace assay::test {
namespace {

std::string repair_text(const Repair& repair) {
  std::string text = "repair: " + repair.why + "\n";
  for (const RepairChange& change : repair.changes)
    text += "  " + change.name + ", was " + change.before + ": " + change.flag + "\n";
  for (const std::string& left : repair.leaves) text += "  leaves " + left + "\n";
  return text + repair.command + "\n";
}

std::string repairs_text(const CheckReport& report) {
  std::string text;
  for (const Repair& repair : report.repairs) text += "\n" + repair_text(repair);
  if (report.partial_repair) text += "\npartial " + repair_text(*report.partial_repair);
  if (!report.no_repair_reason.empty()) text += "\nno repair: " + report.no_repair_reason + "\n";
  return text;
}

class GoldenCheck : public testing::TestWithParam<std::string> {};

TEST_P(GoldenCheck, GivesTheReportOfTheCase) {
  const GoldenCase golden("check", GetParam());
  TestPack pack = make_pack(read_test_file(ASSAY_TESTS_DIR "/golden/check_rules.txt"));
  ASSERT_NE(pack.pack, nullptr);
  const SourceId source = pack.sources.add("launch.sh", golden.input("launch.sh"));
  const RulePack* packs[] = {&pack.source()};
  Diagnostics warnings;
  auto launches = read_launches(pack.sources, source, {packs}, warnings);
  ASSERT_TRUE(launches) << launches.error().front().message;
  const auto facts = given(pack, golden.has("facts.yaml") ? golden.input("facts.yaml") : "{}");
  RepairOptions options;
  if (golden.has("keep.txt")) {
    std::istringstream names(golden.input("keep.txt"));
    for (std::string name; std::getline(names, name);)
      options.keep.insert(pack.source().schema.by_name.at(name));
  }
  const Launch& launch = launches->front();
  CheckReport report = check_launch(*pack.pack, launch, facts);
  find_repairs(*pack.pack, pack.sources, launch, facts, report, options);
  EXPECT_TRUE(golden.matches("expected.txt", report_text(report) + repairs_text(report)));

  // What is proposed is clean when it is read and checked again.
  for (const Repair& repair : report.repairs) {
    const SourceId repaired = pack.sources.add("repaired.sh", repair.command);
    auto again = read_launches(pack.sources, repaired, {packs}, warnings);
    ASSERT_TRUE(again) << repair.command;
    EXPECT_FALSE(check_launch(*pack.pack, again->front(), facts).has_violations())
        << repair.command;
  }
}

INSTANTIATE_TEST_SUITE_P(Golden, GoldenCheck, testing::ValuesIn(golden_cases("check")), case_name);

}  // namespace
}  // namespace assay::test
