#include "engine/compile/expression_compiler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "engine/text/source.h"

namespace assay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

class ExpressionCompilerTest : public testing::Test {
 protected:
  ExpressionCompilerTest() {
    attention_ = environment_.declare("attention_backend", nullable(TypeKind::string));
    tp_size_ = environment_.declare("tp_size", Type::of(TypeKind::integer));
    gpu_sm_ = environment_.declare("gpu.sm", Type::of(TypeKind::integer));
    config_ =
        environment_.declare("model.config", Type::map_of(Type::of(TypeKind::string), Type()));
    is_mla_ = environment_.declare("model.config.is_mla", Type::of(TypeKind::boolean));
    given_ = environment_.declare("given.tp_size", Type::of(TypeKind::boolean));
    env_ = environment_.declare("env.X", nullable(TypeKind::string));
    present_ = environment_.declare("present.X", Type::of(TypeKind::boolean));
    environment_.variable(tp_size_).given_slot = given_;
    environment_.variable(env_).presence_slot = present_;
  }

  static Type nullable(TypeKind kind) { return {kind, true, {}}; }

  Result<Predicate> compile(const std::string& text, const Type& expected = {},
                            const CompileOptions& options = {}) {
    const SourceId source = sources_.add("rule.yaml", "when: " + text);
    const Span span = {source, 6, static_cast<std::uint32_t>(6 + text.size())};
    return compile_expression({text, span, true}, environment_, expected, options);
  }
  // The codes and the texts that the diagnostics point at.
  std::vector<std::string> faults(const std::string& text, const Type& expected = {},
                                  const CompileOptions& options = {}) {
    const auto predicate = compile(text, expected, options);
    std::vector<std::string> found;
    if (predicate) return found;
    for (const Diagnostic& fault : predicate.error())
      found.push_back(std::string(fault.code.name) + " " +
                      std::string(sources_.text(fault.span).substr(0, 40)));
    return found;
  }

  SourceSet sources_;
  Environment environment_;
  std::uint32_t attention_, tp_size_, gpu_sm_, config_, is_mla_, given_, env_, present_;
};

TEST_F(ExpressionCompilerTest, LongestDeclaredPrefixIsTheVariable) {
  EXPECT_THAT(compile("model.config.is_mla")->slots(), ElementsAre(is_mla_));
  EXPECT_THAT(compile("model.config.rope.theta == 1")->slots(), ElementsAre(config_));
  EXPECT_EQ(compile("model.config.is_mla")->type(), Type::of(TypeKind::boolean));
}

TEST_F(ExpressionCompilerTest, VariableOfAMacroHidesAFactAndALeadingDotFindsIt) {
  EXPECT_THAT(compile("[1].exists(tp_size, tp_size == 1)")->slots(), SizeIs(0));
  EXPECT_THAT(compile("[1].exists(tp_size, .tp_size == 1)")->slots(), ElementsAre(tp_size_));
}

TEST_F(ExpressionCompilerTest, ContainerIsLookedInFirst) {
  CompileOptions options;
  options.container = "gpu.inner";
  EXPECT_THAT(compile("sm == 90", {}, options)->slots(), ElementsAre(gpu_sm_));
}

TEST_F(ExpressionCompilerTest, GivenAndHasReadTheSlotsOfTheirOwn) {
  EXPECT_THAT(compile("given(tp_size)")->slots(), ElementsAre(given_));
  EXPECT_THAT(compile("has(env.X)")->slots(), ElementsAre(present_));
  EXPECT_THAT(compile("has(model.config.kv_lora_rank)")->slots(), ElementsAre(config_));
}

TEST_F(ExpressionCompilerTest, GivenAndHasOfOtherNamesAreFaultsAtTheName) {
  EXPECT_THAT(faults("given(gpu.sm)"), ElementsAre("undeclared-name given"));
  EXPECT_THAT(faults("given(tp_sizes)"), ElementsAre("undeclared-name tp_sizes"));
  EXPECT_THAT(faults("has(gpu.sm)"), ElementsAre("undeclared-name has"));
}

TEST_F(ExpressionCompilerTest, AllNamesAndTypesThatAreWrongAreReportedAtTheirPlaces) {
  EXPECT_THAT(
      faults("tp_sise > 1 && gpu.smm > 2 && tp_size == 'a'"),
      ElementsAre("undeclared-name tp_sise", "undeclared-name gpu.smm", "type-mismatch =="));
}

TEST_F(ExpressionCompilerTest, UndeclaredNameSuggestsTheClosest) {
  const auto predicate = compile("tp_sise > 1");
  ASSERT_FALSE(predicate);
  EXPECT_THAT(predicate.error()[0].help, HasSubstr("tp_size"));
}

TEST_F(ExpressionCompilerTest, ExpectedTypeIsChecked) {
  EXPECT_THAT(faults("tp_size + 1", Type::of(TypeKind::boolean)),
              ElementsAre("type-mismatch tp_size + 1"));
  EXPECT_THAT(faults("tp_size > 1", Type::of(TypeKind::boolean)), SizeIs(0));
}

TEST_F(ExpressionCompilerTest, NullableFactsCompareWithNullAndOthersDoNot) {
  EXPECT_THAT(faults("attention_backend != null && attention_backend == 'fa3'"), SizeIs(0));
  EXPECT_THAT(faults("tp_size == null"), ElementsAre("type-mismatch =="));
}

TEST_F(ExpressionCompilerTest, UncheckedNamesFailOnlyWhenEvaluated) {
  CompileOptions options;
  options.check_types = false;
  EXPECT_THAT(faults("nope.nope(1) + 'a' || f(2)", {}, options), SizeIs(0));
}

TEST_F(ExpressionCompilerTest, FaultOfATextThatIsNotVerbatimShowsTheWholePlaceAndNamesThePart) {
  const SourceId source = sources_.add("rule.yaml", "\"tp_sise > 1\"");
  const Span span = {source, 0, 13};
  const auto predicate = compile_expression({"tp_sise > 1", span, false}, environment_, {});
  ASSERT_FALSE(predicate);
  EXPECT_EQ(predicate.error()[0].span, span);
  EXPECT_THAT(predicate.error()[0].message, HasSubstr("at `tp_sise`"));
}

TEST_F(ExpressionCompilerTest, LiteralPatternThatRe2RefusesIsAFault) {
  EXPECT_THAT(faults("'a'.matches('(')"), ElementsAre("bad-pattern '('"));
}

std::string repeated(std::string_view text, std::size_t count) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += text;
  return all;
}

TEST_F(ExpressionCompilerTest, NestingPastTheLimitIsRefusedInEveryForm) {
  constexpr std::size_t kDeep = 20000;
  for (const std::string& text :
       {repeated("(", kDeep), repeated("[", kDeep), repeated("{1:", kDeep),
        repeated("-", kDeep) + "x", repeated("!", kDeep) + "true", repeated("f(", kDeep),
        repeated("true ? 1 : ", kDeep / 2), "tp_size" + repeated(".a", kDeep),
        "tp_size" + repeated("[0]", kDeep), "1" + repeated(" + 1", kDeep / 2),
        "1" + repeated(" == 1", kDeep / 2), repeated("[1].all(x, ", kDeep / 4),
        repeated("true && (", kDeep / 4)}) {
    const auto predicate = compile(text);
    ASSERT_FALSE(predicate) << text.substr(0, 30);
    EXPECT_EQ(predicate.error()[0].code, code::expression_too_large) << text.substr(0, 30);
  }
}

// `cel.bind(a1, <value of a0>, cel.bind(a2, <value of a1>, ... size(aN)))`
std::string nested_binds(int count, std::string_view before, std::string_view after) {
  std::string text = "size(a" + std::to_string(count) + ")";
  for (int i = count; i > 0; --i) {
    const std::string inner = i == 1 ? "1" : "a" + std::to_string(i - 1);
    text = "cel.bind(a" + std::to_string(i) + ", " + std::string(before) + inner +
           std::string(after) + ", " + text + ")";
  }
  return text;
}

TEST_F(ExpressionCompilerTest, ValuesAndTypesThatNestByBindingAreBounded) {
  const std::string deep = nested_binds(100, repeated("[", 60), repeated("]", 60));
  EXPECT_THAT(faults(deep), SizeIs(testing::Ge(1u)));
  EXPECT_EQ(compile(deep).error()[0].code, code::expression_too_large);
  EXPECT_TRUE(compile(nested_binds(100, "[", "]")));
  // Each type would be twice the one before; keys that have no type in common are `dyn` instead.
  EXPECT_TRUE(compile("cel.bind(a, [1], " + nested_binds(60, "{a: a, ", ": 1}") + ")"));
  EXPECT_FALSE(compile("cel.bind(a, [1], " + nested_binds(60, "{a: a, [", "]: 1}") + ")"));
}

TEST_F(ExpressionCompilerTest, ReportsABoundedNumberOfFaults) {
  EXPECT_THAT(faults("[" + repeated("nope(no), ", 2000) + "1]"), SizeIs(50));
}

TEST_F(ExpressionCompilerTest, LongChainsOfLogicalOperatorsAreNotNesting) {
  EXPECT_TRUE(compile("true" + repeated(" && true", 4000)));
  EXPECT_TRUE(compile("(true)" + repeated(" || false", 4000)));
}

TEST_F(ExpressionCompilerTest, TooLongATextAndTooManyPartsAreRefused) {
  EXPECT_THAT(faults(repeated(" ", 70000) + "1"), ElementsAre(HasSubstr("expression-too-large")));
  EXPECT_THAT(faults("[" + repeated("1,", 20000) + "1]"),
              ElementsAre(HasSubstr("expression-too-large")));
}

TEST_F(ExpressionCompilerTest, BytesThatAreNoExpressionAreFaultsNotCrashes) {
  for (const std::string& text :
       {std::string("\0", 1), std::string("\xff\xfe"), std::string("\""), std::string("'''"),
        std::string("`"), std::string("b\"\xff\""), std::string("0x"), std::string("1e"),
        std::string("\"\\"), std::string(""), std::string("   "), std::string("// only")})
    EXPECT_THAT(faults(text), SizeIs(testing::Ge(1u))) << text;
}

TEST_F(ExpressionCompilerTest, ListsOfLiteralsAreConstantsAndLogicIsJumps) {
  EXPECT_EQ(print_predicate(*compile("attention_backend in ['a', 'b'] && tp_size > 1")),
            "0000 push_slot 0\n"
            "0001 push_constant 0 list\n"
            "0002 in 0\n"
            "0003 jump_if_false 8\n"
            "0004 push_slot 1\n"
            "0005 push_constant 1 int\n"
            "0006 greater 0\n"
            "0007 merge_and 0\n");
}

}  // namespace
}  // namespace assay
