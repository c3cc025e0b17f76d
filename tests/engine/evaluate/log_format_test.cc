// What is left of the lines of each log format once they are normalised and their prefixes are off.
#include <gtest/gtest.h>

#include "engine/evaluate/log_line.h"
#include "engine/text/log_text.h"
#include "tests/support/golden.h"

namespace assay {
namespace {

class LogFormat : public testing::TestWithParam<std::string> {};

std::string described(std::string_view log) {
  const LogText text(log);
  std::string out;
  std::vector<std::string_view> records;
  for (std::string_view rest = text.text(); !rest.empty();) {
    const auto end = rest.find_first_of("\r\n");
    split_glued_records(rest.substr(0, end), records);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    for (std::size_t i = 0; i < records.size(); ++i) {
      const LogLine line = split_log_line(records[i]);
      out += i == 0 ? "" : "glued: ";
      if (!line.error_class.empty()) out += "<" + std::string(line.error_class) + "> ";
      out += std::string(line.message) + "\n";
    }
  }
  return out;
}

TEST_P(LogFormat, LeavesTheMessage) {
  const test::GoldenCase golden("log_format", GetParam());
  EXPECT_TRUE(golden.matches("expected.txt", described(golden.input("input.log"))));
}
INSTANTIATE_TEST_SUITE_P(Golden, LogFormat, testing::ValuesIn(test::golden_cases("log_format")),
                         test::case_name);

}  // namespace
}  // namespace assay
