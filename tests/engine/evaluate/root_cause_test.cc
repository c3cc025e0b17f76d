// Logs with the whole shipped knowledge: golden/root_cause/<case>/log.txt and what must be said of
// it.
#include "engine/evaluate/root_cause.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "engine/evaluate/knowledge.h"
#include "engine/evaluate/log_launches.h"
#include "engine/text/file_system.h"
#include "tests/support/golden.h"

namespace assay {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

// Loading costs more than all the cases together.
struct Shipped {
  SourceSet sources;
  Knowledge knowledge;
  std::optional<MessageMatcher> matcher;
  SimilarRecords similar{knowledge.dataset};
};

Shipped& shipped() {
  static Shipped* const known = [] {
    auto* loaded = new Shipped;
    Diagnostics warnings;
    auto knowledge =
        load_knowledge(loaded->sources, DiskFileSystem(), KnowledgeFolder::below(ASSAY_SOURCE_DIR),
                       warnings, KnowledgeParts::without_contracts);
    if (knowledge) {
      loaded->knowledge = std::move(*knowledge);
      auto matcher = MessageMatcher::compile(loaded->knowledge.dataset);
      if (matcher) loaded->matcher.emplace(std::move(*matcher));
    }
    return loaded;
  }();
  EXPECT_TRUE(known->matcher.has_value());
  return *known;
}

Explanation explain(std::string_view log, bool mask = true) {
  ExplainOptions options;
  options.similar = &shipped().similar;
  options.mask = mask;
  Explanation explanation = explain_text(*shipped().matcher, "log", log, options);
  SourceSet sources;
  explain_launches(shipped().knowledge.packs, sources, mask, explanation);
  return explanation;
}

std::string_view name_of(CauseFound found) {
  constexpr std::string_view kNames[]{"nothing", "known", "unknown", "launch", "not in text"};
  return kNames[static_cast<std::size_t>(found)];
}

std::string_view name_of(ErrorRole role) {
  constexpr std::string_view kNames[]{"cause",   "error",   "consequence",
                                      "symptom", "wrapper", "warning"};
  return kNames[static_cast<std::size_t>(role)];
}

std::string_view name_of(Confidence confidence) {
  constexpr std::string_view kNames[]{"certain", "likely", "possible"};
  return kNames[static_cast<std::size_t>(confidence)];
}

std::string summary_of(const Explanation& explanation) {
  std::string text = fmt::format("{}\n", name_of(explanation.found));
  for (const ExplainedError& error : explanation.errors) {
    text += fmt::format("{} {}: {}\n", name_of(error.role),
                        error.record ? error.record->slug : "(no record)", error.matched);
    text += fmt::format("  line {}, {} times, process '{}', ranks {}\n", error.line, error.count,
                        error.process, error.ranks);
    text += fmt::format("  {}: {}\n", name_of(error.confidence), error.why);
    if (!error.file.empty()) text += fmt::format("  in {} of {}\n", error.function, error.file);
    if (error.is_asynchronous) text += "  asynchronous\n";
    if (error.is_known_by_place) text += "  known by place\n";
    for (const SimilarRecord& similar : error.similar)
      text += fmt::format("  near {}\n", similar.record->slug);
  }
  for (const std::string& fetch : explanation.fetch) text += fmt::format("fetch {}\n", fetch);
  for (const auto& launch : explanation.launches) {
    text += fmt::format("launch at line {}\n", launch->line);
    for (const Finding& finding : launch->report.findings)
      text += fmt::format("  breaks {}\n", finding.rule->id);
    if (!launch->command.empty()) text += fmt::format("  repaired {}\n", launch->command);
  }
  return text;
}

class RootCause : public testing::TestWithParam<std::string> {};

TEST_P(RootCause, IsWhatTheCaseSays) {
  const test::GoldenCase golden("root_cause", GetParam());
  EXPECT_TRUE(golden.matches("expected.txt", summary_of(explain(golden.input("log.txt")))));
}

INSTANTIATE_TEST_SUITE_P(Golden, RootCause, testing::ValuesIn(test::golden_cases("root_cause")),
                         test::case_name);

TEST(LogJudge, PartsGiveWhatTheWholeTextGives) {
  const test::GoldenCase golden("root_cause", "ranks_with_the_same_traceback");
  const std::string log = golden.input("log.txt");
  LogJudge judge({}, "log");
  std::size_t number = 0;
  for (std::string_view rest = log; !rest.empty();) {  // a part a line
    const auto end = std::min(rest.find('\n'), rest.size() - 1) + 1;
    const std::string_view line = rest.substr(0, end);
    const MessageMatcher::Findings found = shipped().matcher->search(line);
    judge.add({line, found, ++number, nullptr});
    rest.remove_prefix(end);
  }
  const Explanation in_parts = judge.finish(number);
  const Explanation whole = explain_text(*shipped().matcher, "log", log);
  EXPECT_EQ(summary_of(in_parts), summary_of(whole));
}

TEST(LogJudge, PrivatePartsAreMaskedUnlessAskedFor) {
  const std::string log =
      "[2026-01-02 03:04:05 TP0] Traceback (most recent call last):\n"
      "  File \"/home/alice/a.py\", line 1, in f\n"
      "    f()\n"
      "RuntimeError: lost 10.1.2.3 of alice@gpu-node-7 with hf_abcdefghijklmnopqrstuv\n";
  for (const std::string part : {"alice", "10.1.2.3", "gpu-node-7", "hf_abc"}) {
    EXPECT_THAT(summary_of(explain(log)), Not(HasSubstr(part)));
    EXPECT_THAT(summary_of(explain(log, false)), HasSubstr(part));
  }
}

TEST(LogJudge, TheMaskedLineBeginsBehindWhatNamesTheHost) {
  const std::string log =
      "Jan 02 03:04:05 secret-host vllm[8707]: RuntimeError: nobody knows this one\n";
  EXPECT_EQ(explain(log).errors.at(0).text, "RuntimeError: nobody knows this one");
  EXPECT_THAT(explain(log, false).errors.at(0).text, HasSubstr("secret-host"));
}

TEST(LogJudge, WhatOnlyCarriesTheCauseIsNoAnswer) {
  const auto has_answer = [](const char* name) {
    return explain(test::GoldenCase("root_cause", name).input("log.txt")).has_answer();
  };
  EXPECT_FALSE(has_answer("only_wrappers"));
  EXPECT_FALSE(has_answer("cut_traceback"));
  EXPECT_TRUE(has_answer("only_a_symptom"));
}

TEST(LogJudge, EndlessDifferentErrorsStayBounded) {
  std::string log;
  for (int i = 0; i < 5000; ++i) {
    std::string word;
    for (int n = i; n > 0; n /= 26) word += static_cast<char>('a' + n % 26);
    log += "RuntimeError: quibble of kind " + word + "\n";
  }
  const Explanation explanation = explain(log);
  EXPECT_LE(explanation.errors.size(), 2100u);
  EXPECT_GT(explanation.left_out, 1000u);
}

TEST(LogJudge, HostileLogsEnd) {
  std::string deep;
  for (int i = 0; i < 3000; ++i) deep += "  File \"/a.py\", line 1, in f\n    error()\n";
  std::string links;
  for (int i = 0; i < 3000; ++i)
    links +=
        "KeyError: 1\nDuring handling of the above exception, another exception occurred\n"
        "Traceback (most recent call last):\n";
  for (const std::string& log :
       {deep, links, std::string(1 << 20, 'E'), std::string(1 << 20, '\n'),
        std::string(1 << 16, '\0'), std::string("Error"), std::string("\r\r\r"), std::string()})
    EXPECT_GE(explain(log).lines, 0u);
}

}  // namespace
}  // namespace assay
