// The small writers under the reports: UTF-8, JSON, HTML, Markdown.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "engine/read/record_reader.h"
#include "engine/report/html.h"
#include "engine/report/json_writer.h"
#include "engine/report/record_json.h"
#include "engine/report/site_document.h"
#include "engine/report/terminal_text.h"
#include "engine/report/utf8_text.h"
#include "tests/engine/report/report_sample.h"

namespace assay {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Utf8Text, BytesThatAreNoUtf8AreReplacedOneByOne) {
  const std::string bad[] = {"\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "\x80"};
  for (const std::string& text : bad) {
    std::string expected;
    for (std::size_t i = 0; i < text.size(); ++i) expected += "\xef\xbf\xbd";
    EXPECT_EQ(valid_utf8(text), expected);
  }
  EXPECT_EQ(valid_utf8("é€😀"), "é€😀");
}

TEST(Utf8Text, PrintableShowsWhatATerminalWouldObey) {
  EXPECT_EQ(printable("a\x1b[1m\r\n\tb\xc2\x9b\xe2\x80\xae\xff"),
            "a\\x1b[1m\\r\\n\\tb\\x9b\\u202e\\xff");
  EXPECT_EQ(printable("a\n\tb", true), "a\n\tb");
}

TEST(Utf8Text, XmlTextLosesWhatXmlCannotHold) {
  EXPECT_EQ(valid_xml_text(std::string("a\0b\x0c\x1b\tc\xef\xbf\xbf", 10)), "ab\tc");
}

TEST(Utf8Text, ShortenedCutsBetweenCharacters) {
  EXPECT_EQ(shortened("ééé", 2), "éé…");
  EXPECT_EQ(shortened("ééé", 3), "ééé");
}

TEST(TerminalText, WrapsAtBlanksAndKeepsLines) {
  TerminalStyle style;
  style.width = 24;
  EXPECT_EQ(wrapped("- ", 2, "one two three four five six\nseven\n\neight", style),
            "- one two three four\n  five six\n  seven\n  eight\n");
  EXPECT_EQ(wrapped("- ", 2, "", style), "- \n");
}

TEST(JsonWriter, LaysOutNestedValuesInOrder) {
  JsonWriter json(JsonWriter::Layout::indented);
  json.begin_object().member("b", "x\"\\\n\x01/").key("a").begin_array().integer(1).null();
  json.begin_object().end_object().end_array().end_object();
  EXPECT_EQ(json.take(),
            "{\n  \"b\": \"x\\\"\\\\\\n\\u0001/\",\n  \"a\": [\n    1,\n    null,\n    {}\n  ]\n}");
}

TEST(JsonWriter, WritesDocumentNodes) {
  Node list;
  list.kind = NodeKind::sequence;
  Node real;
  real.kind = NodeKind::real;
  real.real = 0.1;
  list.items.push_back(real);
  real.real = std::numeric_limits<double>::infinity();
  list.items.push_back(real);
  Node map;
  map.kind = NodeKind::mapping;
  map.entries.push_back({"k", {}, Node{}});
  list.items.push_back(map);
  JsonWriter json(JsonWriter::Layout::compact);
  EXPECT_EQ(json.node(list).take(), "[0.1,null,{\"k\":null}]");
}

TEST(RecordJson, KeepsTheKeyOrderOfTheDataset) {
  EXPECT_THAT(write_record_envelope(sample_record(), "2026-08-28T06:17:29.519Z"),
              ::testing::StartsWith(R"({"record":{"id":"50f82a4b5a705b9a","repo":"sgl-project/)"
                                    R"(sglang","slug":"tokenspeed-mla-backend-)"));
  EXPECT_THAT(write_record_envelope(sample_record(), "2026-08-28T06:17:29.519Z"),
              ::testing::EndsWith(R"("analyzedAt":"2026-08-28T05:10:05.995Z","schemaVersion":2},)"
                                  R"("datasetVersion":"2026-08-28T06:17:29.519Z"})"));
}

TEST(RecordJson, ARecordThatWasReadIsWrittenByteForByte) {
  const std::string text = write_record_envelope(sample_record(), "2026-08-28T06:17:29.519Z");
  SourceSet sources;
  Diagnostics warnings;
  const auto record = read_record(sources, sources.add("record.json", text), warnings);
  ASSERT_TRUE(record.has_value());
  EXPECT_EQ(write_record_envelope(*record, "2026-08-28T06:17:29.519Z"), text);
}

TEST(RecordJson, FieldsOfVersion3FollowWhereTheySaySomething) {
  ErrorRecord record = sample_record();
  record.schema_version = 3;
  JsonWriter bare(JsonWriter::Layout::compact);
  write_record(bare, record);
  EXPECT_THAT(bare.take(), ::testing::EndsWith(R"("schemaVersion":3})"));
  record.examples = {{"m", "s"}, {"n", ""}};
  record.is_wrapper = true;
  record.status = "retired";
  record.see_also = {{"f1f5ada3bbfdb861", "r"}};
  JsonWriter full(JsonWriter::Layout::compact);
  write_record(full, record);
  EXPECT_THAT(full.take(),
              ::testing::EndsWith(
                  R"("schemaVersion":3,"examples":[{"message":"m","source":"s"},{"message":"n"}],)"
                  R"("wrapper":true,"status":"retired",)"
                  R"("seeAlso":[{"id":"f1f5ada3bbfdb861","reason":"r"}]})"));
}

TEST(Html, EscapesContentAndAttributes) {
  HtmlWriter html;
  html.open("p", {{"title", "\"><script>"}}).text("<b> & 'q'").close();
  EXPECT_EQ(html.take_document(),
            "<!doctype html>\n<p title=\"&quot;&gt;&lt;script&gt;\">&lt;b&gt; &amp; "
            "&#39;q&#39;</p>\n");
}

TEST(Html, OnlyWebAndRelativeTargetsBecomeLinks) {
  for (const std::string good : {"https://x.org/a:b", "http://x", "../a/b.html", "a.html"})
    EXPECT_TRUE(is_safe_link(good)) << good;
  for (const std::string bad : {"javascript:alert(1)", "JaVaScRiPt:x", " javascript:x", "data:x",
                                "//evil.org", "\\\\evil", "", "java\nscript:x"})
    EXPECT_FALSE(is_safe_link(bad)) << bad;
  HtmlWriter html;
  html.link("javascript:x", "text");
  EXPECT_EQ(html.take_document(), "<!doctype html>\ntext\n");
}

TEST(SiteDocument, ReadsTheLittleMarkdownThatTextsUse) {
  SitePage page;
  page.prose("One `code` line\nand more.\n\n- a\n- b\n  goes on\n\n```sh\nls <x>\n```\nend `open");
  ASSERT_EQ(page.blocks.size(), 4u);
  EXPECT_EQ(page.blocks[0].phrase.size(), 3u);
  EXPECT_EQ(page.blocks[1].items.size(), 2u);
  EXPECT_EQ(page.blocks[1].items[1][0].text, "b goes on");
  EXPECT_EQ(page.blocks[2].phrase[0].text, "ls <x>\n");
  EXPECT_EQ(page.blocks[2].label, "sh");
  EXPECT_EQ(page.blocks[3].phrase[0].text, "end `open");
}

TEST(SiteDocument, MarkdownTextStaysText) {
  SitePage page;
  page.path = "a/b";
  page.title = "# t [x](y) {{z}}";
  page.paragraph({plain("1. no list <b> *x* _y_ `z`"), code_text("a``b")});
  page.paragraph({plain("- no list")});
  page.paragraph({page_link("c d/e", "l]"), web_link("javascript:x", "no link")});
  page.code("```\nfence", "sh ```");
  const std::string text = render_markdown(page);
  EXPECT_EQ(text,
            "# \\# t \\[x\\](y) \\{\\{z\\}\\}\n"
            "\n1\\. no list \\<b\\> \\*x\\* \\_y\\_ \\`z\\````a``b```\n"
            "\n\\- no list\n"
            "\n[l\\]](../c%20d/e.md)no link\n"
            "\n````sh\n```\nfence\n````\n");
}

TEST(SiteDocument, FileNamesAreSafe) {
  EXPECT_EQ(safe_file_name("../../etc/Passwd"), "-.-..-etc-passwd");
  EXPECT_EQ(safe_file_name(""), "unnamed");
  EXPECT_EQ(safe_file_name(std::string(300, 'a')).size(), 100u);
  EXPECT_THAT(safe_file_name(kHostile), Not(HasSubstr("<")));
}

}  // namespace
}  // namespace assay
