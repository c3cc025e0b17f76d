// What a text is recognised as, the golden cases of every form, real reports, hostile text.
#include "engine/read/launch_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "engine/text/shell_words.h"
#include "tests/engine/read/launch_test_support.h"
#include "tests/support/golden.h"

namespace assay::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// A case's folder holds `input.*` and whatever files the launch names, by their names.
class LaunchCase : public testing::TestWithParam<std::string> {};

TEST_P(LaunchCase, IsReadAsTheCaseExpects) {
  const GoldenCase golden("launch", GetParam());
  MemoryFileSystem files;
  std::string input;
  for (const auto& [name, content] : golden.files()) {
    if (name.starts_with("input.")) input = content;
    files.write(name, content);
  }
  const ReadText read(input, InputKind::automatic, &files);
  EXPECT_TRUE(
      golden.matches("expected.txt", show_launches(read.sources, read.launches, read.warnings)));
}
INSTANTIATE_TEST_SUITE_P(Golden, LaunchCase, testing::ValuesIn(golden_cases("launch")), case_name);

TEST(LaunchReader, RefusesWhatIsNoText) {
  EXPECT_THAT(ReadText("").errors(), StartsWith("empty-input"));
  EXPECT_THAT(ReadText(" \n\t\n").errors(), StartsWith("empty-input"));
  EXPECT_THAT(ReadText(std::string("sglang serve\0x", 14)).errors(), StartsWith("binary-input"));
}

TEST(LaunchReader, SaysWhenNoEngineIsStarted) {
  EXPECT_THAT(ReadText("ls -l").errors(), HasSubstr("not-a-launch"));
  EXPECT_THAT(ReadText("echo sglang serve m").errors(), HasSubstr("not-a-launch"));
  EXPECT_THAT(ReadText("pkill -f sglang serve").errors(), HasSubstr("not-a-launch"));
  EXPECT_THAT(ReadText("# sglang serve m\n").errors(), HasSubstr("not-a-launch"));
  EXPECT_THAT(ReadText("[\"ls\", \"-l\"]").errors(), HasSubstr("not-a-launch"));
  EXPECT_THAT(ReadText("no dump", InputKind::dump).errors(), HasSubstr("not-a-launch"));
  EXPECT_THAT(ReadText("{\"scheduler_info\": {}}").errors(), HasSubstr("not-a-launch"));
  EXPECT_THAT(ReadText("kind: Pod\nmetadata: {}\ncontainers: [{command: [ls]}]\n").errors(),
              HasSubstr("not-a-launch"));
}

TEST(LaunchReader, SaysWhenAMapIsNoneOfArguments) {
  EXPECT_THAT(ReadText("colour: red\nsize: 8\n").errors(), StartsWith("unrecognised-input"));
  EXPECT_THAT(ReadText("{\"colour\": 1}").errors(), StartsWith("unrecognised-input"));
}

TEST(LaunchReader, GivesTheFaultsOfAYamlOrJsonText) {
  EXPECT_THAT(ReadText("tp_size: [1\n").errors(), StartsWith("yaml-syntax"));
  EXPECT_THAT(ReadText("{\"tp_size\": }").errors(), StartsWith("json-syntax"));
}

TEST(LaunchReader, RefusesShellTextThatIsTooLarge) {
  EXPECT_THAT(ReadText("sglang serve " + std::string(17u << 20, 'x')).errors(),
              StartsWith("file-too-large"));
}

TEST(LaunchReader, FollowsTheKindItIsTold) {
  const ReadText told("tp_size: 8\nunknown_thing: 1\nother: 2\nthird: 3\n", InputKind::map);
  EXPECT_EQ(told.values(), "tp_size=8");
  EXPECT_THAT(told.faults(), HasSubstr("unknown-key: `unknown_thing`"));
  EXPECT_THAT(ReadText("tp_size: 8", InputKind::command).errors(), HasSubstr("not-a-launch"));
}

TEST(LaunchReader, PutsAnUnclosedQuoteOfALaunchIntoItsFaults) {
  const ReadText read("sglang serve m --host 'a\nsglang serve n\n");
  ASSERT_TRUE(read.launches);
  EXPECT_EQ(read.launches->size(), 2u);
  EXPECT_THAT(read.faults(), StartsWith("unclosed-quote"));
  EXPECT_THAT(ReadText("echo 'a").errors(), StartsWith("unclosed-quote"));
}

TEST(ReadCommand, TakesWordsAsTheyAre) {
  SourceSet sources;
  Diagnostics warnings;
  const RulePack* packs[] = {&small_pack()};
  LaunchReading reading;
  reading.packs = packs;
  const std::vector<std::string> argv{"python3",          "-m",    "sglang.launch_server",
                                      "--model",          "/m $X", "--json-model-override-args",
                                      "{\"a\": \"it's\"}"};
  const auto launch = read_command(sources, argv, reading, warnings);
  ASSERT_TRUE(launch);
  EXPECT_EQ(show_values(small_pack(), *launch),
            "json_model_override_args={'a': \"it's\"} model_path='/m $X'");
  EXPECT_EQ(sources.get(launch->span.source).name(), "<command line>");
  EXPECT_FALSE(read_command(sources, std::vector<std::string>{"ls"}, reading, warnings));
}

// Every command of the reports kept beside the project, where they are.
TEST(RealReports, AreReadWithoutAFaultOfOurs) {
  const char* shared = std::getenv("ASSAY_SHARED_DIR");
  const std::string cases =
      (shared != nullptr ? std::string(shared) : ASSAY_SOURCE_DIR "/../shared") + "/cases";
  if (!std::filesystem::is_directory(cases)) GTEST_SKIP() << "no reports at " << cases;
  int launches = 0;
  for (const auto& entry : std::filesystem::directory_iterator(cases)) {
    std::ifstream file(entry.path());
    std::stringstream content;
    content << file.rdbuf();
    const std::string text = content.str();
    const auto begin = text.find("```bash\n");
    if (begin == std::string::npos) continue;
    const auto end = text.find("```", begin + 8);
    const ReadText read(text.substr(begin + 8, end - begin - 8));
    if (!read.launches) {
      EXPECT_THAT(read.errors(), HasSubstr("not-a-launch")) << entry.path();
      continue;
    }
    launches += static_cast<int>(read.launches->size());
    EXPECT_FALSE(read.only().arguments.empty()) << entry.path();
  }
  EXPECT_GE(launches, 12);
}

TEST(HostileText, IsReadOrRefusedAndNeverWorse) {
  std::string nested = "sglang serve m";
  for (int i = 0; i < 12; ++i)
    nested = "bash -c " + std::string("\"") + "bash -c '" + nested + "'\"";
  std::string quoted = "sglang serve m";
  std::vector<std::string> texts{
      nested,
      "sglang serve " + std::string(10u << 20, 'x'),
      "sglang serve --model '" + std::string(1u << 20, '"'),
      "sglang serve m " + std::string(1u << 20, '['),
      "sglang serve http://m" + std::string(1u << 20, '?'),
      "ServerArgs(" + std::string(1u << 20, '['),
      "ServerArgs(tp_size=<<<<<<<<<<",
      "ServerArgs(" + std::string(300'000, '('),
      std::string(100'000, '{'),
      "a: " + std::string(100'000, '['),
      "\xff\xfe s g l a n g",
      "sglang serve \x80\xff\xfe --\xe2\x80",
  };
  std::string dumps;
  for (int i = 0; i < 2000; ++i) dumps += "ServerArgs(tp_size=" + std::to_string(i) + ") ";
  texts.push_back(dumps);
  std::string flags = "sglang serve m";
  for (int i = 0; i < 5000; ++i) flags += " --unknown-" + std::to_string(i) + " 1";
  texts.push_back(flags);
  std::string exports;
  for (int i = 0; i < 2000; ++i) exports += "export A" + std::to_string(i) + "=1; sglang serve m;";
  texts.push_back(exports);
  std::string templates = "apiVersion: v1\nkind: {{ x }}\ncontainers:\n";
  for (int i = 0; i < 20'000; ++i)
    templates += "  - {{ $__ }}\n\n  {{ else }}\n  {{- toYaml . }}\n";
  texts.push_back(templates);
  texts.push_back("apiVersion: v1\n" + std::string(1u << 20, '{'));
  texts.push_back("FROM x\nCMD [" + std::string(1u << 20, '[') + "\n");
  texts.push_back("FROM x\nCMD sglang serve m \\\n#\n\n\\\n\\");
  texts.push_back("[Service]\nExecStart=" + std::string(1u << 20, '\'') + "\\");
  texts.push_back("[Service]\nExecStart=sglang serve \\\n%\n$\n");
  for (const std::string& text : texts) {
    const ReadText read(text);
    if (!read.launches) {
      EXPECT_FALSE(read.errors().empty());
    }
  }
}

TEST(HostileText, StopsAtDeepNesting) {
  std::string nested = "sglang serve m --tp 8";
  for (int i = 0; i < 3; ++i) nested = "bash -c " + quote_shell_word(nested);
  EXPECT_EQ(ReadText(nested).values(), "model_path='m' tp_size=8");
  for (int i = 0; i < 7; ++i) nested = "bash -c " + quote_shell_word(nested);
  const ReadText deep(nested);
  EXPECT_FALSE(deep.launches);
  ASSERT_FALSE(deep.warnings.empty());
  EXPECT_EQ(deep.warnings[0].code, code::nesting_too_deep);
}

TEST(HostileText, CutAnywhereIsStillRead) {
  const std::string text =
      "export A=1\nnohup env B='x y' docker run -e C=\"$A\" --gpus all img:1 bash -lc \"python3 -m "
      "sglang.launch_server --model-path m \\\n --tp 8 --json-model-override-args '{\\\"a\\\": "
      "1}'\" "
      "> log 2>&1 &";
  for (std::size_t size = 0; size <= text.size(); ++size) {
    const ReadText read(text.substr(0, size));
    if (!read.launches) {
      EXPECT_FALSE(read.errors().empty());
    }
  }
}

}  // namespace
}  // namespace assay::test
