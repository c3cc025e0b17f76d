// Config files, as the engine turns them into words of a command line.
#include "engine/read/config_file_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/read/launch_test_support.h"

namespace assay::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

ReadText read_with(const std::string& yaml, const std::string& arguments = "--config c.yaml") {
  MemoryFileSystem files;
  files.write("c.yaml", yaml);
  files.write("c.conf", yaml);
  return ReadText("python -m sglang.launch_server " + arguments, InputKind::automatic, &files);
}
std::string values_of(const std::string& yaml) { return read_with(yaml).values(); }
std::string faults_of(const std::string& yaml) { return read_with(yaml).faults(); }

TEST(ConfigFile, TakesEverySpellingThatTheCommandLineTakes) {
  EXPECT_EQ(values_of("tensor-parallel-size: 4\n"), "tp_size=4");
  EXPECT_EQ(values_of("mem: 0.5\n"), "mem_fraction_static=0.5");
  EXPECT_EQ(values_of("model: m\nport: \"30000\"\n"), "model_path='m' port=30000");
  EXPECT_THAT(faults_of("tp_size: 4\n"),
              HasSubstr("unknown-flag: unrecognized arguments: --tp_size"));
  EXPECT_THAT(faults_of("--tp-size: 4\n"),
              HasSubstr("unknown-flag: unrecognized arguments: ----tp-size"));
  EXPECT_EQ(values_of("tp_size: 4\n"), "tp_size=4");  // what was meant, to check the rest
}

TEST(ConfigFile, ThrowsASwitchOnTrueOnly) {
  EXPECT_EQ(values_of("disable-radix-cache: yes\ntrust-remote-code: off\n"),
            "disable_radix_cache=True");
  EXPECT_EQ(faults_of("disable_radix_cache: false\n"), "");
  EXPECT_THAT(faults_of("disable-radix-cache: \"true\"\n"),
              HasSubstr("unrecognized arguments: true"));
  EXPECT_THAT(faults_of("disable-radix-cache: 1\n"), HasSubstr("unrecognized arguments: 1"));
}

TEST(ConfigFile, RefusesWhatIsNeitherASwitchNorTakesOneValue) {
  EXPECT_THAT(faults_of("enable-metrics: true\n"),
              HasSubstr("Unsupported config option 'enable_metrics'"));
  EXPECT_THAT(faults_of("enable_dp_attention: true\n"),
              HasSubstr("Unsupported config option 'enable_dp_attention'"));
}

TEST(ConfigFile, WritesValuesAsPythonDoes) {
  EXPECT_EQ(values_of("cuda-graph-bs: [1, 2]\n"), "cuda_graph_bs=[1, 2]");
  EXPECT_EQ(values_of("cuda-graph-bs: []\nhost: h\n"), "host='h'");
  EXPECT_EQ(values_of("json-model-override-args: {a: 1}\n"), "json_model_override_args={'a': 1}");
  EXPECT_EQ(values_of("json-model-override-args: '{\"a\": 1}'\n"),
            "json_model_override_args={'a': 1}");
  EXPECT_EQ(values_of("host: 010\n"), "host='8'");
  EXPECT_EQ(values_of("host: on\n"), "host='true'");
  EXPECT_THAT(faults_of("tp-size: null\n"), HasSubstr("invalid int value: 'None'"));
  EXPECT_THAT(faults_of("tp-size: 4.0\n"), HasSubstr("invalid int value: '4.0'"));
}

TEST(ConfigFile, MayRepeatKeysAndNameFilesThatNobodyReads) {
  EXPECT_EQ(values_of("tp-size: 2\ntp-size: 4\n"), "tp_size=4");
  EXPECT_THAT(faults_of("tp-size: 2\ntp-size: 4\n"), HasSubstr("duplicate-key"));
  EXPECT_EQ(values_of("config: other.yaml\ntp-size: 2\n"), "tp_size=2");
  EXPECT_EQ(read_with("# nothing\n").faults(), "");
  EXPECT_FALSE(read_with("# nothing\n").only().has_unseen_arguments);
}

TEST(ConfigFile, HasKeysThatAreStringsToPython) {
  EXPECT_THAT(faults_of("1: 2\n"), HasSubstr("a key must be a string"));
  EXPECT_THAT(faults_of("on: 2\n"), HasSubstr("a key must be a string"));
  EXPECT_THAT(faults_of("'on': 2\n"), HasSubstr("unrecognized arguments: --on"));
}

TEST(ConfigFile, IsNamedOnceAndInTwoWords) {
  EXPECT_THAT(read_with("tp-size: 2\n", "--config c.yaml --config c.yaml").faults(),
              HasSubstr("Multiple config files specified! Only one allowed."));
  for (const char* arguments : {"--config=c.yaml", "--conf c.yaml"}) {
    const ReadText read = read_with("tp-size: 2\n", arguments);
    EXPECT_EQ(read.values(), "") << arguments;
    EXPECT_FALSE(read.only().has_unseen_arguments) << arguments;
    EXPECT_THAT(read.faults(), HasSubstr("does not read the config file")) << arguments;
  }
  EXPECT_THAT(read_with("", "--config c.conf").faults(),
              HasSubstr("Config file must be YAML format, got: .conf"));
  EXPECT_THAT(read_with("", "--tp-size 2 --config").faults(),
              HasSubstr("No config file specified after --config flag!"));
}

TEST(ConfigFile, OfAContainerIsNotReadHere) {
  const ReadText read = [] {
    MemoryFileSystem files;
    files.write("/c.yaml", "tp-size: 2\n");
    return ReadText("docker run lmsysorg/sglang python -m sglang.launch_server --config /c.yaml",
                    InputKind::automatic, &files);
  }();
  EXPECT_TRUE(read.only().has_unseen_arguments);
  EXPECT_EQ(read.values(), "");
  EXPECT_EQ(read.only().faults.at(0).diagnostic.severity, Severity::warning);
}

TEST(ConfigFile, ThatIsMissingIsAFaultOfALaunchThatRunsHere) {
  MemoryFileSystem files;
  const RulePack* pack = &small_pack();
  const LaunchReading reading{{&pack, 1}, &files};
  SourceSet sources;
  Diagnostics warnings;
  const std::vector<std::string> argv = {"sglang", "serve", "--config", "gone.yaml"};
  const auto launch = read_command(sources, argv, reading, warnings);
  ASSERT_TRUE(launch);
  EXPECT_EQ(launch->faults.at(0).diagnostic.severity, Severity::error);
  const ReadText script("sglang serve --config gone.yaml", InputKind::automatic, &files);
  EXPECT_EQ(script.only().faults.at(0).diagnostic.severity, Severity::warning);
}

TEST(ConfigFile, GivenByItselfMayNameFieldsToo) {
  EXPECT_EQ(ReadText("model_path: m\ntp: 4\nenable_metrics: no\n").values(),
            "enable_metrics=False model_path='m' tp_size=4");
  EXPECT_THAT(ReadText("model_path: m\ntp: 4\n").faults(), Not(HasSubstr("error")));
}

}  // namespace
}  // namespace assay::test
