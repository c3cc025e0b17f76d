#include "engine/evaluate/traceback_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace assay {
namespace {

using ::testing::SizeIs;

std::vector<Traceback> read(std::string_view text) {
  TracebackReader reader;
  std::size_t number = 0;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    reader.feed(++number, text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  reader.finish();
  EXPECT_FALSE(reader.is_reading());
  return reader.take();
}

TEST(TracebackReader, ReadsFramesClassAndMessage) {
  const auto found = read(
      "[2026-01-02 03:04:05 TP1] Scheduler hit an exception: Traceback (most recent call last):\n"
      "  File \"/a/b.py\", line 10, in f\n"
      "    g(x)\n"
      "    ^^^^\n"
      "  File \"/a/c.py\", line 20, in g\n"
      "    raise ValueError(\n"
      "ValueError: first line\n"
      "second line\n"
      "[2026-01-02 03:04:06] Received sigquit\n");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].process, "TP1");
  EXPECT_EQ(found[0].error_class, "ValueError");
  EXPECT_EQ(found[0].message, "first line\nsecond line");
  EXPECT_EQ(found[0].error_line, 7u);
  ASSERT_THAT(found[0].frames, SizeIs(2));
  EXPECT_EQ(found[0].frames[1].file, "/a/c.py");
  EXPECT_EQ(found[0].frames[1].function, "g");
  EXPECT_EQ(found[0].frames[1].source, "raise ValueError(");
}

TEST(TracebackReader, ProcessesWhoseLinesInterleaveAreReadApart) {
  const auto found = read(
      "(Worker_TP0 pid=1) ERROR 01-02 03:04:05 [m.py:8] Traceback (most recent call last):\n"
      "(Worker_TP1 pid=2) ERROR 01-02 03:04:05 [m.py:8] Traceback (most recent call last):\n"
      "(Worker_TP0 pid=1) ERROR 01-02 03:04:05 [m.py:8]   File \"/a.py\", line 1, in a\n"
      "(Worker_TP1 pid=2) ERROR 01-02 03:04:05 [m.py:8]   File \"/b.py\", line 1, in b\n"
      "(Worker_TP1 pid=2) ERROR 01-02 03:04:05 [m.py:8]     bb()\n"
      "(Worker_TP0 pid=1) ERROR 01-02 03:04:05 [m.py:8]     aa()\n"
      "(Worker_TP1 pid=2) ERROR 01-02 03:04:05 [m.py:8] KeyError: 'b'\n"
      "(Worker_TP0 pid=1) ERROR 01-02 03:04:05 [m.py:8] ValueError: a\n");
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].process, "Worker_TP0");
  EXPECT_EQ(found[0].error_class, "ValueError");
  EXPECT_EQ(found[0].frames.at(0).source, "aa()");
  EXPECT_EQ(found[1].error_class, "KeyError");
  EXPECT_EQ(found[1].frames.at(0).source, "bb()");
}

TEST(TracebackReader, JoinsTheTracebacksOfAChain) {
  const auto found = read(
      "Traceback (most recent call last):\n"
      "  File \"/a.py\", line 1, in a\n"
      "    aa()\n"
      "KeyError: 1\n"
      "\n"
      "During handling of the above exception, another exception occurred:\n"
      "\n"
      "Traceback (most recent call last):\n"
      "  File \"/b.py\", line 1, in b\n"
      "    bb()\n"
      "ValueError: b\n"
      "\n"
      "an ordinary line\n"
      "Traceback (most recent call last):\n"
      "  File \"/c.py\", line 1, in c\n"
      "TypeError: c\n");
  ASSERT_THAT(found, SizeIs(3));
  EXPECT_EQ(found[0].chain, found[1].chain);
  EXPECT_NE(found[1].chain, found[2].chain);
}

TEST(TracebackReader, IndentationAndStraightQuotesMayBeLost) {
  const auto found = read(
      "Traceback (most recent call last):\n"
      "File \xe2\x80\x9c/a.py\xe2\x80\x9d, line 640, in init\n"
      "super().init(\n"
      "File \xe2\x80\x9c/b.py\xe2\x80\x9d, line 7, in exit\n"
      "raise RuntimeError(\"Engine core \"\n"
      "RuntimeError: Engine core initialization failed.\n");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].frames.at(0).file, "/a.py");
  EXPECT_EQ(found[0].error_class, "RuntimeError");
}

TEST(TracebackReader, OneThatIsCutHasNoError) {
  const auto found = read(
      "Traceback (most recent call last):\n"
      "  File \"/a.py\", line 1, in a\n"
      "    aa()\n"
      "(the rest was not kept)\n");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].error_line, 0u);
}

TEST(TracebackReader, FramesWithoutAHeadingAreATracebackToo) {
  const auto found = read(
      "  File \"/a.py\", line 1, in a\n"
      "    aa()\n"
      "triton.runtime.errors.OutOfResources: out of resource\n");
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].error_class, "triton.runtime.errors.OutOfResources");
}

TEST(TracebackReader, ManyProcessesAndEndlessMessagesStayBounded) {
  std::string text;
  for (int i = 0; i < 2000; ++i)
    text += "(Worker_" + std::to_string(i) + " pid=1) Traceback (most recent call last):\n";
  EXPECT_THAT(read(text), SizeIs(2000));
  text = "Traceback (most recent call last):\n  File \"/a.py\", line 1, in a\nValueError: x\n";
  for (int i = 0; i < 2000; ++i) text += std::string(100, 'm') + "\n";
  const auto found = read(text);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_LE(found[0].message.size(), 4200u);
}

TEST(LeadingErrorClass, IsTheNameOfAnExceptionAtTheBeginning) {
  EXPECT_EQ(leading_error_class("ValueError: x"), "ValueError");
  EXPECT_EQ(leading_error_class("zmq.error.ZMQError: x"), "zmq.error.ZMQError");
  EXPECT_EQ(leading_error_class("AssertionError"), "AssertionError");
  EXPECT_EQ(leading_error_class("ValueError(x)"), "");
  EXPECT_EQ(leading_error_class("raise ValueError: x"), "");
  EXPECT_EQ(leading_error_class(""), "");
}

TEST(IsElided, KnowsWhatAPersonWritesInPlaceOfAMessage) {
  EXPECT_TRUE(is_elided(""));
  EXPECT_TRUE(is_elided("..."));
  EXPECT_TRUE(is_elided("(final line beyond the text seen)"));
  EXPECT_FALSE(is_elided("(a) must be (b)"));
  EXPECT_FALSE(is_elided("x must be 7"));
}

// Its process died: the lines of the others need not be read one by one for ever.
TEST(TracebackReader, ATracebackIsOverWhenItsProcessIsSilentForThousandsOfLines) {
  TracebackReader reader;
  std::size_t number = 0;
  reader.feed(++number, "[2026-01-02 03:04:05 TP0] Traceback (most recent call last):");
  reader.feed(++number, "  File \"/a.py\", line 1, in a");
  for (int i = 0; i < 3000; ++i) reader.feed(++number, "[2026-01-02 03:04:05 TP1] Decode batch");
  EXPECT_TRUE(reader.is_reading());
  for (int i = 0; i < 3000; ++i) reader.feed(++number, "[2026-01-02 03:04:05 TP1] Decode batch");
  EXPECT_FALSE(reader.is_reading());
  const auto found = reader.take();
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].frame_count, 1u);
}

}  // namespace
}  // namespace assay
