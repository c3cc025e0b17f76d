#include "engine/compile/message_template.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

Environment names() {
  Environment result;
  result.declare("x", Type::of(TypeKind::integer));
  result.declare("a.b", Type::of(TypeKind::string));
  result.declare("ok", Type::of(TypeKind::boolean));
  return result;
}

MessageTemplate compiled_template(const std::string& text, Diagnostics& faults) {
  return compile_message({text, {3, 100, 100 + static_cast<std::uint32_t>(text.size())}, true},
                         names(), faults);
}

TEST(MessageTemplate, KeepsTextAndExpressionsApart) {
  Diagnostics faults;
  const MessageTemplate result = compiled_template("got {x}, not {a.b!r}{{}}", faults);
  EXPECT_TRUE(faults.empty());
  ASSERT_EQ(result.segments.size(), 5u);
  EXPECT_EQ(result.segments[0].text, "got ");
  EXPECT_TRUE(result.segments[1].is_expression);
  EXPECT_FALSE(result.segments[1].is_repr);
  EXPECT_EQ(result.segments[3].text, "a.b");
  EXPECT_TRUE(result.segments[3].is_repr);
  EXPECT_EQ(result.segments[4].text, "{}");
}

TEST(MessageTemplate, BracesInsideAnExpressionNeedNoEscape) {
  Diagnostics faults;
  const MessageTemplate result = compiled_template("{ {\"}\": x}[\"}\"] } end", faults);
  EXPECT_TRUE(faults.empty());
  ASSERT_EQ(result.segments.size(), 2u);
  EXPECT_EQ(result.segments[1].text, " end");
}

TEST(MessageTemplate, ANegationAtTheEndIsNoConversion) {
  std::vector<TemplateFault> faults;
  const auto pieces = split_template("{ok && !r}{ok!s}", faults);
  ASSERT_EQ(pieces.size(), 2u);
  EXPECT_EQ(pieces[0].text, "ok && !r");
  EXPECT_FALSE(pieces[0].is_repr);
  EXPECT_EQ(pieces[1].text, "ok");
}

TEST(MessageTemplate, ReportsEveryFaultAtItsPlace) {
  Diagnostics faults;
  compiled_template("a } b {} c {y} d {x", faults);
  ASSERT_EQ(faults.size(), 4u);
  EXPECT_EQ(faults[0].code, code::undeclared_name);
  EXPECT_EQ(faults[0].span.begin, 100u + 12);
  EXPECT_EQ(faults[1].code, code::expression_syntax);
  EXPECT_EQ(faults[1].span, (Span{3, 102, 103}));
  EXPECT_EQ(faults[3].span.begin, 100u + 17);
}

}  // namespace
}  // namespace assay
