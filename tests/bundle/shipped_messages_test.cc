// The shipped records from their files and from a bundle find the same messages, and the bundle's
// tables are the same bytes however often they are made.
#include <gtest/gtest.h>

#include <string>

#include "engine/evaluate/knowledge_bundle.h"
#include "engine/evaluate/message_matcher.h"

namespace assay::test {
namespace {

// Every record's message, its open parts filled, and its examples, behind a prefix.
std::string log_of(const Dataset& dataset) {
  std::string log;
  const auto add = [&log](std::string_view message) {
    log += "[2026-01-02 03:04:05 TP0] ";
    bool is_open = false;
    for (const char c : message) {
      if (c == '{') log += "x1";
      is_open = c == '{' || (is_open && c != '}');
      if (!is_open && c != '}') log += c;
    }
    log += '\n';
  };
  for (const ErrorRecord& record : dataset.records) {
    add(record.context.value_or("") + record.error_message);
    for (const RecordExample& example : record.examples) log += example.message + "\n";
  }
  return log;
}

std::string as_text(const std::vector<MessageMatch>& matches) {
  std::string text;
  for (const MessageMatch& match : matches) {
    text += std::to_string(match.line) + ":" + match.record->id + ":" + std::string(match.matched);
    for (const std::string_view capture : match.captures) text += "|" + std::string(capture);
    text += '\n';
  }
  return text;
}

TEST(ShippedMessages, AreFoundByABundleAsByItsFiles) {
  const std::string root = ASSAY_SOURCE_DIR;
  SourceSet sources;
  Diagnostics warnings;
  const auto loaded = load_knowledge(sources, DiskFileSystem(), KnowledgeFolder::below(root),
                                     warnings, KnowledgeParts::records);
  ASSERT_TRUE(loaded);
  const auto made = MessageMatcher::compile(loaded->dataset);
  ASSERT_TRUE(made);
  BundleInput input;
  input.knowledge = &*loaded;
  input.sources = &sources;
  const auto bytes = write_bundle(input);
  ASSERT_TRUE(bytes);
  auto file = BundleFile::open(FileBytes(*bytes), "shipped.assay");
  ASSERT_TRUE(file);
  EXPECT_EQ((*file)->section(SectionKind::matcher), made->tables());
  SourceSet bundle_sources;
  const auto bundled = open_bundle(bundle_sources, std::move(*file), "");
  ASSERT_TRUE(bundled);
  const MessageMatcher opened = MessageMatcher::open(bundled->dataset, *bundled->bundle);
  const std::string log = log_of(loaded->dataset);
  const std::string found = as_text(made->find(log));
  EXPECT_GT(found.size(), 1400u * 20);
  EXPECT_EQ(as_text(opened.find(log)), found);
  EXPECT_TRUE(bundled->damage().empty());
}

}  // namespace
}  // namespace assay::test
