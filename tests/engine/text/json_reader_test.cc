#include "engine/text/json_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "engine/text/diagnostic_rendering.h"

namespace assay {
namespace {

using testing::ElementsAre;

class JsonReader : public testing::Test {
 protected:
  Node read(std::string text) {
    auto node = read_json(sources_, sources_.add("t.json", std::move(text)), limits_);
    if (!node) {
      for (const Diagnostic& d : node.error())
        ADD_FAILURE() << render_diagnostic(d, sources_, false);
      return {};
    }
    return std::move(*node);
  }
  // "code@line:column" of each fault.
  std::vector<std::string> faults(std::string text) {
    auto node = read_json(sources_, sources_.add("t.json", std::move(text)), limits_);
    std::vector<std::string> all;
    if (node) return all;
    for (const Diagnostic& d : node.error()) {
      const Position p = sources_.get(d.span.source).position(d.span.begin);
      all.push_back(std::string(d.code.name) + "@" + std::to_string(p.line) + ":" +
                    std::to_string(p.column));
    }
    return all;
  }

  SourceSet sources_;
  DocumentLimits limits_;
};

TEST_F(JsonReader, GivesScalarsTheirKindAndValue) {
  const Node node = read(
      R"([null, true, false, 0, -12, 9223372036854775807, 9223372036854775808, 1.5e3, -0.0, 1e999, 1e-999, "", "a"])");
  EXPECT_EQ(node.items[0].kind, NodeKind::null);
  EXPECT_TRUE(node.items[1].boolean);
  EXPECT_FALSE(node.items[2].boolean);
  EXPECT_EQ(node.items[2].text, "false");
  EXPECT_EQ(node.items[3].integer, 0);
  EXPECT_EQ(node.items[4].integer, -12);
  EXPECT_EQ(node.items[4].real, -12.0);
  EXPECT_EQ(node.items[5].integer, INT64_MAX);
  EXPECT_EQ(node.items[6].kind, NodeKind::real);
  EXPECT_EQ(node.items[6].real, 9223372036854775808.0);
  EXPECT_EQ(node.items[7].real, 1500.0);
  EXPECT_TRUE(std::signbit(node.items[8].real));
  EXPECT_TRUE(std::isinf(node.items[9].real));
  EXPECT_EQ(node.items[10].real, 0.0);
  EXPECT_TRUE(node.items[11].quoted);
  EXPECT_EQ(node.items[12].text, "a");
}

TEST_F(JsonReader, UnescapesStrings) {
  EXPECT_EQ(read(R"("\"\\\/\b\f\n\r\t\u0041\u00e4\u20ac\ud83d\ude00")").text,
            "\"\\/\b\f\n\r\tA\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
  EXPECT_EQ(read(R"("a\u0000b")").text, std::string("a\0b", 3));
}

TEST_F(JsonReader, PlacesEveryNode) {
  const std::string text = "\xef\xbb\xbf {\"k\xc3\xa4\" : [1,\n {\"x\": \"y\"} ] }\n";
  const Node root = read(text);
  EXPECT_EQ(sources_.text(root.span), text.substr(4, text.size() - 5));
  EXPECT_EQ(sources_.text(root.entries[0].key_span), "\"k\xc3\xa4\"");
  EXPECT_EQ(sources_.text(root.entries[0].value.span), "[1,\n {\"x\": \"y\"} ]");
  EXPECT_EQ(sources_.text(root.entries[0].value.items[1].entries[0].value.span), "\"y\"");
}

TEST_F(JsonReader, ReadsAPartOfASourceWithItsPlaces) {
  const SourceId source = sources_.add("<command line>", "--json '{\"a\": 01}' --x");
  const auto node = read_json_at(sources_, {source, 8, 17});
  ASSERT_FALSE(node);
  EXPECT_EQ(node.error()[0].span, (Span{source, 15, 16}));
  const auto whole = read_json_at(sources_, {source, 14, 15});
  EXPECT_EQ(whole->integer, 0);
}

TEST_F(JsonReader, ReportsDuplicateKeysTogether) {
  EXPECT_THAT(faults("{\"a\": 1, \"a\": {\"b\": 1, \"b\": 2}, \"a\": 3}"),
              ElementsAre("duplicate-key@1:24", "duplicate-key@1:10", "duplicate-key@1:33"));
}

TEST_F(JsonReader, FindsDuplicatesInLargeObjects) {
  std::string text = "{";
  for (int i = 0; i < 50'000; ++i) text += "\"k" + std::to_string(i) + "\": 0,\n";
  EXPECT_THAT(faults(text + "\"k49999\": 1, \"k0\": 1}"),
              ElementsAre("duplicate-key@50001:1", "duplicate-key@50001:14"));
}

TEST_F(JsonReader, RefusesWhatJsonDoesNotAllow) {
  const std::vector<std::pair<std::string, std::string>> cases = {{"[1,]", "1:4"},
                                                                  {"{\"a\":1,}", "1:8"},
                                                                  {"{a: 1}", "1:2"},
                                                                  {"'a'", "1:1"},
                                                                  {"01", "1:2"},
                                                                  {"-", "1:2"},
                                                                  {"1.", "1:3"},
                                                                  {"1e", "1:3"},
                                                                  {".5", "1:1"},
                                                                  {"+1", "1:1"},
                                                                  {"NaN", "1:1"},
                                                                  {"nul", "1:1"},
                                                                  {"[1 2]", "1:4"},
                                                                  {"[1", "1:3"},
                                                                  {"{\"a\" 1}", "1:6"},
                                                                  {"{\"a\":1 \"b\"}", "1:8"},
                                                                  {"\"a", "1:1"},
                                                                  {"\"\\x\"", "1:2"},
                                                                  {"\"\\u12g4\"", "1:2"},
                                                                  {"\"\\ud800\"", "1:2"},
                                                                  {"\"\\ud800\\u0041\"", "1:2"},
                                                                  {"\"\\udc00\"", "1:2"},
                                                                  {"\"a\nb\"", "1:3"},
                                                                  {"1 2", "1:3"},
                                                                  {"// c\n1", "1:1"},
                                                                  {"{\"a\":}", "1:6"},
                                                                  {"[", "1:2"},
                                                                  {"\"\\", "1:2"},
                                                                  {"{1:2}", "1:2"},
                                                                  {"\"\\u-123\"", "1:2"},
                                                                  {"]", "1:1"},
                                                                  {"truex", "1:5"}};
  for (const auto& [text, place] : cases)
    EXPECT_THAT(faults(text), ElementsAre("json-syntax@" + place)) << text;
}

TEST_F(JsonReader, RefusesWhatIsNoText) {
  EXPECT_THAT(faults(""), ElementsAre("empty-input@1:1"));
  EXPECT_THAT(faults(" \n"), ElementsAre("empty-input@1:1"));
  EXPECT_THAT(faults(std::string("\"a\0\"", 4)), ElementsAre("binary-input@1:3"));
  EXPECT_THAT(faults("\"\xed\xa0\x80\""), ElementsAre("invalid-utf8@1:2"));
}

TEST_F(JsonReader, StopsAtItsLimits) {
  EXPECT_THAT(faults(std::string(100'000, '[')), ElementsAre("nesting-too-deep@1:65"));
  std::string objects;
  for (int i = 0; i < 100; ++i) objects += "{\"\":";
  EXPECT_THAT(faults(objects), ElementsAre("nesting-too-deep@1:257"));
  limits_.max_nodes = 3;
  EXPECT_THAT(faults("[1,2,3]"), ElementsAre("file-too-large@1:6"));
  limits_.max_bytes = 3;
  EXPECT_THAT(faults("[1,2]"), ElementsAre("file-too-large@1:1"));
}

TEST_F(JsonReader, SurvivesEveryPrefixAndEveryBrokenByteOfAText) {
  const std::string text =
      "{\"a\\u00e4\": [1.5e-3, true, null, {\"b\": \"\xc3\xa4\\ud83d\\ude00\"}], \"a\": -0}";
  for (std::size_t i = 0; i <= text.size(); ++i) {
    faults(text.substr(0, i));
    for (int byte = 0; byte < 256; ++byte) {
      std::string broken = text;
      if (i < text.size()) broken[i] = static_cast<char>(byte);
      faults(broken);
    }
  }
}

}  // namespace
}  // namespace assay
