#include "engine/compile/predicate_guards.h"

#include <gtest/gtest.h>

#include <string>

#include "engine/compile/expression_compiler.h"

namespace assay {
namespace {

class PredicateGuardsTest : public testing::Test {
 protected:
  PredicateGuardsTest() {
    environment_.declare("backend", {TypeKind::string, true, {}});
    environment_.declare("size", Type::of(TypeKind::integer));
    environment_.declare("on", Type::of(TypeKind::boolean));
    environment_.declare("maybe", {TypeKind::boolean, true, {}});
    environment_.declare("any", Type());
  }

  // "backend in {fa3, null}; size not in {1}"
  std::string guards_of(const std::string& text) {
    const auto predicate = compile_expression({text, {}, false}, environment_, {});
    EXPECT_TRUE(predicate) << text;
    if (!predicate) return "does not compile";
    std::string shown;
    for (const SlotGuard& guard : guards(*predicate)) {
      if (!shown.empty()) shown += "; ";
      shown += environment_.variable(guard.slot).name;
      shown += guard.kind == SlotGuard::Kind::equals_one_of ? " in {" : " not in {";
      for (const Value& literal : guard.literals) {
        if (&literal != guard.literals.data()) shown += ", ";
        shown += show(literal);
      }
      shown += "}";
    }
    return shown;
  }
  static std::string show(const Value& value) {
    switch (value.kind()) {
      case ValueKind::string:
        return std::string(value.as_text());
      case ValueKind::integer:
        return std::to_string(value.as_integer());
      case ValueKind::boolean:
        return value.as_boolean() ? "true" : "false";
      default:
        return "null";
    }
  }

  Environment environment_;
};

TEST_F(PredicateGuardsTest, EqualityMembershipAndBooleans) {
  EXPECT_EQ(guards_of("backend == 'fa3'"), "backend in {fa3}");
  EXPECT_EQ(guards_of("'fa3' == backend"), "backend in {fa3}");
  EXPECT_EQ(guards_of("backend in ['a', 'b']"), "backend in {a, b}");
  EXPECT_EQ(guards_of("backend == null"), "backend in {null}");
  EXPECT_EQ(guards_of("backend != null"), "backend not in {null}");
  EXPECT_EQ(guards_of("!(size in [1, 2])"), "size not in {1, 2}");
  EXPECT_EQ(guards_of("on"), "on in {true}");
  EXPECT_EQ(guards_of("!on"), "on in {false}");
  EXPECT_EQ(guards_of("maybe"), "maybe in {true, null}");
}

TEST_F(PredicateGuardsTest, ConjunctionKeepsTheMostSelective) {
  EXPECT_EQ(guards_of("size != 1 && backend in ['a', 'b'] && size == 4 && any > 3"), "size in {4}");
  EXPECT_EQ(guards_of("any > 3 && size != 1"), "size not in {1}");
}

TEST_F(PredicateGuardsTest, DisjunctionNeedsAllAndUnites) {
  EXPECT_EQ(guards_of("backend == 'a' || backend == 'b' || size == 1"),
            "backend in {a, b}; size in {1}");
  EXPECT_EQ(guards_of("backend == 'a' || size > 1"), "");
  EXPECT_EQ(guards_of("!(backend == 'a' && size == 1)"), "backend not in {a}; size not in {1}");
  EXPECT_EQ(guards_of("!(backend == 'a' || size == 1)"), "backend not in {a}");
}

TEST_F(PredicateGuardsTest, WhatMayFailOrIsOfAnotherTypeGuardsNothing) {
  EXPECT_EQ(guards_of("any == 1"), "");
  EXPECT_EQ(guards_of("any"), "");
  EXPECT_EQ(guards_of("size > 1"), "");
  EXPECT_EQ(guards_of("on ? backend == 'a' : false"), "");
  EXPECT_EQ(guards_of("true"), "");
}

TEST_F(PredicateGuardsTest, HoldsForUnknownAndErrorWhateverTheLiterals) {
  const SlotGuard guard = {SlotGuard::Kind::equals_one_of, 0, {Value::string("a")}};
  const SlotGuard differs = {SlotGuard::Kind::differs_from, 0, {Value::string("a")}};
  EXPECT_TRUE(holds(guard, Value::string("a")));
  EXPECT_FALSE(holds(guard, Value::null()));
  EXPECT_TRUE(holds(guard, Value::unknown({})));
  EXPECT_TRUE(holds(guard, Value::error("x")));
  EXPECT_FALSE(holds(differs, Value::string("a")));
  EXPECT_TRUE(holds(differs, Value::null()));
}

}  // namespace
}  // namespace assay
