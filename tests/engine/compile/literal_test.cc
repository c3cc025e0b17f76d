#include "engine/compile/literal.h"

#include <gtest/gtest.h>

#include "engine/compile/value_comparison.h"

namespace assay {
namespace {

Node integer(std::int64_t value) {
  Node node;
  node.kind = NodeKind::integer;
  node.integer = value;
  node.real = static_cast<double>(value);
  return node;
}
Node text(std::string value) {
  Node node;
  node.kind = NodeKind::string;
  node.text = std::move(value);
  return node;
}
Node list(std::vector<Node> items) {
  Node node;
  node.kind = NodeKind::sequence;
  node.items = std::move(items);
  return node;
}

TEST(Literal, TakesTheTypeThatIsAskedForWhenItIsExact) {
  Arena arena;
  EXPECT_EQ(literal_value(integer(3), arena)->as_integer(), 3);
  EXPECT_EQ(literal_value(integer(3), arena, Type::of(TypeKind::real))->as_real(), 3.0);
  EXPECT_EQ(literal_value(integer(3), arena, Type::of(TypeKind::unsigned_integer))->as_unsigned(),
            3u);
  EXPECT_FALSE(literal_value(integer(-3), arena, Type::of(TypeKind::unsigned_integer)));
  EXPECT_FALSE(
      literal_value(integer((std::int64_t{1} << 53) + 1), arena, Type::of(TypeKind::real)));
  EXPECT_FALSE(literal_value(integer(INT64_MAX), arena, Type::of(TypeKind::real)));
  EXPECT_FALSE(literal_value(integer(3), arena, Type::of(TypeKind::string)));
  EXPECT_FALSE(literal_value(text("3"), arena, Type::of(TypeKind::integer)));
}

TEST(Literal, NullNeedsANullableType) {
  Arena arena;
  EXPECT_TRUE(literal_value(Node(), arena)->is(ValueKind::null));
  EXPECT_TRUE(literal_value(Node(), arena, {TypeKind::integer, true, {}})->is(ValueKind::null));
  EXPECT_FALSE(literal_value(Node(), arena, Type::of(TypeKind::integer)));
}

TEST(Literal, ElementsTakeTheElementsType) {
  Arena arena;
  const Type reals = Type::list_of(Type::of(TypeKind::real));
  EXPECT_EQ(literal_value(list({integer(1)}), arena, reals)->as_list()[0].as_real(), 1.0);
  EXPECT_FALSE(literal_value(list({integer(1), text("a")}), arena, reals));
}

TEST(Literal, BecomesANodeAgain) {
  Arena arena;
  Node map;
  map.kind = NodeKind::mapping;
  map.entries.push_back({"a", {}, list({integer(1), text("b"), Node()})});
  const Value value = *literal_value(map, arena);
  const auto node = value_node(value);
  ASSERT_TRUE(node);
  EXPECT_TRUE(values_equal(*literal_value(*node, arena), value));
  EXPECT_FALSE(value_node(Value::bytes("x")));
  EXPECT_FALSE(value_node(Value::error("x")));
}

TEST(Literal, CopyLooksOnlyAtItsArena) {
  Arena target;
  Value copy;
  {
    Arena source;
    copy = copy_value(*literal_value(list({text("abc")}), source), target);
  }
  EXPECT_EQ(copy.as_list()[0].as_text(), "abc");
}

}  // namespace
}  // namespace assay
