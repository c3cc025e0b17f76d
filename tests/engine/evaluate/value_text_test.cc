#include "engine/evaluate/value_text.h"

#include <gtest/gtest.h>

#include <limits>

namespace assay {
namespace {

TEST(PythonText, PrintsScalarsAsPythonDoes) {
  EXPECT_EQ(python_str(Value::null()), "None");
  EXPECT_EQ(python_str(Value::boolean(true)), "True");
  EXPECT_EQ(python_str(Value::integer(-3)), "-3");
  EXPECT_EQ(python_str(Value::real(1)), "1.0");
  EXPECT_EQ(python_str(Value::real(-0.0)), "-0.0");
  EXPECT_EQ(python_str(Value::real(0.1)), "0.1");
  EXPECT_EQ(python_str(Value::real(0.0001)), "0.0001");
  EXPECT_EQ(python_str(Value::real(0.00001)), "1e-05");
  EXPECT_EQ(python_str(Value::real(1e15)), "1000000000000000.0");
  EXPECT_EQ(python_str(Value::real(9999999999999998.0)), "9999999999999998.0");
  EXPECT_EQ(python_str(Value::real(1e16)), "1e+16");
  EXPECT_EQ(python_str(Value::real(1.5e300)), "1.5e+300");
  EXPECT_EQ(python_str(Value::real(std::numeric_limits<double>::infinity())), "inf");
  EXPECT_EQ(python_str(Value::real(std::numeric_limits<double>::quiet_NaN())), "nan");
}

TEST(PythonText, QuotesTextAsReprDoes) {
  EXPECT_EQ(python_str(Value::string("it's")), "it's");
  EXPECT_EQ(python_repr(Value::string("a")), "'a'");
  EXPECT_EQ(python_repr(Value::string("it's")), "\"it's\"");
  EXPECT_EQ(python_repr(Value::string("it's \"x\"")), "'it\\'s \"x\"'");
  EXPECT_EQ(python_repr(Value::string("a\n\t\\\x01\x7f")), "'a\\n\\t\\\\\\x01\\x7f'");
  EXPECT_EQ(python_repr(Value::string("gr\xc3\xb6\xc3\x9f\xe2\x80\x8b")),
            "'gr\xc3\xb6\xc3\x9f\\u200b'");
  EXPECT_EQ(python_repr(Value::bytes("a\xff'")), "b\"a\\xff'\"");
}

TEST(PythonText, NestsAsReprDoes) {
  const Value items[] = {Value::string("a"), Value::null(), Value::real(2)};
  const MapEntry entries[] = {{Value::string("k"), Value::list(items)}, {Value::integer(1), {}}};
  EXPECT_EQ(python_str(Value::map(entries)), "{'k': ['a', None, 2.0], 1: None}");
  EXPECT_EQ(python_str(Value::list({})), "[]");
}

TEST(CelLiteral, ReadsBackAsTheSameValue) {
  const Value items[] = {Value::unsigned_integer(1), Value::bytes("\xff"),  Value::string("\"\n"),
                         Value::real(1e30),          Value::boolean(false), Value::null()};
  EXPECT_EQ(cel_literal(Value::list(items)), R"([1u, b"\377", "\"\n", 1e+30, false, null])");
}

}  // namespace
}  // namespace assay
