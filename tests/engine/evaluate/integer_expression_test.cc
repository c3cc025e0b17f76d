// IntegerExpression against the evaluator, on the same expressions and values.
#include "engine/compile/integer_expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "engine/compile/expression_compiler.h"
#include "engine/evaluate/predicate_evaluator.h"

namespace assay {
namespace {

constexpr std::array<std::uint32_t, 4> kSlots = {0, 1, 2, kNoSlot};

Predicate compile(const std::string& text) {
  Environment names;
  for (const char* name : {"a", "b", "c"}) names.declare(name, Type::of(TypeKind::integer));
  names.declare("x", Type::of(TypeKind::real));
  auto predicate = compile_expression({text, {}, false}, names, Type{});
  if (predicate) return std::move(*predicate);
  ADD_FAILURE() << text << ": " << predicate.error()[0].message;
  return {};
}

using State = IntegerResult::State;

TEST(IntegerExpression, AgreesWithTheEvaluator) {
  constexpr std::int64_t kNumbers[] = {0,
                                       1,
                                       -1,
                                       3,
                                       64,
                                       128,
                                       std::numeric_limits<std::int64_t>::max(),
                                       std::numeric_limits<std::int64_t>::min()};
  for (const char* text : {"a",
                           "-a",
                           "a + b",
                           "a - b",
                           "a * b",
                           "a / b",
                           "a % b",
                           "2 * a + b",
                           "a == b",
                           "a != 64",
                           "a == 64",
                           "a < b",
                           "a <= b",
                           "a > 3",
                           "a >= b",
                           "a > 0 && a % 64 == 0",
                           "a in [1, 64, 128]",
                           "a == 0 || b / a > 1",
                           "!(a == b) && (b in [3] || c > a)",
                           "a % b == 0 || a > 0",
                           "a * b > 0 && c > 0 && b > 0",
                           "a % 0 == 0 && b > 3"}) {
    const Predicate predicate = compile(text);
    const auto expression = IntegerExpression::from(predicate, kSlots);
    ASSERT_TRUE(expression.has_value()) << text;
    for (const std::int64_t a : kNumbers)
      for (const std::int64_t b : kNumbers)
        for (const std::int64_t c : {0, 5}) {
          const std::array<Value, 4> values{Value::integer(a), Value::integer(b), Value::integer(c),
                                            Value::real(0)};
          Arena memory;
          const Value expected = evaluate(predicate, values, memory);
          const std::array<IntegerResult, 3> slots{{{a}, {b}, {c}}};
          const IntegerResult found = expression->run(slots);
          const std::array<std::int64_t, 3> numbers{a, b, c};
          const auto known = expression->run_known(numbers.data());
          if (expected.is(ValueKind::error)) {
            EXPECT_EQ(found.state, State::error) << text << " at " << a << ", " << b;
            EXPECT_FALSE(known.has_value()) << text;
            continue;
          }
          const std::int64_t value =
              expected.is(ValueKind::boolean) ? expected.as_boolean() : expected.as_integer();
          ASSERT_EQ(found.state, State::value) << text << " at " << a << ", " << b;
          EXPECT_EQ(found.value, value) << text << " at " << a << ", " << b;
          if (known) {
            EXPECT_EQ(*known, value) << text << " at " << a << ", " << b;
          }
        }
  }
}

TEST(IntegerExpression, AbsorbsWhatIsUnknownAsCelDoes) {
  const auto expression = IntegerExpression::from(compile("a > 0 && b > 0"), kSlots);
  const IntegerResult unknown{0, State::unknown};
  EXPECT_EQ(expression->run(std::array<IntegerResult, 3>{{{1}, unknown, {0}}}).state,
            State::unknown);
  EXPECT_EQ(expression->run(std::array<IntegerResult, 3>{{{0}, unknown, {0}}}).state, State::value);
}

TEST(IntegerExpression, LeavesOtherCelToTheEvaluator) {
  for (const char* text : {"x > 0.5", "a > 0 ? b : c", "[a, b].exists(i, i > 0)", "string(a)"})
    EXPECT_FALSE(IntegerExpression::from(compile(text), kSlots).has_value()) << text;
}

TEST(IntegerExpression, SplitsAtItsOutermostAnds) {
  EXPECT_EQ(IntegerExpression::from(compile("a > 0 && (b == 1 || c in [2]) && !(a < b)"), kSlots)
                ->conjuncts()
                .size(),
            3U);
  EXPECT_EQ(IntegerExpression::from(compile("a > 0 && b > 0 || c > 0"), kSlots)->conjuncts().size(),
            1U);
}

TEST(IntegerExpression, PrintsAsCppOnlyWhatCannotOverflow) {
  const std::array<std::string, 3> names{"a", "b", "c"};
  EXPECT_EQ(IntegerExpression::from(compile("a > 0 && a % 64 == 0 && b in [1, 2]"), kSlots)
                ->to_cpp(names),
            "(((a > 0) && (a % 64 == 0)) && (b == 1 || b == 2))");
  for (const char* text : {"a + b == 3", "a % b == 0", "-a < 0"})
    EXPECT_FALSE(IntegerExpression::from(compile(text), kSlots)->to_cpp(names).has_value()) << text;
}

}  // namespace
}  // namespace assay
