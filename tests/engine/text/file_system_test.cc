#include "engine/text/file_system.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace assay {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

// The same tree on the disk and in memory: both must answer alike.
class Files : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    root_ = (fs::temp_directory_path() / ("assay_files_" + std::to_string(::getpid()))).string();
    fs::remove_all(root_);
    fs::create_directories(root_);
    write("b.yaml", "bee");
    write("a/z.yaml", "zed");
    write("a/z.txt", "text");
    write("a-c/d.yaml", "");
    write(".hidden.yaml", "no");
    write(".git/x.yaml", "no");
  }
  void TearDown() override { fs::remove_all(root_); }
  void write(const std::string& path, const std::string& content) {
    const std::string full = root_ + "/" + path;
    fs::create_directories(fs::path(full).parent_path());
    std::ofstream(full, std::ios::binary) << content;
    memory_.write(full, content);
  }
  const FileSystem& files() const {
    if (GetParam()) return disk_;
    return memory_;
  }
  std::string fault(const std::string& path, DiagnosticCode code, std::size_t limit = 100) const {
    const auto text = files().read_file(path, limit);
    if (text) return "none";
    EXPECT_EQ(text.error()[0].code.name, code.name);
    return text.error()[0].message;
  }

  std::string root_;
  DiskFileSystem disk_;
  MemoryFileSystem memory_;
};
INSTANTIATE_TEST_SUITE_P(DiskAndMemory, Files, testing::Bool(),
                         [](const auto& backend) { return backend.param ? "Disk" : "Memory"; });

TEST_P(Files, ReadsAWholeFile) {
  EXPECT_EQ(*files().read_file(root_ + "/b.yaml", 3), "bee");
  EXPECT_EQ(*files().read_file(root_ + "/a-c/d.yaml", 100), "");
}

TEST_P(Files, SaysWhyAFileCannotBeRead) {
  EXPECT_THAT(fault(root_ + "/none.yaml", code::unreadable_file), HasSubstr("no such file"));
  EXPECT_THAT(fault(root_ + "/a", code::unreadable_file), HasSubstr("it is a folder"));
  EXPECT_THAT(fault(root_ + "/b.yaml", code::file_too_large, 2), HasSubstr("larger than 2 bytes"));
}

TEST_P(Files, ListsFilesByExtensionWithoutHiddenOnes) {
  for (const std::string slash : {"", "/", "//"})
    EXPECT_THAT(*files().list_files(root_ + slash, ".yaml"),
                ElementsAre(root_ + "/a-c/d.yaml", root_ + "/a/z.yaml", root_ + "/b.yaml"));
  const auto missing = files().list_files(root_ + "/none", ".yaml");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error()[0].code, code::unreadable_file);
}

TEST_P(Files, TellsFoldersFromFiles) {
  EXPECT_TRUE(files().is_folder(root_ + "/a"));
  EXPECT_FALSE(files().is_folder(root_ + "/b.yaml"));
  EXPECT_FALSE(files().is_folder(root_ + "/none"));
  EXPECT_TRUE(files().is_file(root_ + "/b.yaml"));
  EXPECT_FALSE(files().is_file(root_ + "/a"));
}

TEST_P(Files, AddsASourceUnderItsPath) {
  SourceSet sources;
  const auto id = add_file(sources, files(), root_ + "/b.yaml", 100);
  ASSERT_TRUE(id);
  EXPECT_EQ(sources.get(*id).name(), root_ + "/b.yaml");
  EXPECT_EQ(sources.get(*id).text(), "bee");
}

TEST_P(Files, AddsManySourcesInTheOrderOfTheirPaths) {
  std::vector<std::string> paths;
  for (int at = 0; at < 200; ++at) {
    const std::string name = "many/" + std::to_string(at) + ".yaml";
    if (at % 7 != 3) write(name, "text " + std::to_string(at));
    paths.push_back(root_ + "/" + name);
  }
  SourceSet sources;
  const auto added = add_files(sources, files(), paths, 100);
  ASSERT_EQ(added.size(), paths.size());
  for (std::size_t at = 0; at < paths.size(); ++at) {
    ASSERT_EQ(added[at].has_value(), at % 7 != 3) << at;
    if (!added[at]) {
      EXPECT_EQ(added[at].error()[0].code, code::unreadable_file);
      continue;
    }
    EXPECT_EQ(sources.get(*added[at]).name(), paths[at]);
    EXPECT_EQ(sources.get(*added[at]).text(), "text " + std::to_string(at));
  }
}

TEST(DiskFileSystem, ReadsFilesLargerThanOneChunkAndPipes) {
  const std::string path =
      (fs::temp_directory_path() / ("assay_large_" + std::to_string(::getpid()))).string();
  const std::string content(300'000, 'x');
  std::ofstream(path, std::ios::binary) << content;
  EXPECT_EQ(*DiskFileSystem().read_file(path, 1u << 20), content);
  fs::remove(path);
}

TEST(DiskFileSystem, StopsReadingADeviceAtTheLimit) {
  const auto text = DiskFileSystem().read_file("/dev/zero", 100'000);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error()[0].code, code::file_too_large);
  EXPECT_EQ(*DiskFileSystem().read_file("/dev/null", 10), "");
}

TEST(DiskFileSystem, SaysThatPermissionIsMissing) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const std::string path =
      (fs::temp_directory_path() / ("assay_secret_" + std::to_string(::getpid()))).string();
  std::ofstream(path) << "x";
  ::chmod(path.c_str(), 0);
  const auto text = DiskFileSystem().read_file(path, 10);
  fs::remove(path);
  ASSERT_FALSE(text);
  EXPECT_THAT(text.error()[0].message, HasSubstr("permission"));
}

}  // namespace
}  // namespace assay
