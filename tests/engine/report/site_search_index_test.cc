#include "engine/report/site_search_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/report/site_log_patterns.h"
#include "engine/text/json_reader.h"
#include "tests/engine/report/report_sample.h"

namespace assay {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

SearchEntry toy_entry(std::string path, std::string title) {
  SearchEntry entry;
  entry.kind = "error";
  entry.path = std::move(path);
  entry.title = std::move(title);
  entry.detail = "ValueError";
  entry.terms = {"kv-cache", "mla"};
  entry[SearchFacet::severity] = "error";
  entry[SearchFacet::version] = "v0.5.23";
  return entry;
}

TEST(SiteSearchIndex, NumbersKindsAndFacetsByTheirFirstUse) {
  std::vector<SearchEntry> entries{toy_entry("errors/a", "kv must be \"fp8\""),
                                   toy_entry("errors/b", "q must be flat")};
  entries[1].kind = "rule";
  entries[1][SearchFacet::severity] = "warning";
  entries[1][SearchFacet::version].clear();
  EXPECT_EQ(
      write_search_index(entries),
      "assay.register(\"search-index\", {\"entries\":["
      "[0,\"errors/a\",\"kv must be \\\"fp8\\\"\",\"ValueError\",\"kv-cache mla\",0,-1,-1,-1,-1,0],"
      "[1,\"errors/b\",\"q must be flat\",\"ValueError\",\"kv-cache mla\",1,-1,-1,-1,-1,-1]],"
      "\"kinds\":[\"error\",\"rule\"],\"facets\":["
      "{\"name\":\"severity\",\"label\":\"Severity\",\"values\":[\"error\",\"warning\"]},"
      "{\"name\":\"project\",\"label\":\"Project\",\"values\":[]},"
      "{\"name\":\"area\",\"label\":\"Area\",\"values\":[]},"
      "{\"name\":\"cause\",\"label\":\"Cause\",\"values\":[]},"
      "{\"name\":\"class\",\"label\":\"Exception\",\"values\":[]},"
      "{\"name\":\"version\",\"label\":\"Version\",\"values\":[\"v0.5.23\"]}]});\n");
}

TEST(SiteSearchIndex, HoldsNoFullTexts) {
  SearchEntry entry = toy_entry("errors/a", std::string(5000, 'x'));
  entry.detail = std::string(5000, 'y');
  entry.terms = std::vector<std::string>(1000, "term");
  EXPECT_LT(write_search_index({entry}).size(), 1200u);
}

TEST(SiteSearchIndex, DescribesRecordsAndRules) {
  const ErrorRecord record = sample_record();
  const SearchEntry error = search_entry(record);
  EXPECT_EQ(error.kind, "error");
  EXPECT_EQ(error.title, record.error_message);
  EXPECT_EQ(error.facets[0], record.severity);
  EXPECT_THAT(error.terms, testing::Contains(record.id));
  RulePack pack;
  pack.title = "SGLang";
  const SearchEntry rule = search_entry(sample_rule(), pack);
  EXPECT_EQ(rule.kind, "rule");
  EXPECT_EQ(rule.facets[2], "attention");
  EXPECT_EQ(rule.detail, sample_rule().id);
}

TEST(SiteSearchIndex, HostileTextsStayInTheirStrings) {
  SearchEntry entry = toy_entry("errors/a", kHostile);
  entry.detail = entry.kind = kHostile;
  entry.terms = {kHostile};
  for (std::string& facet : entry.facets) facet = kHostile;
  const std::string script = write_search_index({entry});
  EXPECT_THAT(script, Not(HasSubstr("\x1b")));
  EXPECT_THAT(script, Not(HasSubstr("\xff")));
  constexpr std::string_view kBefore = "assay.register(\"search-index\", ";
  ASSERT_TRUE(script.starts_with(kBefore) && script.ends_with(");\n"));
  SourceSet sources;
  const SourceId source =
      sources.add("x.json", script.substr(kBefore.size(), script.size() - kBefore.size() - 3));
  EXPECT_TRUE(read_json(sources, source).has_value());
}

ErrorRecord with_pattern(std::string pattern) {
  ErrorRecord record = sample_record();
  record.error_message = "kv must be {a}";
  record.message_pattern = std::move(pattern);
  return record;
}

TEST(SiteLogPatterns, APatternOfLiteralsAndGroupsIsAListOfThem) {
  EXPECT_EQ(browser_pattern_of(with_pattern("kv (.*?) must be (.+?)")),
            R"({"message":"kv must be {a}","pattern":["kv ","? must be ","."]})");
  EXPECT_EQ(browser_pattern_of(with_pattern("(.+?) caf\xc3\xa9")),
            "{\"message\":\"kv must be {a}\",\"pattern\":[\"\",\". caf\xc3\x83\xc2\xa9\"]}");
}

TEST(SiteLogPatterns, AnyOtherIsAnExpressionWithTheLiteralsOfAllItsMatches) {
  EXPECT_EQ(
      browser_pattern_of(with_pattern("kv (?:a|b) must")),
      R"({"message":"kv must be {a}","pattern":{"e":"kv (?:a|b) must","l":["kv "," must"]}})");
}

TEST(SiteLogPatterns, AContextComesAlong) {
  ErrorRecord record = with_pattern("must be flat");
  record.context = "cutlass";
  EXPECT_THAT(browser_pattern_of(record), HasSubstr(R"("context":["cutlass"])"));
}

TEST(SiteLogPatterns, WhatIsNotForBrowsersIsLeftOutAndSaid) {
  Dataset dataset;
  dataset.records = {with_pattern("kv \\p{Greek} must"), with_pattern("q must")};
  const LogPatterns patterns = log_patterns(dataset);
  ASSERT_EQ(patterns.left_out.size(), 1u);
  EXPECT_EQ(patterns.left_out[0].reason, "it asks for a class of Unicode");
  EXPECT_THAT(patterns.script, Not(HasSubstr("kv must be {a}\",\"pattern\":{")));
  EXPECT_THAT(patterns.script, HasSubstr("\"pattern\":[\"q must\"]"));
  EXPECT_EQ(browser_pattern_of(dataset.records[0]), "");
  EXPECT_THAT(render_markdown(log_page(patterns, 2)), HasSubstr("it asks for a class of Unicode"));
  EXPECT_THAT(render_markdown(log_page(patterns, 2)), HasSubstr("Finds 1 known errors"));
}

}  // namespace
}  // namespace assay
