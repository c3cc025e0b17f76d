#include "engine/report/fix_example.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

std::string marks(const Phrase& phrase) {
  std::string text;
  for (const Inline& part : phrase)
    text += part.kind == Inline::Kind::text ? part.text : "[" + part.text + "]";
  return text;
}

TEST(FixExample, IsReadInItsParts) {
  const auto parts = read_fix_example(
      "# before, on 0.5.20\n--tp 3\n# a comment\n# after:\n--tp 4\n\n# before\n--x\n// after "
      "(b)\n--y");
  ASSERT_EQ(parts.size(), 4u);
  EXPECT_EQ(parts[0].kind, FixPart::Kind::before);
  EXPECT_EQ(parts[0].note, "on 0.5.20");
  EXPECT_EQ(parts[0].text, "--tp 3\n# a comment");
  EXPECT_EQ(parts[1].kind, FixPart::Kind::after);
  EXPECT_EQ(parts[1].note, "");
  EXPECT_EQ(parts[1].text, "--tp 4");
  EXPECT_EQ(parts[3].note, "b");

  const auto plain_text = read_fix_example("toy serve\n# afterwards\n--x");
  ASSERT_EQ(plain_text.size(), 1u);
  EXPECT_EQ(plain_text[0].kind, FixPart::Kind::other);
  EXPECT_EQ(plain_text[0].text, "toy serve\n# afterwards\n--x");
}

TEST(FixExample, WordsThatOnlyOneTextHasAreMarked) {
  const MarkedPair pair = mark_changes("--attention-backend mla --kv-cache-dtype bf16",
                                       "--attention-backend mla --kv-cache-dtype fp8_e4m3");
  EXPECT_EQ(marks(pair.before), "--attention-backend mla --kv-cache-dtype [bf16]");
  EXPECT_EQ(marks(pair.after), "--attention-backend mla --kv-cache-dtype [fp8_e4m3]");

  const MarkedPair added = mark_changes("--a 1 --c 3", "--a 1 --b=2 --c 3");
  EXPECT_EQ(marks(added.before), "--a 1 --c 3");
  EXPECT_EQ(marks(added.after), "--a 1 [--b=2 ]--c 3");
  EXPECT_EQ(marks(mark_changes("--size=3,4", "--size=3,8").after), "--size=3,[8]");
}

TEST(FixExample, TextsWithNothingInCommonStayPlain) {
  const MarkedPair pair = mark_changes("one", "two");
  EXPECT_EQ(marks(pair.before), "one");
  EXPECT_EQ(marks(pair.after), "two");
  std::string a = "x";
  std::string b = "x";
  for (int i = 0; i < 1000; ++i) {
    a += " a" + std::to_string(i);
    b += " b" + std::to_string(i);
  }
  EXPECT_EQ(marks(mark_changes(a, b).before), a);
}

}  // namespace
}  // namespace assay
