// The difference is the plain longest-common-subsequence table over lines after the equal head and
// tail are taken off; golden files are short. Where the rest is longer than the table may be, it is
// shown as all removed, all added.
#include "tests/support/golden.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace assay::test {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLinesAround = 3;
constexpr std::size_t kMaxTableCells = 4u << 20;

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size() - 1);
    lines.push_back(text.substr(0, end + 1));
    text.remove_prefix(end + 1);
  }
  return lines;
}

void append_line(std::string& out, char mark, std::string_view line) {
  out += mark;
  out += line;
  if (!line.ends_with('\n')) out += "  (no line end)\n";
}

using Lines = std::vector<std::string_view>;

void append_changes(std::string& out, const Lines& expected, const Lines& actual) {
  const std::size_t rows = expected.size(), columns = actual.size();
  std::vector<std::vector<std::uint32_t>> common;
  if ((rows + 1) * (columns + 1) <= kMaxTableCells) {
    common.assign(rows + 1, std::vector<std::uint32_t>(columns + 1));
    for (std::size_t i = rows; i-- > 0;)
      for (std::size_t j = columns; j-- > 0;)
        common[i][j] = expected[i] == actual[j] ? common[i + 1][j + 1] + 1
                                                : std::max(common[i + 1][j], common[i][j + 1]);
  }
  std::size_t i = 0, j = 0;
  while (i < rows || j < columns) {
    if (!common.empty() && i < rows && j < columns && expected[i] == actual[j]) {
      append_line(out, ' ', expected[i++]);
      ++j;
    } else if (i < rows &&
               (common.empty() || j == columns || common[i + 1][j] >= common[i][j + 1])) {
      append_line(out, '-', expected[i++]);
    } else {
      append_line(out, '+', actual[j++]);
    }
  }
}

bool updates_golden() {
  const char* update = std::getenv("ASSAY_UPDATE_GOLDEN");
  return update != nullptr && std::string_view(update) == "1";
}

}  // namespace

std::vector<std::string> golden_cases(std::string_view stage) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry :
       fs::directory_iterator(fs::path(ASSAY_TESTS_DIR) / "golden" / stage, ignored))
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  if (names.empty()) names.emplace_back("no-cases-found");
  std::sort(names.begin(), names.end());
  return names;
}

GoldenCase::GoldenCase(std::string_view stage, std::string_view name)
    : folder_((fs::path(ASSAY_TESTS_DIR) / "golden" / stage / name).string()) {}

bool GoldenCase::has(std::string_view file) const { return fs::exists(fs::path(folder_) / file); }

std::string GoldenCase::input(std::string_view file) const {
  return read_test_file((fs::path(folder_) / file).string());
}

std::vector<std::pair<std::string, std::string>> GoldenCase::files(
    std::string_view subfolder) const {
  std::vector<std::pair<std::string, std::string>> found;
  std::error_code ignored;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(folder_) / subfolder, ignored))
    if (entry.is_regular_file())
      found.emplace_back(fs::relative(entry.path(), folder_).generic_string(),
                         read_test_file(entry.path().string()));
  std::sort(found.begin(), found.end());
  return found;
}

testing::AssertionResult GoldenCase::matches(std::string_view file, std::string_view actual) const {
  const std::string path = (fs::path(folder_) / file).string();
  if (updates_golden()) {
    std::ofstream(path, std::ios::binary) << actual;
    return testing::AssertionSuccess();
  }
  if (!fs::exists(path))
    return testing::AssertionFailure()
           << path << " is missing; ASSAY_UPDATE_GOLDEN=1 writes it. Actual output:\n"
           << actual;
  const std::string expected = read_test_file(path);
  if (expected == actual) return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << path << " differs (- expected, + actual; ASSAY_UPDATE_GOLDEN=1 accepts):\n"
         << line_diff(expected, actual);
}

std::string case_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name;
}

std::string read_test_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    ADD_FAILURE() << "cannot read " << path;
    return {};
  }
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string line_diff(std::string_view expected, std::string_view actual) {
  const Lines a = split_lines(expected), b = split_lines(actual);
  std::size_t head = 0, tail = 0;
  const std::size_t shorter = std::min(a.size(), b.size());
  while (head < shorter && a[head] == b[head]) ++head;
  while (tail < shorter - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;

  std::string out;
  for (std::size_t i = head - std::min(head, kLinesAround); i < head; ++i)
    append_line(out, ' ', a[i]);
  const auto middle = [&](const Lines& lines) {
    return Lines(lines.begin() + static_cast<std::ptrdiff_t>(head),
                 lines.end() - static_cast<std::ptrdiff_t>(tail));
  };
  append_changes(out, middle(a), middle(b));
  for (std::size_t i = a.size() - tail; i < a.size() - tail + std::min(tail, kLinesAround); ++i)
    append_line(out, ' ', a[i]);
  return out;
}

}  // namespace assay::test
