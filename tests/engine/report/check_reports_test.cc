// The reports of a check, whole, against golden files, and with hostile input.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "engine/report/ci_reports.h"
#include "engine/report/json_report.h"
#include "engine/report/text_report.h"
#include "tests/engine/report/report_sample.h"
#include "tests/support/golden.h"

namespace assay {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct NamedReport {
  std::string file;
  std::string text;
};

std::vector<NamedReport> all_reports(const ReportInput& input) {
  TextOptions plain;
  TextOptions verbose;
  verbose.is_verbose = true;
  TextOptions colored;
  colored.style.use_color = true;
  return {{"text.txt", write_text_report(input, plain)},
          {"verbose.txt", write_text_report(input, verbose)},
          {"color.txt", write_text_report(input, colored)},
          {"report.json", write_json_report(input)},
          {"report.sarif", write_sarif_report(input)},
          {"junit.xml", write_junit_report(input)},
          {"github.txt", write_github_report(input)}};
}

void make_clean(ReportSample& sample) {
  CheckReport& report = sample.report();
  report.findings.clear();
  report.undecided.clear();
  report.adjustments.clear();
  report.repairs.clear();
}

// Two launches of one manifest, with a fault of the argument parser, a warning and no repair.
struct ManifestSample : ReportSample {
  LaunchFault fault;
  Launch second;

  ManifestSample() {
    fault.diagnostic =
        make_error(code::unknown_flag, span_of("--trust-remote-code"),
                   "there is no flag `--trust-remote-code`", "did you mean `--trust-remote`?");
    fault.message = "unrecognized arguments: --trust-remote-code";
    fault.flag = "--trust-remote-code";
    Finding refused;
    refused.fault = &fault;
    refused.span = fault.diagnostic.span;
    refused.stops_here = true;
    report().findings.insert(report().findings.begin(), refused);
    report().findings[1].severity = Severity::warning;
    report().findings[1].stops_here_at_the_latest = false;
    report().findings[1].facts[0].candidates = {"'tokenspeed_mla'", "'flashmla'"};
    report().repairs.clear();
    report().no_repair_reason = "no change of at most three arguments leaves no violation";
    Finding failed = report().undecided[0];
    failed.waits_for.clear();
    failed.evaluation_error = "no such key: `dtype`";
    report().undecided.replace(0, failed);
    launch.label = "container `sglang` of Deployment `server`";
    second = launch;
    second.label = "container `draft` of Deployment `server`";
    CheckedLaunch clean;
    clean.launch = &second;
    clean.report.pack = "sglang";
    clean.report.engine_version = "0.5.9";
    launches.push_back(std::move(clean));
  }
};

// Everything a stranger can write is hostile.
struct HostileSample : ReportSample {
  Rule rule = sample_rule();

  HostileSample() {
    sources.add(kHostile + ".yaml", "first\n" + kHostile + "\n");
    dataset.records[0] = hostile_record();
    dataset.by_id.clear();
    dataset.by_id["x"] = 0;
    rule.id = rule.summary = rule.documentation = rule.ignore_when = rule.source.file = kHostile;
    rule.source.raises = kHostile;
    rule.error = "x";
    launch.label = kHostile;
    launch.span = {1, 6, 20};
    Finding& finding = report().findings[0];
    finding.rule = &rule;
    finding.message = finding.label = kHostile;
    finding.span = {1, 6, 12};
    finding.facts = {{kHostile, kHostile, Origin::rule, finding.span, &rule, kHostile, {}}};
    report().pack = report().engine_version = kHostile;
    Finding undecided = report().undecided[0];
    undecided.waits_for = {kHostile};
    report().undecided.replace(0, undecided);
    undecided = report().undecided[1];
    undecided.evaluation_error = kHostile;
    report().undecided.replace(1, undecided);
    report().repairs[0].why = report().repairs[0].command = kHostile;
    report().repairs[0].changes[0].flag = kHostile;
    report().adjustments.clear();
    report().adjustments.push_back(Adjustment{&rule, kHostile, kHostile, kHostile, kHostile});
  }
};

class CheckReports : public testing::TestWithParam<std::string> {};

TEST_P(CheckReports, AreWhatTheCaseExpects) {
  ReportSample violation;
  ReportSample clean;
  make_clean(clean);
  const ManifestSample manifest;
  const HostileSample hostile;
  const std::map<std::string, const ReportSample*> samples{
      {"violation", &violation}, {"clean", &clean}, {"manifest", &manifest}, {"hostile", &hostile}};
  ASSERT_TRUE(samples.contains(GetParam())) << "no sample is named after this case";
  const test::GoldenCase golden("report", GetParam());
  for (const NamedReport& report : all_reports(samples.at(GetParam())->input()))
    EXPECT_TRUE(golden.matches(report.file, report.text)) << report.file;
}

INSTANTIATE_TEST_SUITE_P(Golden, CheckReports, testing::ValuesIn(test::golden_cases("report")),
                         test::case_name);

// Runs the validator of tests/support on `document`; 0: valid, 77: not available.
int validate(const std::string& schema, const std::string& document, bool is_strict) {
  const std::string path = testing::TempDir() + "/assay-document-" +
                           testing::UnitTest::GetInstance()->current_test_info()->name() + ".json";
  std::ofstream(path, std::ios::binary) << document;
  const std::string command = "python3 '" ASSAY_TESTS_DIR "/support/validate_json.py' " +
                              std::string(is_strict ? "--strict " : "") + "'" + schema + "' '" +
                              path + "'";
  const int status = std::system(command.c_str());
  std::filesystem::remove(path);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

std::vector<std::string> documents(std::string (*write)(const ReportInput&)) {
  ReportSample clean;
  make_clean(clean);
  return {write(ReportSample().input()), write(clean.input()), write(ManifestSample().input()),
          write(HostileSample().input())};
}

TEST(JsonReport, FollowsItsSchema) {
  for (const std::string& document : documents(write_json_report)) {
    const int status =
        validate(ASSAY_SOURCE_DIR "/dataset/schema/check-report.schema.json", document, true);
    if (status == 77) GTEST_SKIP() << "python3-jsonschema is not installed";
    EXPECT_EQ(status, 0) << document;
  }
}

TEST(JsonReport, ExplanationsFollowTheirSchema) {
  const ErrorRecord record = hostile_record();
  std::vector<Explanation> texts(2);
  Explanation& explanation = texts[0];
  explanation.source = kHostile;
  explanation.lines = 3;
  explanation.found = CauseFound::known;
  explanation.fetch.emplace_back(kHostile);
  explanation.left_out = 7;
  ExplainedError known;
  known.record = &record;
  known.line = 2;
  known.column = 1;
  known.text = known.matched = known.why = known.process = known.file = known.function =
      known.code = known.error_class = kHostile;
  known.captures.push_back({kHostile, kHostile});
  known.count = 1;
  known.ranks = {kHostile, "TP1"};
  ExplainedError unknown = known;
  unknown.record = nullptr;
  unknown.similar.push_back(
      {&record,
       0.5,
       {{WordDifference::Side::log_only, kHostile}, {WordDifference::Side::both, "x"}}});
  explanation.errors = {known, unknown};
  auto launch = std::make_unique<ExplainedLaunch>();
  launch->line = 1;
  launch->command = kHostile;
  launch->report.pack = "sglang";
  launch->report.findings.emplace_back();
  const Rule rule = sample_rule();
  launch->report.findings[0].rule = &rule;
  launch->report.repairs.emplace_back();
  explanation.launches.push_back(std::move(launch));
  texts[1].source = "empty.log";
  const int status = validate(ASSAY_SOURCE_DIR "/dataset/schema/explain-report.schema.json",
                              write_json_explanations(texts), true);
  if (status == 77) GTEST_SKIP() << "python3-jsonschema is not installed";
  EXPECT_EQ(status, 0);
}

TEST(SarifReport, FollowsThePublishedSchema) {
  std::string schema;
  for (const std::string folder : {"/shared", "/../shared", "/../../shared"}) {
    const std::string path = ASSAY_SOURCE_DIR + folder + "/schemas/sarif-schema-2.1.0.json";
    if (std::filesystem::exists(path)) schema = path;
  }
  if (schema.empty()) GTEST_SKIP() << "shared/schemas/sarif-schema-2.1.0.json is not there";
  for (const std::string& document : documents(write_sarif_report)) {
    const int status = validate(schema, document, false);
    if (status == 77) GTEST_SKIP() << "python3-jsonschema is not installed";
    EXPECT_EQ(status, 0) << document;
  }
}

TEST(JunitReport, IsWellFormedWhateverItHolds) {
  for (const std::string& document : documents(write_junit_report)) {
    const std::string path = testing::TempDir() + "/assay-junit.xml";
    std::ofstream(path, std::ios::binary) << document;
    EXPECT_EQ(
        std::system(("python3 -c 'import sys, xml.etree.ElementTree as e; e.parse(sys.argv[1])' '" +
                     path + "'")
                        .c_str()),
        0);
    std::filesystem::remove(path);
  }
}

TEST(GithubReport, HostileTextCannotStartAnotherCommand) {
  const std::string report = write_github_report(HostileSample().input());
  EXPECT_EQ(std::count(report.begin(), report.end(), '\n'), 1);
  EXPECT_THAT(report, HasSubstr("%250A"));
  EXPECT_THAT(report, Not(HasSubstr("\r")));
  const std::string properties = report.substr(0, report.find("::", 2));
  EXPECT_THAT(properties, Not(HasSubstr("::error: ::")));
}

TEST(TextReport, HostileTextCannotSteerTheTerminal) {
  TextOptions verbose;
  verbose.is_verbose = true;
  const HostileSample sample;
  for (const std::string& text :
       {write_text_report(sample.input(), {}), write_text_report(sample.input(), verbose),
        write_text_record(hostile_record(), verbose)}) {
    for (const char c : text)
      ASSERT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20) << text;
    EXPECT_THAT(text, Not(HasSubstr("\xe2\x80\xae")));
    EXPECT_THAT(text, Not(HasSubstr("\xff")));
    EXPECT_THAT(text, HasSubstr("\\x1b[31m"));
  }
}

TEST(TextReport, AFaultWithoutAnyPlaceIsStillShown) {
  ReportSample sample;
  Finding bare;
  bare.message = "something is wrong";
  sample.report().findings = {bare};
  sample.launch.span = {};
  for (const NamedReport& report : all_reports(sample.input()))
    EXPECT_THAT(report.text, HasSubstr("something is wrong")) << report.file;
}

TEST(TextReport, ASpanAtTheEndOfTheTextIsShown) {
  ReportSample sample;
  const auto size = static_cast<std::uint32_t>(sample.sources.get(0).text().size());
  sample.report().findings[0].span = {0, size, size};
  EXPECT_THAT(write_text_report(sample.input(), {}), HasSubstr("run.sh:4:1"));
}

}  // namespace
}  // namespace assay
