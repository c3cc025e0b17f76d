#include "engine/evaluate/eval_case.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(EvalCase, AnswersInTheTaggedForm) {
  EXPECT_EQ(
      answer_eval_expression("[1, 2u, 1.5, 'a\"', b'\\xff', null, true, int]"),
      R"({"value": {"list": [{"int": "1"}, {"uint": "2"}, {"double": "1.5"}, )"
      R"({"string": "a\""}, {"bytes": [255]}, {"null": null}, {"bool": true}, {"type": "int"}]}})");
  EXPECT_EQ(
      answer_eval_expression("{'b': 1, 'a': 2}"),
      R"({"value": {"map": [[{"string": "a"}, {"int": "2"}], [{"string": "b"}, {"int": "1"}]]}})");
}

TEST(EvalCase, ReadsBindings) {
  EXPECT_EQ(answer_eval_case(R"({"expr": "a.b + x[0]", "bindings": {"a.b": {"value": {"int": "1"}},
                                 "x": {"value": {"list": [{"int": "2"}]}}}})"),
            R"({"value": {"int": "3"}})");
  EXPECT_EQ(answer_eval_case(R"({"expr": "x", "bindings": {"x": {"error": "broken"}}})"),
            R"({"error": "broken"})");
  EXPECT_EQ(answer_eval_case(R"({"expr": "x == 1 && y == 2", "bindings": {"x": {"unknown": true},
                                 "y": {"unknown": true}}})"),
            R"({"unknown": ["x", "y"]})");
  EXPECT_EQ(answer_eval_case(R"({"expr": "y", "container": "x", "bindings":
                                 {"x.y": {"value": {"bool": true}}}})"),
            R"({"value": {"bool": true}})");
}

TEST(EvalCase, UncheckedFindsOutWhenItRuns) {
  EXPECT_EQ(answer_eval_case(R"({"expr": "nope || true", "unchecked": true})"),
            R"({"value": {"bool": true}})");
  EXPECT_EQ(answer_eval_case(R"({"expr": "nope"})"), R"({"error": "1:1: `nope` is not declared"})");
}

TEST(EvalCase, LineThatIsNoCaseIsAnsweredWithAnError) {
  for (const std::string_view line :
       {"", "x", "[]", "{}", R"({"expr": 1})", R"({"expr": "1", "bindings": {"x": {}}})",
        R"({"expr": "1", "bindings": {"x": {"value": {"int": "a"}}}})",
        R"({"expr": "1", "bindings": {"x": 3}})", R"({"expr": "1", "bindings": 3})"})
    EXPECT_EQ(answer_eval_case(line).substr(0, 9),
              line.ends_with(": 3}") ? R"({"value":)" : R"({"error":)")
        << line;
}

TEST(EvalCase, ValueThatPrintsWithoutEndIsAnError) {
  std::string sharing = "v30";
  for (int i = 30; i > 0; --i)
    sharing = "cel.bind(v" + std::to_string(i) + ", [" +
              (i == 1 ? "1, 1" : "v" + std::to_string(i - 1) + ", v" + std::to_string(i - 1)) +
              "], " + sharing + ")";
  EXPECT_EQ(answer_eval_expression(sharing),
            "{\"error\": \"the evaluation took more than it may (time or memory)\"}");
}

}  // namespace
}  // namespace assay
