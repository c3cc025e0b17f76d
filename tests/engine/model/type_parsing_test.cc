#include "engine/model/type_parsing.h"

#include <gtest/gtest.h>

#include <string>

namespace assay {
namespace {

TEST(TypeParsing, ReadsBackWhatIsWritten) {
  for (const char* text :
       {"dyn", "null_type", "bool", "int", "uint", "double", "string", "bytes", "type", "int?",
        "list<string>", "map<string, dyn>", "list<map<string, list<int?>>>?"}) {
    const auto type = parse_type(text);
    ASSERT_TRUE(type) << text;
    EXPECT_EQ(to_string(*type), text);
  }
}

TEST(TypeParsing, TakesBlanksAndJson) {
  EXPECT_EQ(to_string(*parse_type(" map < string,dyn > ")), "map<string, dyn>");
  EXPECT_EQ(to_string(*parse_type("json")), "map<string, dyn>");
}

TEST(TypeParsing, RefusesWhatIsNoType) {
  for (const char* text : {"", "str", "list", "list<", "list<>", "list<int", "list<int>>",
                           "map<string>", "map<string dyn>", "int??", "int int", "Int"})
    EXPECT_FALSE(parse_type(text)) << text;
  std::string deep = "int";
  for (int i = 0; i < 20; ++i) deep = "list<" + deep + ">";
  EXPECT_FALSE(parse_type(deep));
  EXPECT_FALSE(parse_type(std::string(100'000, '<')));
}

}  // namespace
}  // namespace assay
