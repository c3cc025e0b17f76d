// Readers answer damaged and oversized documents with diagnostics, whatever the damage.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "engine/read/dataset_reader.h"
#include "engine/read/pack_reader.h"
#include "engine/read/record_reader.h"
#include "engine/read/rule_reader.h"
#include "engine/text/diagnostic_rendering.h"
#include "tests/support/golden.h"

namespace assay {
namespace {

constexpr std::string_view kDamage = "\xff[{\"'&*!:-\t\n9 #";

void render_all(const Diagnostics& diagnostics, const SourceSet& sources) {
  for (const Diagnostic& d : diagnostics) {
    EXPECT_LE(d.span.begin, d.span.end);
    EXPECT_FALSE(render_diagnostic(d, sources, true).empty());
  }
}

TEST(HostileRead, RuleWithEveryByteBrokenOrCutOff) {
  const std::string rule =
      test::GoldenCase("read", "pack_good").input("input/rules/toy/area/backend-b-on-old-gpu.yaml");
  const FactSchema schema;
  const RuleReading reading{&schema, nullptr, "toy/area/backend-b-on-old-gpu"};
  for (std::size_t i = 0; i < rule.size(); ++i) {
    std::string broken = rule;
    broken[i] = kDamage[i % kDamage.size()];
    for (const std::string& text : {broken, rule.substr(0, i)}) {
      SourceSet sources;
      const auto read = read_rule(sources, sources.add("x.yaml", text), reading);
      if (!read) render_all(read.error(), sources);
    }
  }
}

TEST(HostileRead, RecordWithEveryByteBrokenOrCutOff) {
  const std::string record =
      test::GoldenCase("read", "record_version_3").input("input/record.json");
  for (std::size_t i = 0; i < record.size(); ++i) {
    std::string broken = record;
    broken[i] = kDamage[i % kDamage.size()];
    for (const std::string& text : {broken, record.substr(0, i)}) {
      SourceSet sources;
      Diagnostics warnings;
      const auto read = read_record(sources, sources.add("x.json", text), warnings);
      if (!read) render_all(read.error(), sources);
    }
  }
}

TEST(HostileRead, EachUnknownNameIsReported) {
  std::string rule = "id: a/b/c\nseverity: note\nsummary: s\nstep: unplaced\neffect:\n  set:\n";
  for (int i = 0; i < 50'000; ++i) rule += "    name_" + std::to_string(i) + ": 1\n";
  SourceSet sources;
  FactSchema schema;
  const auto read = read_rule(sources, sources.add("x.yaml", rule), {&schema, nullptr, ""});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().size(), 50'000u);
}

TEST(HostileRead, LargeRuleIsRefused) {
  MemoryFileSystem files;
  for (const auto& [path, text] : test::GoldenCase("read", "pack_good").files("input"))
    files.write(path.substr(6), text);
  files.write("rules/toy/area/large.yaml", std::string(kMaxRuleBytes + 1, ' '));
  SourceSet sources;
  Diagnostics warnings;
  const auto pack = read_pack(sources, files, "rules/toy/", warnings);
  ASSERT_FALSE(pack);
  ASSERT_EQ(pack.error().size(), 1u);
  EXPECT_EQ(pack.error()[0].code, code::file_too_large);
}

TEST(HostileRead, MissingFolderIsOneFault) {
  SourceSet sources;
  Diagnostics warnings;
  const auto pack = read_pack(sources, MemoryFileSystem(), "rules/none", warnings);
  ASSERT_FALSE(pack);
  ASSERT_EQ(pack.error().size(), 1u);
  EXPECT_EQ(pack.error()[0].code, code::unreadable_file);
  EXPECT_FALSE(read_dataset(sources, MemoryFileSystem(), "dataset", warnings));
}

}  // namespace
}  // namespace assay
