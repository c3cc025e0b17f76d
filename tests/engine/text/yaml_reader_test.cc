#include "engine/text/yaml_reader.h"

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
using testing::HasSubstr;

class YamlReader : public testing::Test {
 protected:
  Node read(std::string text) {
    source_ = sources_.add("t.yaml", std::move(text));
    auto node = read_yaml(sources_, source_, limits_);
    if (!node) {
      ADD_FAILURE() << shown(node.error());
      return {};
    }
    return std::move(*node);
  }
  std::vector<Node> read_stream(std::string text) {
    source_ = sources_.add("t.yaml", std::move(text));
    auto nodes = read_yaml_stream(sources_, source_, limits_);
    if (!nodes) {
      ADD_FAILURE() << shown(nodes.error());
      return {};
    }
    return std::move(*nodes);
  }
  Diagnostics faults(std::string text) {
    source_ = sources_.add("t.yaml", std::move(text));
    auto node = read_yaml(sources_, source_, limits_);
    return node ? Diagnostics{} : std::move(node.error());
  }
  Diagnostics stream_faults(std::string text) {
    source_ = sources_.add("t.yaml", std::move(text));
    auto nodes = read_yaml_stream(sources_, source_, limits_);
    return nodes ? Diagnostics{} : std::move(nodes.error());
  }
  std::string shown(const Diagnostics& diagnostics) const {
    std::string all;
    for (const Diagnostic& d : diagnostics) all += render_diagnostic(d, sources_, false);
    return all;
  }
  // "code@line:column" of each.
  std::vector<std::string> places(const Diagnostics& diagnostics) const {
    std::vector<std::string> all;
    for (const Diagnostic& d : diagnostics) {
      const Position p = sources_.get(d.span.source).position(d.span.begin);
      all.push_back(std::string(d.code.name) + "@" + std::to_string(p.line) + ":" +
                    std::to_string(p.column));
    }
    return all;
  }
  std::string_view text_at(Span span) const { return sources_.text(span); }

  SourceSet sources_;
  SourceId source_ = 0;
  DocumentLimits limits_;
};

TEST_F(YamlReader, GivesScalarsTheirKindAndValue) {
  const Node node = read(
      "[null, ~, '', true, FALSE, 12, -3, +4, 0x1f, 0o17, 0132848349, 1.5, .5, 5., 1e3, -.inf, "
      ".nan, 99999999999999999999, 'null', \"12\", 1.2.3, 1e, 0x, y, Null, 0x-1, -a, 1_000]");
  const auto kind = [&](std::size_t i) { return node.items.at(i).kind; };
  EXPECT_EQ(kind(0), NodeKind::null);
  EXPECT_EQ(kind(1), NodeKind::null);
  EXPECT_EQ(kind(2), NodeKind::string);
  EXPECT_TRUE(node.items[2].quoted);
  EXPECT_TRUE(node.items[3].boolean);
  EXPECT_EQ(kind(4), NodeKind::boolean);
  EXPECT_FALSE(node.items[4].boolean);
  const std::vector<std::int64_t> integers = {12, -3, 4, 31, 15, 132848349};
  for (std::size_t i = 0; i < integers.size(); ++i) {
    EXPECT_EQ(kind(5 + i), NodeKind::integer);
    EXPECT_EQ(node.items[5 + i].integer, integers[i]);
    EXPECT_EQ(node.items[5 + i].real, static_cast<double>(integers[i]));
  }
  EXPECT_EQ(node.items[10].text, "0132848349");
  const std::vector<double> reals = {1.5, .5, 5., 1000, -INFINITY};
  for (std::size_t i = 0; i < reals.size(); ++i) {
    EXPECT_EQ(kind(11 + i), NodeKind::real);
    EXPECT_EQ(node.items[11 + i].real, reals[i]);
  }
  EXPECT_TRUE(std::isnan(node.items[16].real));
  EXPECT_EQ(kind(17), NodeKind::real) << "does not fit 64 bits";
  for (std::size_t i = 18; i < node.items.size(); ++i)
    EXPECT_EQ(kind(i), NodeKind::string) << node.items[i].text;
}

TEST_F(YamlReader, PlacesEveryNode) {
  const Node root = read(
      "# \xc3\xa4\xc3\xb6\n"
      "name: 'J\xc3\xbcrgen'\n"
      "\"k\xe2\x82\xac y\": [1, {a: b}]\n"
      "text: |\n"
      "  one\n"
      "  two\n"
      "\n"
      "nothing:\n"
      "list:\n"
      "- x\n"
      "- y z  # comment\n"
      "last: \xf0\x9f\x98\x80\n");
  EXPECT_EQ(text_at(root.find("name")->span), "'J\xc3\xbcrgen'");
  EXPECT_EQ(text_at(root.entries[1].key_span), "\"k\xe2\x82\xac y\"");
  EXPECT_EQ(text_at(root.entries[1].value.span), "[1, {a: b}]");
  EXPECT_EQ(text_at(root.entries[1].value.items[1].span), "{a: b}");
  EXPECT_EQ(text_at(root.find("text")->span), "|\n  one\n  two");
  EXPECT_EQ(root.find("text")->text, "one\ntwo\n");
  EXPECT_EQ(root.find("nothing")->span.begin, root.entries[3].key_span.end + 1);
  EXPECT_EQ(text_at(root.find("list")->span), "- x\n- y z");
  EXPECT_EQ(text_at(root.find("last")->span), "\xf0\x9f\x98\x80");
  EXPECT_EQ(root.span.end, root.find("last")->span.end);
}

TEST_F(YamlReader, SkipsAByteOrderMarkAndTakesWindowsLineEnds) {
  const Node root = read(
      "\xef\xbb\xbf"
      "a: 1\r\nb: 2\r\n");
  EXPECT_EQ(text_at(root.entries[1].key_span), "b");
  EXPECT_EQ(text_at(root.find("b")->span), "2");
}

TEST_F(YamlReader, ReportsAllFaultsOfATextThatParses) {
  const Diagnostics found = faults(
      "a: yes\n"
      "b: &x 1\n"
      "c: *x\n"
      "d: !!str 1\n"
      "a: OFF\n"
      "e: {f: 1, f: 2}\n"
      "g: [On, no]\n");
  EXPECT_THAT(places(found),
              ElementsAre("ambiguous-boolean@1:4", "yaml-alias@2:4", "yaml-alias@3:4",
                          "yaml-alias@4:4", "duplicate-key@5:1", "ambiguous-boolean@5:4",
                          "duplicate-key@6:11", "ambiguous-boolean@7:5", "ambiguous-boolean@7:9"))
      << shown(found);
  EXPECT_EQ(found[4].related.at(0).span.begin, 0u);
}

TEST_F(YamlReader, KeepsWhatWasFoundBeforeASyntaxFault) {
  EXPECT_THAT(places(faults("a: yes\nb: [1, 2\nc: 3\n")),
              ElementsAre("ambiguous-boolean@1:4", "yaml-syntax@3:2"));
}

TEST_F(YamlReader, PlacesASyntaxFaultBehindOtherAlphabets) {
  EXPECT_THAT(places(faults("a: \xe4\xbd\xa0\xe5\xa5\xbd\n\xc3\xbc: \"\xc3\xbc\" x\n")),
              ElementsAre("yaml-syntax@2:8"));
}

TEST_F(YamlReader, SaysThatTabsDoNotIndent) {
  const Diagnostics found = faults("a:\n\tb: 1\n");
  ASSERT_THAT(places(found), ElementsAre("yaml-syntax@2:1"));
  EXPECT_THAT(found[0].help, HasSubstr("spaces"));
}

TEST_F(YamlReader, RefusesKeysThatAreNotStrings) {
  EXPECT_THAT(places(faults("? [a, b]\n: 1\n")), ElementsAre("yaml-syntax@1:3"));
  EXPECT_THAT(places(faults("{: 1}\n")), ElementsAre("yaml-syntax@1:2"));
  EXPECT_THAT(places(faults("? {a: b}\n: 1\n")), ElementsAre("yaml-syntax@1:3"));
}

TEST_F(YamlReader, TakesKeysAsWritten) {
  const Node root = read("yes: 1\n12: 2\nnull: 3\n'': 4\n");
  EXPECT_NE(root.find("yes"), nullptr);
  EXPECT_NE(root.find("12"), nullptr);
  EXPECT_NE(root.find("null"), nullptr);
  EXPECT_NE(root.find(""), nullptr);
}

TEST_F(YamlReader, RefusesASecondDocument) {
  EXPECT_THAT(places(faults("a: 1\n---\nb: 2\n")), ElementsAre("yaml-syntax@2:1"));
}

TEST_F(YamlReader, RefusesTextsWithoutContent) {
  EXPECT_THAT(places(faults("")), ElementsAre("empty-input@1:1"));
  EXPECT_THAT(places(faults(" \r\n\n")), ElementsAre("empty-input@1:1"));
  EXPECT_THAT(places(faults("# only\n# comments\n")), ElementsAre("empty-input@1:1"));
}

TEST_F(YamlReader, RefusesBinaryDataAndBrokenUtf8) {
  EXPECT_THAT(places(faults(std::string("\x7f"
                                        "ELF\0\0",
                                        6))),
              ElementsAre("binary-input@1:5"));
  EXPECT_THAT(places(faults("a: 1\nb: \xff\n")), ElementsAre("invalid-utf8@2:4"));
  EXPECT_THAT(places(faults("a: \x01\n")), ElementsAre("yaml-syntax@1:4"));
}

TEST_F(YamlReader, RefusesALargeTextWithoutReadingIt) {
  limits_.max_bytes = 1000;
  EXPECT_THAT(places(faults(std::string(1001, '\xff'))), ElementsAre("file-too-large@1:1"));
}

TEST_F(YamlReader, StopsAtDeepNesting) {
  EXPECT_THAT(places(faults(std::string(100'000, '['))), ElementsAre("nesting-too-deep@1:65"));
  std::string block;
  for (int i = 0; i < 100; ++i) block += "- ";
  EXPECT_THAT(places(faults(block + "x")), ElementsAre("nesting-too-deep@1:129"));
  EXPECT_TRUE(faults(std::string(64, '[') + std::string(64, ']')).empty());
}

TEST_F(YamlReader, StopsAtTooManyNodes) {
  limits_.max_nodes = 10;
  EXPECT_THAT(places(faults("[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]")),
              ElementsAre("file-too-large@1:29"));
}

TEST_F(YamlReader, StopsReportingAtTheLimit) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "a: yes\n";
  EXPECT_EQ(faults(text).size(), 1000u);
}

TEST_F(YamlReader, ReadsTheDocumentsOfAStream) {
  const auto documents = read_stream("---\na: 1\n---\n---\n# nothing\n---\nb: yes\n...\n");
  ASSERT_EQ(documents.size(), 2u);
  EXPECT_EQ(documents[0].find("a")->integer, 1);
  EXPECT_TRUE(documents[1].find("b")->is_string());
  EXPECT_FALSE(documents[1].find("b")->quoted);
}

TEST_F(YamlReader, ResolvesAliasesAndMergeKeysOfAStream) {
  const auto documents = read_stream(
      "x: &base {a: 1, b: 2}\n"
      "y: {<<: *base, b: 3}\n"
      "z: {<<: [{b: 4}, *base]}\n"
      "w: &s !!str 8080\n"
      "v: *s\n");
  ASSERT_EQ(documents.size(), 1u);
  const Node& root = documents[0];
  EXPECT_EQ(root.find("y")->find("a")->integer, 1);
  EXPECT_EQ(root.find("y")->find("b")->integer, 3);
  EXPECT_EQ(root.find("z")->find("b")->integer, 4);
  EXPECT_EQ(root.find("y")->entries.size(), 2u);
  EXPECT_TRUE(root.find("w")->is_string());
  EXPECT_EQ(text_at(root.find("w")->span), "8080");
  EXPECT_EQ(root.find("v")->text, "8080");
}

TEST_F(YamlReader, RefusesAliasesThatNameNothing) {
  EXPECT_THAT(places(stream_faults("a: *b\nc: &d [*d]\n")),
              ElementsAre("yaml-alias@1:4", "yaml-alias@2:8"));
  EXPECT_THAT(places(stream_faults("a: &x 1\n---\nb: *x\n")), ElementsAre("yaml-alias@3:4"));
  EXPECT_THAT(places(stream_faults("a: {<<: 1}\nb: !reset 2\n")),
              ElementsAre("yaml-alias@1:9", "yaml-alias@2:4"));
  EXPECT_THAT(places(stream_faults("a: 1\na: 2\n")), ElementsAre("duplicate-key@2:1"));
}

TEST_F(YamlReader, StopsAtABillionLaughs) {
  std::string text = "a0: &a0 [l, o, l, l, o, l, l, o, l]\n";
  for (int i = 1; i < 30; ++i) {
    const std::string before = "*a" + std::to_string(i - 1) + " ";
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before + ", " + before +
            ", " + before + ", " + before + "]\n";
  }
  const Diagnostics found = stream_faults(text);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].code, code::file_too_large);
}

TEST_F(YamlReader, StopsAtALongStringCopiedOften) {
  std::string text = "a: &a \"" + std::string(1u << 20, 'x') + "\"\nb: [*a";
  for (int i = 0; i < 1000; ++i) text += ", *a";
  const Diagnostics found = stream_faults(text + "]\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].code, code::file_too_large);
}

TEST_F(YamlReader, StopsAtDepthReachedThroughAliases) {
  std::string text = "a0: &a0 [x]\n";
  for (int i = 1; i < 70; ++i)
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) +
            " ]\n";
  const Diagnostics found = stream_faults(text);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].code, code::nesting_too_deep);
}

TEST_F(YamlReader, SurvivesEveryPrefixAndEveryBrokenByteOfAText) {
  const std::string text =
      "a: &x {b: [1, 'two', \"th\\u00e9\"], c: *x}\n? k\n: |\n  line\n- \xc3\xa4: >-\n  f\n--- "
      "!t\n<<: *x\n";
  for (std::size_t i = 0; i <= text.size(); ++i) {
    faults(text.substr(0, i));
    stream_faults(text.substr(0, i));
    for (const char byte : {'\0', '\xff', '[', '{', '"', '&', '*', '\t', ':'}) {
      std::string broken = text;
      if (i < text.size()) broken[i] = byte;
      for (const Diagnostic& d : faults(broken)) render_diagnostic(d, sources_, false);
      for (const Diagnostic& d : stream_faults(broken)) render_diagnostic(d, sources_, false);
    }
  }
}

}  // namespace
}  // namespace assay
