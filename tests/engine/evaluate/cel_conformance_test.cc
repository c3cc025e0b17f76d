// The public conformance cases (see tests/conformance/README.md): every case must pass but for
// those listed in known_failures.txt, and those must fail, so that the list stays true.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "engine/evaluate/eval_case.h"
#include "engine/evaluate/tagged_value.h"
#include "engine/text/json_reader.h"

namespace assay {
namespace {

std::filesystem::path cases_folder() {
  const char* shared = std::getenv("ASSAY_SHARED_DIR");
  const std::filesystem::path root =
      shared != nullptr ? shared : std::filesystem::path(ASSAY_SOURCE_DIR) / ".." / "shared";
  return root / "cel-conformance";
}

Node read_node(const std::string& json) {
  SourceSet sources;
  const SourceId source = sources.add("<case>", json);
  Result<Node> node = read_json(sources, source);
  return node ? *node : Node();
}

std::map<std::string, std::string> known_failures() {
  std::map<std::string, std::string> failures;
  std::ifstream file(std::filesystem::path(ASSAY_TESTS_DIR) / "conformance/known_failures.txt");
  std::string line;
  while (std::getline(file, line)) {
    if (line.empty() || line.starts_with('#')) continue;
    const std::size_t separator = line.find(": ");
    EXPECT_NE(separator, std::string::npos) << "a known failure needs a reason: " << line;
    failures[line.substr(0, separator)] = line.substr(separator + 2);
  }
  return failures;
}

bool passes(const Node& expected, const Node& answer) {
  const Node* value = expected.find("value");
  if (value == nullptr) return answer.find("error") != nullptr;
  const Node* found = answer.find("value");
  if (found == nullptr) return false;
  Arena arena;
  const auto a = read_tagged(*value, arena);
  const auto b = read_tagged(*found, arena);
  return a && b && tagged_json(*a) == tagged_json(*b);
}

TEST(CelConformance, PassesEveryCaseThatIsNotAKnownFailure) {
  if (!std::filesystem::is_directory(cases_folder()))
    GTEST_SKIP() << "no conformance cases at " << cases_folder() << " (set ASSAY_SHARED_DIR)";
  const auto failures = known_failures();
  std::set<std::string> failed;
  std::size_t total = 0;
  for (const auto& entry : std::filesystem::directory_iterator(cases_folder())) {
    if (entry.path().extension() != ".jsonl") continue;
    std::ifstream file(entry.path());
    std::string line;
    while (std::getline(file, line)) {
      ++total;
      const Node test_case = read_node(line);
      const Node* expected = test_case.find("expect");
      ASSERT_NE(expected, nullptr) << line;
      const std::string name = test_case.find("file")->text + "/" +
                               test_case.find("section")->text + "/" + test_case.find("name")->text;
      const std::string answer = answer_eval_case(line);
      if (passes(*expected, read_node(answer))) continue;
      failed.insert(name);
      EXPECT_TRUE(failures.contains(name)) << name << "\n  " << line << "\n  " << answer;
    }
  }
  for (const auto& [name, reason] : failures)
    EXPECT_TRUE(failed.contains(name)) << name << " passes now: take it off known_failures.txt";
  EXPECT_GE(total, 700u);
  EXPECT_LE(failed.size() * 100, total) << "at least 99 % must pass";
  std::cout << total - failed.size() << " of " << total << " conformance cases pass\n";
}

}  // namespace
}  // namespace assay
