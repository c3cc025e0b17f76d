// Knowledge in a bundle is the knowledge it was made from.
#include "engine/evaluate/knowledge_bundle.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "engine/evaluate/knowledge_tables.h"
#include "engine/evaluate/launch_checker.h"
#include "engine/evaluate/message_matcher.h"
#include "engine/report/site_writer.h"
#include "engine/text/diagnostic_rendering.h"
#include "tests/bundle/small_knowledge.h"

namespace assay::test {
namespace {

namespace fs = std::filesystem;

Knowledge opened(const std::string& bytes, SourceSet& sources, const std::string& root = "here/") {
  auto file = BundleFile::open(FileBytes(bytes), "x.assay");
  EXPECT_TRUE(file);
  auto knowledge = open_bundle(sources, std::move(*file), root);
  EXPECT_TRUE(knowledge);
  return std::move(*knowledge);
}

std::string faults(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& one : diagnostics) text += render_diagnostic(one, SourceSet(), false);
  return text;
}

// `bytes` with `from` in the place of `to` of the same length, and right checksums.
std::string replaced(std::string bytes, std::string_view from, std::string_view to) {
  for (auto at = bytes.find(from); at != std::string::npos; at = bytes.find(from, at))
    bytes.replace(at, from.size(), to);
  seal(bytes);
  return bytes;
}

TEST(KnowledgeBundle, TheSameKnowledgeGivesTheSameBytesWhereverItLies) {
  const std::string here = small_bundle("here");
  EXPECT_EQ(here, small_bundle("here"));
  EXPECT_EQ(here, small_bundle("/some/where/else"));
}

// Writing what was read gives the same bytes only if everything was read.
TEST(KnowledgeBundle, WritingWhatWasReadGivesTheSameBytes) {
  const std::string bundle = small_bundle();
  SourceSet sources;
  const Knowledge knowledge = opened(bundle, sources);
  const std::vector<SupportTable> support = support_of(knowledge, sources);
  BundleInput input;
  input.tables = knowledge.tables;
  input.support = support;
  input.knowledge = &knowledge;
  input.sources = &sources;
  input.root = "here/";
  input.folders = {"here/rules", "here/dataset"};
  EXPECT_EQ(write_bundle(input), bundle);
  EXPECT_EQ(faults(knowledge.damage()), "");
}

TEST(KnowledgeBundle, SourcesAreNamedAndQuotedAsTheFilesAre) {
  SourceSet sources;
  sources.add("<before>", "");
  const Knowledge knowledge = opened(small_bundle(), sources, "there/");
  const Rule& rule = knowledge.packs[0]->source().rules[1];
  EXPECT_EQ(rule.path, "there/rules/demo/area/cache-of-fa3.yaml");
  const Source& source = sources.get(rule.id_span.source);
  EXPECT_EQ(source.name(), rule.path);
  EXPECT_EQ(sources.text(rule.id_span), rule.id);
  EXPECT_EQ(source.position(rule.id_span.begin), (Position{1, 5}));
  const CompiledContract* contract = knowledge.find_contract("demo_kernel");
  ASSERT_NE(contract, nullptr);
  EXPECT_EQ(contract->source.path, "there/rules/kernels/demo_kernel.yaml");
  EXPECT_EQ(sources.get(contract->source.span.source).name(), contract->source.path);
  EXPECT_EQ(knowledge.find_contract("other"), nullptr);
  EXPECT_EQ(knowledge.dataset.find("00000000000000a1")->slug, "cache-of-fa3");
}

std::map<std::string, std::string> site_of(const Knowledge& knowledge, const fs::path& folder) {
  const std::vector<const RulePack*> packs = knowledge.rule_packs();
  std::vector<const TensorContract*> contracts;
  for (const CompiledContract& contract : knowledge.contracts)
    contracts.push_back(&contract.source);
  const DiskFileSystem files;
  SiteInput input;
  input.packs = packs;
  input.contracts = contracts;
  input.dataset = &knowledge.dataset;
  input.files = &files;
  EXPECT_TRUE(write_site(input, folder.string()));
  std::map<std::string, std::string> pages;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    pages[entry.path().lexically_relative(folder).string()] =
        std::string(std::istreambuf_iterator<char>(file), {});
  }
  return pages;
}

// The site shows nearly every field of rules, contracts and records.
TEST(KnowledgeBundle, TheSiteOfItIsThatOfItsSources) {
  char name[] = "/tmp/assay-bundle-XXXXXX";
  const fs::path folder = ::mkdtemp(name);
  SourceSet sources;
  Diagnostics warnings;
  const auto loaded =
      load_knowledge(sources, small_knowledge("here"), KnowledgeFolder::below("here"), warnings);
  ASSERT_TRUE(loaded);
  SourceSet bundle_sources;
  const Knowledge bundled = opened(small_bundle(), bundle_sources);
  const auto pages = site_of(*loaded, folder / "sources");
  EXPECT_GT(pages.size(), 10u);
  EXPECT_EQ(site_of(bundled, folder / "bundle"), pages);
  fs::remove_all(folder);
}

TEST(KnowledgeBundle, HasTheSupportTablesOfItsSources) {
  SourceSet sources;
  Diagnostics warnings;
  const MemoryFileSystem files = small_knowledge("here");
  auto loaded = load_knowledge(sources, files, KnowledgeFolder::below("here"), warnings);
  ASSERT_TRUE(loaded);
  loaded->tables = *add_tables(sources, files, KnowledgeFolder::below("here"));
  const std::string computed = text_of(support_of(*loaded, sources));
  EXPECT_NE(computed.find("4 demo/area/cache-of-fa3 "), std::string::npos) << computed;
  SourceSet bundle_sources;
  const Knowledge bundled = opened(small_bundle(), bundle_sources);
  EXPECT_EQ(text_of(support_of(bundled, bundle_sources)), computed);
  EXPECT_EQ(faults(bundled.damage()), "");
}

// Those of other declarations do not fit, and are computed.
TEST(KnowledgeBundle, DoesNotBelieveSupportTablesOfAnotherShape) {
  SourceSet sources;
  const Knowledge bundled =
      opened(replaced(small_bundle(), "gpus: [T4, H200]", "gpus: [T4      ]"), sources);
  const std::vector<SupportTable> support = support_of(bundled, sources);
  ASSERT_EQ(support.size(), 1u);
  EXPECT_EQ(support[0].grids.size(), 1u);
  EXPECT_EQ(support[0].grids[0].cells.size(), support[0].rows.size());
  EXPECT_EQ(faults(bundled.damage()), "");
}

TEST(KnowledgeBundle, OutlivesItsRulesBeingReadByManyThreadsAtOnce) {
  SourceSet sources;
  const Knowledge knowledge = opened(small_bundle(), sources);
  const CompiledPack& pack = *knowledge.packs[0];
  std::vector<std::string> seen(4);
  {
    std::vector<std::jthread> threads;
    for (std::string& ids : seen)
      threads.emplace_back([&pack, &ids] {
        CheckWorkspace workspace(pack);
        for (const CompiledRule& rule : pack.rules()) ids += rule.source->id + rule.source->summary;
        for (const FactDeclaration& fact : pack.schema().facts) ids += fact.name;
      });
  }
  for (const std::string& ids : seen) EXPECT_EQ(ids, seen[0]);
  EXPECT_EQ(faults(knowledge.damage()), "");
}

TEST(KnowledgeBundle, SaysWhatIsDamagedWhenItIsRead) {
  std::string bytes = small_bundle();
  const std::size_t at = bytes.find("Keeps the backend.");
  ASSERT_NE(at, std::string::npos);
  bytes[at] = 'k';
  SourceSet sources;
  const Knowledge knowledge = opened(bytes, sources);
  EXPECT_EQ(faults(knowledge.damage()), "");
  read_all(knowledge, sources);
  EXPECT_EQ(faults(knowledge.damage()),
            "error[damaged-bundle]: the bundle `x.assay` is damaged: an item is altered\n"
            "   = help: make it anew with `assay pack`\n");
}

constexpr std::string_view kLine = "fa3 needs a cache of bf16, got fp8.\n";

TEST(KnowledgeBundle, FindsTheMessagesOfItsRecordsAndReadsNoOtherRecord) {
  std::string bytes = small_bundle();
  // In the other record, which no longer fits its checksum: reading it would be noticed.
  const std::size_t at = bytes.find("size ([0-9]+) <");
  ASSERT_NE(at, std::string::npos);
  bytes[at] = 'S';
  SourceSet sources;
  const Knowledge knowledge = opened(bytes, sources);
  const MessageMatcher matcher = MessageMatcher::open(knowledge.dataset, *knowledge.bundle);
  const auto matches = matcher.find(kLine);
  ASSERT_EQ(matches.size(), 1u);
  EXPECT_EQ(matches[0].record->slug, "cache-of-fa3");
  ASSERT_EQ(matches[0].captures.size(), 2u);
  EXPECT_EQ(matches[0].captures[1], "fp8");
  EXPECT_EQ(faults(knowledge.damage()), "");
}

TEST(KnowledgeBundle, FindsMessagesOnManyThreadsAtOnce) {
  SourceSet sources;
  const Knowledge knowledge = opened(small_bundle(), sources);
  const MessageMatcher matcher = MessageMatcher::open(knowledge.dataset, *knowledge.bundle);
  const std::string log = std::string(kLine) + "DemoPartError: size 12 < 0x40\n";
  std::vector<std::string> seen(4);
  {
    std::vector<std::jthread> threads;
    for (std::string& found : seen)
      threads.emplace_back([&] {
        for (int i = 0; i < 50; ++i)
          for (const MessageMatch& match : matcher.find(log)) found += match.record->slug + "\n";
      });
  }
  EXPECT_EQ(seen[0].substr(0, 26), "cache-of-fa3\nsize-of-part\n");
  for (const std::string& found : seen) EXPECT_EQ(found, seen[0]);
  EXPECT_EQ(faults(knowledge.damage()), "");
}

TEST(KnowledgeBundle, APatternThatIsRefusedIsDamageWhenItIsAskedForAndWhenAllIsRead) {
  SourceSet sources;
  const Knowledge knowledge =
      opened(replaced(small_bundle(), "size ([0-9]+) <", "size ([0-9](+ <"), sources);
  const MessageMatcher matcher = MessageMatcher::open(knowledge.dataset, *knowledge.bundle);
  EXPECT_EQ(matcher.find(kLine).size(), 1u);
  EXPECT_EQ(faults(knowledge.damage()), "");
  EXPECT_TRUE(matcher.find("DemoPartError: size 12 < 0x40\n").empty());
  EXPECT_NE(faults(knowledge.damage()).find("a message pattern is refused"), std::string::npos);
}

TEST(KnowledgeBundle, TablesOfOtherRecordsAreDamageWhenAllIsRead) {
  SourceSet sources;
  const std::string_view from = "fa3 needs a cache of (.+?)";
  const Knowledge knowledge =
      opened(replaced(small_bundle(), from, "fa4 needs a cache of (.+?)"), sources);
  read_all(knowledge, sources);
  EXPECT_NE(faults(knowledge.damage()).find("belong to other records"), std::string::npos);
}

TEST(KnowledgeBundle, IsNotWrittenWithAPatternThatIsRefused) {
  SourceSet sources;
  Knowledge knowledge;
  ErrorRecord record;
  record.message_pattern = "no (end";
  knowledge.dataset.records.push_back(record);
  BundleInput input;
  input.knowledge = &knowledge;
  input.sources = &sources;
  const auto bundle = write_bundle(input);
  ASSERT_FALSE(bundle);
  EXPECT_EQ(bundle.error()[0].code, code::bad_pattern);
}

TEST(KnowledgeBundle, RefusesWhatIsNoFileToMap) {
  SourceSet sources;
  const auto folder = open_bundle(sources, "/");
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error()[0].code, code::unreadable_file);
  EXPECT_FALSE(open_bundle(sources, "/nowhere/x.assay"));
}

}  // namespace
}  // namespace assay::test
