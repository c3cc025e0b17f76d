// What containers say of the engine inside.
#include "engine/read/container_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/read/launch_test_support.h"

namespace assay::test {
namespace {

std::string release_of(std::string_view image) {
  const auto fact = release_of_image(image, {}, small_pack());
  return fact ? fact->value.text : "none";
}

// CUDA_VISIBLE_DEVICES of the only launch; "none" where it is not set.
std::string visible_of(const std::string& text) {
  const ReadText read(text);
  std::string visible = "none";
  for (const EnvironmentSetting& setting : read.only().environment)
    if (setting.name == "CUDA_VISIBLE_DEVICES") visible = setting.value;
  return visible;
}

std::string docker(const std::string& options) {
  return visible_of("docker run " + options + " lmsysorg/sglang sglang serve m");
}

TEST(ReleaseOfImage, IsTheTagOfTheEnginesOwnImage) {
  EXPECT_EQ(release_of("lmsysorg/sglang:v0.5.9"), "0.5.9");
  EXPECT_EQ(release_of("lmsysorg/sglang:v0.5.21-cu126"), "0.5.21");
  EXPECT_EQ(release_of("registry.local:5000/mirror/sglang:0.4.10.post2-rocm630"), "0.4.10.post2");
  EXPECT_EQ(release_of("sglang:v0.5.9@sha256:0123"), "0.5.9");
}

TEST(ReleaseOfImage, IsNoneWhereTheTagSaysSomethingElse) {
  for (const char* image : {"lmsysorg/sglang", "lmsysorg/sglang:latest", "lmsysorg/sglang:v0.5",
                            "lmsysorg/sglang:${TAG}", "lmsysorg/sglang:dev-cu13",
                            "acme/sglang-server:v1.2.3", "acme/llm:v0.5.9", ""})
    EXPECT_EQ(release_of(image), "none") << image;
}

TEST(Gpus, OfDockerAreNumberedFromNought) {
  EXPECT_EQ(docker("--gpus all"), "none");
  EXPECT_EQ(docker("--gpus 2"), "0,1");
  EXPECT_EQ(docker("--gpus '\"device=4,5\"'"), "0,1");
  EXPECT_EQ(docker("--gpus=device=3"), "0");
  EXPECT_EQ(docker("-e NVIDIA_VISIBLE_DEVICES=6,7"), "0,1");
  EXPECT_EQ(docker("-e NVIDIA_VISIBLE_DEVICES=all"), "none");
  EXPECT_EQ(docker("--gpus 2 -e CUDA_VISIBLE_DEVICES=1"), "1");
  EXPECT_EQ(docker("--gpus 2 -e CUDA_VISIBLE_DEVICES=0,1,2"), "0,1");
}

TEST(Gpus, OfManifestsAreTheirRequests) {
  const std::string kubernetes =
      "kind: Pod\nspec:\n  containers:\n  - name: c\n    command: [sglang, serve, m]\n";
  EXPECT_EQ(visible_of(kubernetes), "none");
  EXPECT_EQ(visible_of(kubernetes + "    resources: {limits: {nvidia.com/gpu: \"2\"}}\n"), "0,1");
  EXPECT_EQ(visible_of(kubernetes + "    resources: {limits: {nvidia.com/gpu: x}}\n"), "none");
  const std::string compose = "services:\n  s:\n    command: sglang serve m\n";
  const std::string devices = "    deploy: {resources: {reservations: {devices: [";
  EXPECT_EQ(visible_of(compose + devices + "{capabilities: [gpu], count: 2}]}}}\n"), "0,1");
  EXPECT_EQ(visible_of(compose + devices + "{capabilities: [gpu], device_ids: ['3']}]}}}\n"), "0");
  EXPECT_EQ(visible_of(compose + devices + "{capabilities: [gpu], count: all}]}}}\n"), "none");
}

TEST(LaunchesOfImages, TellTheRelease) {
  const auto told = [](const std::string& text) {
    const ReadText read(text);
    const auto& facts = read.only().facts;
    return facts.empty() ? std::string("none") : facts[0].value.text + " " + facts[0].source;
  };
  EXPECT_EQ(told("docker run lmsysorg/sglang:v0.5.9 sglang serve m"),
            "0.5.9 the image `lmsysorg/sglang:v0.5.9`");
  EXPECT_EQ(told("FROM lmsysorg/sglang:v0.5.9 AS base\nFROM base\nCMD sglang serve m\n"),
            "0.5.9 the image `lmsysorg/sglang:v0.5.9`");
  EXPECT_EQ(
      told("FROM lmsysorg/sglang:v0.5.9\nRUN pip install sglang==0.5.2\nCMD sglang serve m\n"),
      "none");
}

}  // namespace
}  // namespace assay::test
