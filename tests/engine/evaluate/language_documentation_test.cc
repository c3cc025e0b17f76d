// rules/LANGUAGE.md and the table of functions agree.
#include <gtest/gtest.h>

#include <string>

#include "engine/compile/cel_functions.h"
#include "tests/support/golden.h"

namespace assay {
namespace {

TEST(LanguageDocumentation, NamesEveryFunction) {
  const std::string text =
      test::read_test_file(std::string(ASSAY_SOURCE_DIR) + "/rules/LANGUAGE.md");
  for (const FunctionOverload& overload : function_overloads())
    EXPECT_NE(text.find(overload.name), std::string::npos) << overload.name;
}

}  // namespace
}  // namespace assay
