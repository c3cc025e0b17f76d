#include "engine/report/message_marks.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

std::string marks_of(const Phrase& phrase) {
  std::string text;
  for (const Inline& part : phrase)
    text += part.kind == Inline::Kind::text ? part.text : "[" + part.text + "]";
  return text;
}

TEST(MessageMarks, PlaceholdersOfAMessageAreMarked) {
  EXPECT_EQ(marks_of(marked_message("kv must be {}, got {kv.dtype}.")),
            "kv must be [{}], got [{kv.dtype}].");
  EXPECT_EQ(marks_of(marked_message("no brace closes {here")), "no brace closes {here");
  EXPECT_EQ(marks_of(marked_message("")), "");
}

TEST(MessageMarks, WhatFillsAPlaceholderIsMarked) {
  EXPECT_EQ(marks_of(marked_example("got torch.bfloat16.", "got {}.")), "got [torch.bfloat16].");
  EXPECT_EQ(marks_of(marked_example("size 3 of a and b", "size {n} of {x} and {y}")),
            "size [3] of [a] and [b]");
  EXPECT_EQ(marks_of(marked_example("ValueError: got 3 in all", "got {n}")),
            "ValueError: got [3 in all]");
  EXPECT_EQ(marks_of(marked_example("[3] is odd", "[{}] is odd")), "[[3]] is odd");
}

TEST(MessageMarks, AnExampleOfAnotherMessageStaysPlain) {
  EXPECT_EQ(marks_of(marked_example("something else", "got {}.")), "something else");
  EXPECT_EQ(marks_of(marked_example("got x", "{}")), "got x");
}

}  // namespace
}  // namespace assay
