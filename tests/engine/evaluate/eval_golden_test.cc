// tests/golden/eval/<topic>/cases.txt: one case a line, "expression => answer". The answer is a
// literal of the language, "error: message" or "unknown: names".
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "engine/compile/expression_compiler.h"
#include "engine/evaluate/eval_case.h"
#include "engine/evaluate/tagged_value.h"
#include "engine/evaluate/value_text.h"
#include "engine/text/json_reader.h"
#include "tests/support/golden.h"

namespace assay {
namespace {

// Every expression may read these.
constexpr std::string_view kBindings =
    R"("e": {"error": "first"}, "g": {"error": "second"}, "x": {"unknown": true}, "y": {"unknown": true})";

std::string evaluate_line(const std::string& expression) {
  const std::string line = R"({"expr": )" + json_string(expression) + R"(, "bindings": {)" +
                           std::string(kBindings) + "}}";
  SourceSet sources;
  const Result<Node> answer = read_json(sources, sources.add("<answer>", answer_eval_case(line)));
  if (!answer) return "no JSON";
  if (const Node* error = answer->find("error")) return "error: " + error->text;
  if (const Node* unknown = answer->find("unknown")) {
    std::string names;
    for (const Node& name : unknown->items) names += (names.empty() ? "" : ", ") + name.text;
    return "unknown: " + names;
  }
  Arena arena;
  const auto value = read_tagged(*answer->find("value"), arena);
  return value ? cel_literal(*value) : "no tagged value";
}

class Eval : public testing::TestWithParam<std::string> {};

TEST_P(Eval, AnswersEachExpressionAsTheCaseSays) {
  const test::GoldenCase golden("eval", GetParam());
  std::istringstream cases(golden.input("cases.txt"));
  std::string actual;
  std::string line;
  while (std::getline(cases, line)) {
    const std::size_t arrow = line.rfind(" => ");
    if (line.starts_with('#') || arrow == std::string::npos)
      actual += line + "\n";
    else
      actual += line.substr(0, arrow) + " => " + evaluate_line(line.substr(0, arrow)) + "\n";
  }
  EXPECT_TRUE(golden.matches("cases.txt", actual));
}

INSTANTIATE_TEST_SUITE_P(Golden, Eval, testing::ValuesIn(test::golden_cases("eval")),
                         test::case_name);

}  // namespace
}  // namespace assay
