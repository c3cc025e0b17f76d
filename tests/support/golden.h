// Golden cases: inputs and expected outputs as files under tests/golden/<stage>/<case>/, found by
// glob, so that a new case is a new folder and no code.
//
//   class Read : public testing::TestWithParam<std::string> {};
//   TEST_P(Read, GivesWhatTheCaseExpects) {
//     const GoldenCase golden("read", GetParam());
//     EXPECT_TRUE(golden.matches("expected.txt", run(golden.input("rule.yaml"))));
//   }
//   INSTANTIATE_TEST_SUITE_P(Golden, Read, testing::ValuesIn(golden_cases("read")), case_name);
//
// Run with ASSAY_UPDATE_GOLDEN=1 to write the actual outputs over the expected ones.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay::test {

// The names of the folders in tests/golden/<stage>, sorted. A stage without cases is a fault of the
// test: it gives the name "no-cases-found", whose files are missing.
std::vector<std::string> golden_cases(std::string_view stage);

class GoldenCase {
 public:
  GoldenCase(std::string_view stage, std::string_view name);

  const std::string& folder() const { return folder_; }
  bool has(std::string_view file) const;
  // The content of `file`; a missing one fails the test and gives "".
  std::string input(std::string_view file) const;
  // Every file below the case's folder (or below `subfolder` of it) as {path relative to the case's
  // folder, content}, sorted.
  std::vector<std::pair<std::string, std::string>> files(std::string_view subfolder = "") const;
  // Compares with the content of `file`; a difference is shown line by line.
  testing::AssertionResult matches(std::string_view file, std::string_view actual) const;

 private:
  std::string folder_;
};

// A gtest parameter name from a case's name: letters, digits and underscores.
std::string case_name(const testing::TestParamInfo<std::string>& info);

// The content of a file; fails the test when it cannot be read.
std::string read_test_file(const std::string& path);
// What has to change in `expected` to get `actual`, line by line with three lines around: "-"
// expected, "+" actual.
std::string line_diff(std::string_view expected, std::string_view actual);

}  // namespace assay::test
