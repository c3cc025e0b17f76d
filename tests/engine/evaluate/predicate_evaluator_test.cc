#include "engine/evaluate/predicate_evaluator.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/compile/expression_compiler.h"
#include "engine/evaluate/value_text.h"

namespace assay {
namespace {

class PredicateEvaluatorTest : public testing::Test {
 protected:
  PredicateEvaluatorTest() {
    environment_.declare("backend", {TypeKind::string, true, {}});
    environment_.declare("size", Type::of(TypeKind::integer));
    environment_.declare("config", Type());
    environment_.declare("maybe", {TypeKind::boolean, true, {}});
  }
  Predicate compile(const std::string& text) {
    auto predicate = compile_expression({text, {}, false}, environment_, {});
    EXPECT_TRUE(predicate) << text;
    return predicate ? std::move(*predicate) : Predicate();
  }
  Value run(const std::string& text, const EvaluationLimits& limits = {}) {
    predicates_.push_back(compile(text));
    return evaluate(predicates_.back(), slots_, arena_, limits);
  }

  Environment environment_;
  std::vector<Predicate> predicates_;
  std::vector<Value> slots_ = {Value::string("fa3"), Value::integer(4), Value::null(),
                               Value::null()};
  Arena arena_;
};

TEST_F(PredicateEvaluatorTest, ReadsItsSlots) {
  EXPECT_TRUE(run("backend == 'fa3' && size in [2, 4]").is_true());
  EXPECT_TRUE(run("backend != 'fa3' || size > 4").is_false());
}

TEST_F(PredicateEvaluatorTest, BooleanPredicateAllocatesNothing) {
  EXPECT_TRUE(
      run("backend in ['fa3', 'fa4'] && size % 2 == 0 && !(size > 8) && backend.startsWith('f') && "
          "backend.matches('^fa[0-9]$')")
          .is_true());
  EXPECT_EQ(arena_.used_bytes(), 0u);
}

TEST_F(PredicateEvaluatorTest, NullWhereABoolIsNeededIsAnErrorUnlessItIsAbsorbed) {
  EXPECT_TRUE(run("maybe && true").is(ValueKind::error));
  EXPECT_TRUE(run("maybe && false").is_false());
  EXPECT_TRUE(run("maybe == null || maybe").is_true());
  EXPECT_EQ(run("config.x").as_text(), "cannot select `x` from null_type");
}

TEST_F(PredicateEvaluatorTest, UnknownSlotsAreUnited) {
  const std::uint32_t zero[] = {0};
  const std::uint32_t two_three[] = {2, 3};
  slots_[0] = Value::unknown(zero);
  slots_[2] = Value::unknown(two_three);
  const Value value = run("backend == 'a' || config == 1 || size == 5");
  ASSERT_TRUE(value.is(ValueKind::unknown));
  const std::vector<std::uint32_t> slots(value.as_unknown().begin(), value.as_unknown().end());
  EXPECT_EQ(slots, (std::vector<std::uint32_t>{0, 2, 3}));
  EXPECT_TRUE(run("backend == 'a' || size == 4").is_true());
}

TEST_F(PredicateEvaluatorTest, SlotSourceIsAskedOnlyForWhatIsRead) {
  struct Source {
    std::vector<Value> values;
    std::vector<std::uint32_t> asked;
    static const Value& get(void* self, std::uint32_t slot) {
      auto& source = *static_cast<Source*>(self);
      source.asked.push_back(slot);
      return source.values[slot];
    }
  } source{slots_, {}};
  const Predicate predicate = compile("size == 5 && backend == 'fa3'");
  EXPECT_TRUE(evaluate(predicate, SlotSource{&source, &Source::get}, arena_).is_false());
  EXPECT_EQ(source.asked, std::vector<std::uint32_t>{1});
}

TEST_F(PredicateEvaluatorTest, HostileExpressionsEndInABudgetError) {
  const std::string nested =
      "lists.range(1000).all(a, lists.range(1000).all(b, lists.range(1000).all(c, a + b + c >= "
      "0)))";
  EXPECT_TRUE(is_budget_error(run(nested)));
  EXPECT_TRUE(is_budget_error(run(nested + " || true")));
  EXPECT_TRUE(is_budget_error(run("lists.range(100000000)")));
  std::string doubling = "['x']";
  for (int i = 0; i < 40; ++i) doubling += ".map(x, x + x)";
  EXPECT_TRUE(is_budget_error(run(doubling)));
  std::string sharing = "z";
  for (int i = 40; i > 0; --i) {
    const std::string name = "v" + std::to_string(i);
    const std::string before = i == 1 ? "1" : "v" + std::to_string(i - 1);
    sharing = "cel.bind(" + name + ", [" + before + ", " + before + "], " +
              (i == 40 ? "v40 == v40" : sharing) + ")";
  }
  EXPECT_TRUE(is_budget_error(run(sharing)));
  EXPECT_TRUE(is_budget_error(run("lists.range(20000).distinct()")));
  const std::string long_text =
      "lists.range(60000).map(x, 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa').join()";
  EXPECT_TRUE(is_budget_error(run(long_text + ".contains(" + long_text + " + 'b')")));
  EXPECT_TRUE(is_budget_error(
      run("cel.bind(t, " + long_text + ", lists.range(9000).map(x, t).sort().size())")));
  EXPECT_TRUE(is_budget_error(run("lists.range(9000).all(x, 'a'.matches(dyn('a{1,900}')))")));
  EXPECT_TRUE(
      is_budget_error(run("'a'.replace('', lists.range(1000).map(x, 'aaaaaaaaaaaaaaaaaaaa').join())"
                          ".replace('a', lists.range(9000).map(x, 'bb').join())")));
}

TEST_F(PredicateEvaluatorTest, StringFunctionsAreChargedForWhatTheyScan) {
  const std::string long_text =
      "lists.range(60000).map(x, 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa').join()";
  for (const char* call :
       {"t.charAt(1900000) == 'a'", "t.substring(1900000) != ''", "t.indexOf('a', 1900000) > 0",
        "t.lastIndexOf('a', 1900000) > 0", "t.trim() != ''", "t.contains('ab') || true",
        "size(t) > 0", "t.replace('ab', '') != ''"})
    EXPECT_TRUE(is_budget_error(
        run("cel.bind(t, " + long_text + ", lists.range(20).all(x, " + call + "))")))
        << call;
  EXPECT_TRUE(is_budget_error(
      run("cel.bind(l, lists.range(90000).map(x, ''), lists.range(200).all(x, l.join() == ''))")));
}

TEST_F(PredicateEvaluatorTest, LimitsAreTheCallers) {
  EXPECT_TRUE(run("[1, 2, 3].all(x, x > 0)", {1000, 1000}).is_true());
  EXPECT_TRUE(is_budget_error(run("[1, 2, 3].all(x, x > 0)", {5, 1000})));
  EXPECT_TRUE(is_budget_error(run("backend + backend + backend", {1000, 4})));
  EXPECT_FALSE(is_budget_error(run("1 / 0")));
}

TEST_F(PredicateEvaluatorTest, DeepStacksAreTakenFromTheArena) {
  std::string deep = "size";
  for (int i = 0; i < 200; ++i) deep = "size - (" + deep + ")";
  EXPECT_EQ(run(deep).as_integer(), 4);
}

TEST_F(PredicateEvaluatorTest, ValuesOfTheResultOutliveTheEvaluation) {
  EXPECT_EQ(cel_literal(run("[backend + 'x', 'y'].map(s, {s: size})")),
            R"([{"fa3x": 4}, {"y": 4}])");
}

}  // namespace
}  // namespace assay
