// The file around the sections: nothing that was cut off or altered is taken for a bundle.
#include "engine/compile/bundle_file.h"

#include <gtest/gtest.h>

#include <string>

namespace assay {
namespace {

std::string small_bundle() {
  BundleBuilder builder;
  builder.add(SectionKind::knowledge, 0, "what there is");
  builder.add_items(SectionKind::records, 0, {"first", "second record", "third"});
  builder.add(SectionKind::matcher, 0, "tables");
  return builder.finish(42);
}

Result<std::unique_ptr<const BundleFile>> open(std::string bytes) {
  return BundleFile::open(FileBytes(std::move(bytes)), "x.assay");
}

// Everything in it; empty when any of it is damaged.
std::string content(const BundleFile& file) {
  std::string all(file.section(SectionKind::knowledge));
  const std::string_view directory = file.section(SectionKind::records);
  const std::string_view bytes = file.section(SectionKind::records_bytes);
  for (std::size_t at = 0; at < BundleFile::item_count(directory); ++at)
    all += file.item(directory, bytes, at);
  all += file.section(SectionKind::matcher);
  return file.damage().empty() ? all : std::string();
}

TEST(BundleFile, GivesBackItsSections) {
  const auto file = open(small_bundle());
  ASSERT_TRUE(file);
  EXPECT_EQ(content(**file), "what there isfirstsecond recordthirdtables");
  EXPECT_EQ((*file)->sources_checksum(), 42u);
  EXPECT_EQ((*file)->section(SectionKind::silent_walk), "");
}

TEST(BundleFile, RefusesOneThatIsCutOff) {
  const std::string whole = small_bundle();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto file = open(whole.substr(0, size));
    ASSERT_FALSE(file) << size;
    EXPECT_EQ(file.error()[0].code, size == 0 ? code::foreign_bundle : code::damaged_bundle)
        << size;
  }
  EXPECT_FALSE(open(whole + '\0'));
}

TEST(BundleFile, NoticesEveryAlteredByte) {
  const std::string whole = small_bundle();
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string altered = whole;
    altered[at] = static_cast<char>(altered[at] ^ 0x10);
    const auto file = open(altered);
    EXPECT_TRUE(!file || content(**file).empty()) << at;
  }
}

TEST(BundleFile, RefusesAnotherFormatVersion) {
  std::string other = small_bundle();
  other[8] = static_cast<char>(kBundleVersion + 1);
  const auto file = open(other);
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error()[0].code, code::foreign_bundle);
  EXPECT_NE(file.error()[0].message.find("format version"), std::string::npos);
}

TEST(BundleFile, RefusesOtherFiles) {
  for (const char* text : {"{}", "%YAML 1.2\n",
                           "\x7f"
                           "ELF\x02\x01\x01 and so on, for more than a header's length ...."}) {
    const auto file = open(text);
    ASSERT_FALSE(file);
    EXPECT_EQ(file.error()[0].code, code::foreign_bundle);
  }
}

}  // namespace
}  // namespace assay
