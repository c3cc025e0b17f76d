#include "engine/text/log_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "engine/text/byte_scan.h"
#include "engine/text/log_places.h"

namespace assay {
namespace {

std::string normal(std::string_view text) { return std::string(LogText(text).text()); }

TEST(LogText, TextWithoutMarkersIsNotCopied) {
  const std::string text = "[2026-01-02 03:04:05 TP0] Decode batch, #running-req: 1\r\n";
  EXPECT_EQ(LogText(text).text().data(), text.data());
}

TEST(LogText, EscapeSequencesGoInTheirThreeSpellings) {
  EXPECT_EQ(normal("\x1b[1;36m(a)\x1b[0;0m b"), "(a) b");
  EXPECT_EQ(normal("^[[1;36m(a)^[[0;0m b"), "(a) b");
  EXPECT_EQ(normal("[1;36m(a) [0;0m b"), "(a)  b");
  EXPECT_EQ(normal("\x1b]0;title\ax\x1b]8;;u\x1b\\y\x1b(Bz\x1b[2K"), "xyz");
  EXPECT_EQ(normal("\x1b[38;5;200;48;2;1;2;3mlong"), "long");
}

TEST(LogText, WhatOnlyLooksLikeAColourStays) {
  for (const std::string text : {"waited [5m]", "a[1234m", "[m", "[;m", "10m", "x ^ [y]", "^^^^^"})
    EXPECT_EQ(normal(text), text);
}

TEST(LogText, ACutSequenceSwallowsNoText) {
  EXPECT_EQ(normal("a\x1b"), "a");
  EXPECT_EQ(normal("a\x1b["), "a");
  EXPECT_EQ(normal("a\x1b[1;\nb"), "a1;\nb");
  EXPECT_EQ(normal("a\x1b]0;title\nb"), "a]0;title\nb");
  EXPECT_EQ(normal(std::string(1000, '\x1b')), "");
}

TEST(LogText, QuotesAndEntitiesBecomePlain) {
  EXPECT_EQ(normal("File \xe2\x80\x9c/a.py\xe2\x80\x9d, can\xe2\x80\x99t"),
            "File \"/a.py\", can't");
  EXPECT_EQ(normal("a &lt;b&gt; &amp; &quot;c&quot; &#39;d&#x27; &#124; &nbsp;"),
            "a <b> & \"c\" 'd' |  ");
  EXPECT_EQ(normal("&unknown; & &amp &#9999999; /x?a=1&b=2"),
            "&unknown; & &amp &#9999999; /x?a=1&b=2");
  EXPECT_EQ(normal("\xe2\x96\x88\xe2\x80\xa6\xe2\x80"), "\xe2\x96\x88\xe2\x80\xa6\xe2\x80");
}

TEST(LogText, PartsOfAContainerRecordAreJoined) {
  const std::string first = "2026-01-02T03:04:05.000000001Z stderr P very ";
  const std::string second = "2026-01-02T03:04:05.000000002Z stderr P long ";
  const std::string third = "2026-01-02T03:04:05.000000003+08:00 stderr F text\n";
  EXPECT_EQ(normal(first + "\n" + second + "\n" + third),
            "2026-01-02T03:04:05.000000001Z stderr P very long text\n");
  // Not what another stream says in between.
  const std::string other = "2026-01-02T03:04:05.000000002Z stdout F out\n";
  EXPECT_EQ(normal(first + "\n" + other), first + "\n" + other);
  EXPECT_EQ(normal(first + "\n\x1b[1mx\n"), first + "\nx\n");
  EXPECT_EQ(normal(first + "\x1b[1mdone\x1b[0m \n" + third),
            "2026-01-02T03:04:05.000000001Z stderr P very done text\n");
}

TEST(LogText, StringsOfJsonRecordsBecomeLines) {
  EXPECT_EQ(normal(R"({"levelname":"ERROR","message":"got \"x\"\n  File \u0027a\u0027"})"
                   "\nplain \\n\n"),
            "{\nlevelname\n:\nERROR\n,\nmessage\n:\ngot \"x\"\n  File 'a'\n}\nplain \\n\n");
  EXPECT_EQ(normal("2026-01-02T03:04:05.000000001Z stdout F {\"m\":\"\\u001b[1;31mred\"}\n"),
            "2026-01-02T03:04:05.000000001Z stdout F {\nm\n:\nred\n}\n");
  EXPECT_EQ(normal("{\"cut\":\"a\\nb"), "{\"cut\":\"a\\nb");
  EXPECT_EQ(normal("x {\"a\":\"b\\n\"}"), "x {\"a\":\"b\\n\"}");
}

TEST(LogText, PartsOfADockerRecordAreJoined) {
  EXPECT_EQ(normal("{\"log\":\"[t] one \",\"stream\":\"stderr\"}\n"
                   "{\"log\":\"line\\n\",\"stream\":\"stderr\"}\n"),
            "{\nlog\n:\n[t] one line\n\n,\nstream\n:\nstderr\n}\n");
}

TEST(LogText, APartLeadsBackToItsOriginal) {
  const std::string text = "ab\x1b[1mcd&quot;ef \xe2\x80\x99g";
  const LogText log(text);
  ASSERT_EQ(log.text(), "abcd\"ef 'g");
  const auto original = [&](std::size_t begin, std::size_t size) {
    return std::string(log.original(log.text().substr(begin, size)));
  };
  EXPECT_EQ(original(0, 2), "ab");
  EXPECT_EQ(original(1, 2), "b\x1b[1mc");
  EXPECT_EQ(original(3, 2), "d&quot;");
  EXPECT_EQ(original(4, 1), "&quot;");
  EXPECT_EQ(original(5, 2), "ef");
  EXPECT_EQ(original(7, 3), " \xe2\x80\x99g");
  EXPECT_EQ(log.original({}).data(), nullptr);
  EXPECT_EQ(log.original(log.text().substr(9, 0)).data(), text.data() + text.size() - 1);
}

TEST(LogText, AnOriginalPartLeadsToWhatBecameOfIt) {
  const std::string text =
      "2026-01-02T03:04:05.000000001Z stderr P half a rec\n"
      "2026-01-02T03:04:05.000000001Z stderr F ord\n";
  const LogText log(text);
  const auto at = text.find("a rec");
  EXPECT_EQ(log.cleaned(std::string_view(text).substr(at, text.find("ord") + 3 - at)), "a record");
  EXPECT_EQ(log.cleaned({}).data(), nullptr);
}

TEST(LogPlaces, AreAllMarkersThatAByteWiseSearchFinds) {
  std::mt19937 random(1);
  const std::string alphabet = "\x1b^[&#a \nPm0{\"\xe2\x80\x99x";
  for (int round = 0; round < 200; ++round) {
    std::string text(random() % 300, 'x');
    for (char& c : text)
      if (random() % 4 == 0) c = alphabet[random() % alphabet.size()];
    LogPlaces places;
    find_log_places(text, LogWords::of_errors, places);
    EXPECT_TRUE(std::is_sorted(places.markers.begin(), places.markers.end()));
    for (std::size_t i = 0; i < text.size(); ++i) {
      const std::string pair = text.substr(i, 2);
      const std::string three = text.substr(i, 3);
      const bool is_marker = pair[0] == '\x1b' || pair == "^[" || pair == "0m" || pair == "&#" ||
                             pair == "&a" || three == "\xe2\x80\x99" || pair == "P " ||
                             three == " {\"" || three == "\n{\"";
      EXPECT_TRUE(!is_marker || std::binary_search(places.markers.begin(), places.markers.end(), i))
          << i;
    }
    EXPECT_TRUE(places.error_words.empty());
    const auto feeds = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    EXPECT_EQ(places.line_feeds, feeds);
    EXPECT_EQ(count_line_feeds(text), feeds);
  }
}

TEST(LogPlaces, AnOrdinaryLogHasHardlyAMarker) {
  const std::string line =
      "[2026-01-02 03:04:05 TP0] Decode batch, #running-req: 12, cuda graph: True, \xe2\x96\x88|\n";
  LogPlaces places;
  find_log_places(line, LogWords::of_errors, places);
  EXPECT_TRUE(places.markers.empty());
}

std::vector<std::uint32_t> error_words(std::string_view text) {
  LogPlaces places;
  find_log_places(text, LogWords::of_errors, places);
  return places.error_words;
}

TEST(LogPlaces, AreErrorWordsAtEveryPlaceInEveryCase) {
  for (const std::string word :
       {"Error", "ERROR", "exception", "Traceback", "Assert", "FATAL", "CRITICAL"})
    for (std::uint32_t at = 0; at < 200; ++at) {
      const std::string text = std::string(at, 'x') + word + std::string(100, 'y');
      EXPECT_THAT(error_words(text), testing::ElementsAre(at)) << word;
      EXPECT_THAT(error_words(text.substr(0, at + word.size())), testing::ElementsAre(at)) << word;
      EXPECT_THAT(error_words(text.substr(at + 1)), testing::IsEmpty()) << word;
    }
}

TEST(LogPlaces, AHealthyTextHasNoErrorWord) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "terra arrow stretcher facet asset site [TP0] decode ";
  EXPECT_THAT(error_words(text), testing::IsEmpty());
  EXPECT_THAT(error_words(""), testing::IsEmpty());
  EXPECT_THAT(error_words("erro"), testing::IsEmpty());
  EXPECT_THAT(error_words("rror xception"), testing::IsEmpty());
}

// Whatever the text, the parts of the result lead to parts of the original, in order.
TEST(LogText, RandomTextsKeepTheirPlaces) {
  std::mt19937 random(2);
  const std::vector<std::string> pieces{"\x1b[1m",
                                        "\x1b[",
                                        "\x1b",
                                        "^[[0m",
                                        "[0;1m",
                                        "&quot;",
                                        "&#39;",
                                        "\xe2\x80\x9c",
                                        "\n",
                                        "{\"log\":\"",
                                        "\",\"a\":\"b\\n\"}\n",
                                        "2026-01-02T03:04:05.000000001Z stderr P ",
                                        "\\u001b[1m",
                                        "\\\"",
                                        "text",
                                        " ",
                                        "{\"",
                                        "\"}",
                                        "2026-01-02T03:04:05.000000001Z stderr F ",
                                        "\r",
                                        "\x80"};
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (std::size_t i = random() % 30; i > 0; --i) text += pieces[random() % pieces.size()];
    LogText log(text);
    EXPECT_LE(log.text().size(), text.size());
    const char* last = text.data();
    for (std::size_t i = 0; i < log.text().size(); ++i) {
      const std::string_view part = log.original(log.text().substr(i, 1));
      ASSERT_GE(part.data(), last);
      ASSERT_LE(part.data() + part.size(), text.data() + text.size());
      last = part.data() + part.size();
    }
    ASSERT_LE(log.original(log.text()).size(), text.size());
  }
}

}  // namespace
}  // namespace assay
