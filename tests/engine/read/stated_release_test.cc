#include "engine/read/stated_release.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> releases_of(const std::string& text) {
  std::vector<std::string> releases;
  for (const StatedRelease& one : find_stated_releases(text, "sglang"))
    releases.push_back(one.release);
  return releases;
}

TEST(StatedRelease, IsReadFromImagesPipAndVersionLines) {
  EXPECT_THAT(releases_of("image: lmsysorg/sglang:v0.5.20-cu129\n"
                          "sglang==0.5.21\n"
                          "Successfully installed numpy-2.0.0 sglang-0.5.22.post1 torch-2.9.1\n"
                          "SGLang version: 0.5.23\n"
                          "SGLANG_VERSION=0.5.20\n"
                          "SGLang API server version 0.5.21\n"
                          "SGLang v0.5.22\n"
                          "/usr/lib/python3/dist-packages/sglang-0.5.23.dist-info\n"
                          "sglang: 0.5.20"),
              ElementsAre("0.5.20", "0.5.21", "0.5.22.post1", "0.5.23", "0.5.20", "0.5.21",
                          "0.5.22", "0.5.23", "0.5.20"));
}

TEST(StatedRelease, IsNotReadFromWhatDoesNotRun) {
  EXPECT_THAT(
      releases_of("Uninstalling sglang-0.5.20:\n"
                  "Collecting sglang==0.5.21\n"
                  "please upgrade to sglang==0.5.22\n"
                  "Downloading sglang-0.5.22-py3-none-any.whl\n"
                  "sglang:latest sglang:dev sglang 0.5 mysglang==0.5.20 sglang_router==0.5.20\n"
                  "sglang-kernel==0.5.20 sglang:30000 sglang:1.2"),
      IsEmpty());
}

TEST(StatedRelease, IsTheLastOneBeforeALaunchElseTheOnlyOneBehindIt) {
  const auto stated = find_stated_releases("sglang==0.5.20 sglang==0.5.21", "sglang");
  ASSERT_EQ(stated.size(), 2u);
  EXPECT_EQ(release_stated_for(stated, 10)->release, "0.5.20");
  EXPECT_EQ(release_stated_for(stated, 100)->release, "0.5.21");
  EXPECT_EQ(release_stated_for(stated, 0), nullptr);
  EXPECT_EQ(release_stated_for({stated[1]}, 0)->release, "0.5.21");
  EXPECT_EQ(release_stated_for({}, 0), nullptr);
}

TEST(StatedRelease, IsAFactThatNamesItsLine) {
  const auto stated = find_stated_releases("sglang==0.5.20", "sglang");
  const GivenFact fact = release_fact(stated.at(0), 3, 7);
  EXPECT_EQ(fact.name, "version.engine");
  EXPECT_EQ(fact.value.text, "0.5.20");
  EXPECT_EQ(fact.source, "version from line 7");
  EXPECT_EQ(fact.span, (Span{3, 0, 14}));
}

TEST(StatedRelease, LooksAtAMillionMentionsInABoundedTime) {
  std::string text;
  for (int i = 0; i < 1'000'000; ++i) text += "sglang ";
  EXPECT_THAT(releases_of(text), IsEmpty());
}

}  // namespace
}  // namespace assay
