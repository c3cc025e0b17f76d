// What the compiler writes is allowed, and of it hardly any other code.
#include "engine/compile/predicate_validator.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "engine/compile/expression_compiler.h"

namespace assay {
namespace {

constexpr std::uint32_t kSlots = 3;

Predicate compiled_predicate(const std::string& text) {
  Environment names;
  names.declare("a", Type{});
  names.declare("b", Type{});
  names.declare("c", Type{});
  auto predicate = compile_expression({text, {}, false}, names, Type{});
  EXPECT_TRUE(predicate) << text;
  return std::move(*predicate);
}

std::optional<std::uint32_t> stack_of(const Predicate& predicate,
                                      const std::vector<Instruction>& code) {
  return find_stack_size(code, predicate.constants(), predicate.patterns().size(), kSlots);
}

const char* const kExpressions[] = {
    "a == 1",
    "a == 1 && b == 2 || !(c in [1, 2])",
    "a ? b : c",
    "(a ? b : c) ? [a, b] : [c]",
    "has(a.x) && a.x.y[0] == -b",
    "a.matches('x+') || size(b) > 3",
    "a.all(x, x > 0)",
    "a.exists(x, b.exists(y, x == y && a.size() > 1))",
    "a.filter(x, x > 0).map(y, {'k': y, 'l': [y]})",
    "a.exists_one(i, x, i == 0 ? x : b)",
    "a.transformMap(k, v, v > 0, v + 1)",
    "cel.bind(x, a + b, x * x + (c ? x : 1))",
    "math.greatest(a, b, c) > 1 && a.substring(1, 2) == 'x'",
    "a.all(x, cel.bind(y, x + 1, b.exists(z, z == y ? true : x)))",
};

TEST(PredicateValidator, AllowsWhatTheCompilerWrites) {
  for (const char* text : kExpressions) {
    const Predicate predicate = compiled_predicate(text);
    const auto stack = stack_of(predicate, predicate.code());
    ASSERT_TRUE(stack) << text << "\n" << print_predicate(predicate);
    EXPECT_EQ(*stack, predicate.stack_size()) << text;
  }
}

TEST(PredicateValidator, RefusesCodeThatIsCutOff) {
  for (const char* text : kExpressions) {
    const Predicate predicate = compiled_predicate(text);
    std::vector<Instruction> code = predicate.code();
    for (code.pop_back(); !code.empty(); code.pop_back()) {
      const auto stack = stack_of(predicate, code);
      EXPECT_TRUE(!stack || *stack <= code.size()) << text;
    }
  }
  EXPECT_FALSE(find_stack_size({}, {}, 0, kSlots));
}

TEST(PredicateValidator, RefusesWhatLeadsOutOfItsLists) {
  const Predicate predicate =
      compiled_predicate("a.matches('x') && has(b.y) && c.all(x, x == 'z')");
  for (std::size_t at = 0; at < predicate.code().size(); ++at) {
    std::vector<Instruction> code = predicate.code();
    const Opcode opcode = code[at].opcode;
    const bool has_operand = opcode == Opcode::push_slot || opcode == Opcode::push_constant ||
                             opcode == Opcode::push_local || opcode == Opcode::match_pattern ||
                             opcode == Opcode::has || opcode == Opcode::jump_if_false ||
                             opcode == Opcode::loop_begin || opcode == Opcode::loop_next ||
                             opcode == Opcode::loop_step;
    if (!has_operand) continue;
    for (const std::uint32_t operand : {1000u, 0xffffffffu}) {
      code[at].operand = operand;
      EXPECT_FALSE(stack_of(predicate, code)) << at << " " << to_string(opcode);
    }
  }
}

TEST(PredicateValidator, RefusesALoopThatIsNotOfOnePiece) {
  const Predicate predicate = compiled_predicate("a.map(x, x + 1)");
  const auto refuse = [&](std::size_t at, auto change) {
    std::vector<Instruction> code = predicate.code();
    change(code[at]);
    EXPECT_FALSE(stack_of(predicate, code)) << at;
  };
  for (std::size_t at = 0; at < predicate.code().size(); ++at) {
    const Opcode opcode = predicate.code()[at].opcode;
    if (opcode < Opcode::loop_begin) continue;
    refuse(at, [](Instruction& one) { ++one.base; });
    if (opcode != Opcode::loop_end) refuse(at, [](Instruction& one) { --one.operand; });
    if (opcode != Opcode::loop_next) refuse(at, [](Instruction& one) { one.small ^= 1; });
  }
}

TEST(PredicateValidator, RefusesToReadTheInsideOfALoop) {
  const Predicate predicate = compiled_predicate("a.map(x, x)");
  std::vector<Instruction> code = predicate.code();
  for (Instruction& one : code)
    if (one.opcode == Opcode::push_local) {
      ASSERT_EQ(one.operand, 3u);
      one.operand = 2;  // the list that is being built
    }
  EXPECT_FALSE(stack_of(predicate, code));
}

TEST(PredicateValidator, RefusesAWrongNumberOfArguments) {
  const Predicate predicate = compiled_predicate("size([a, b, c])");
  std::vector<Instruction> code = predicate.code();
  for (Instruction& one : code)
    if (one.opcode == Opcode::call) one.base = 2;
  EXPECT_FALSE(stack_of(predicate, code));
}

}  // namespace
}  // namespace assay
