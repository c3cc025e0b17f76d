#include "engine/report/site_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "engine/report/related_errors.h"
#include "engine/report/site_folder.h"
#include "engine/report/source_checkout.h"
#include "tests/engine/report/report_sample.h"
#include "tests/support/golden.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::map<std::string, std::string> files_below(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      files[entry.path().lexically_relative(folder).generic_string()] =
          test::read_test_file(entry.path().string());
  return files;
}

class SiteTest : public testing::Test {
 protected:
  SiteTest() {
    contract_.kernel = "scale_rows";
    contract_.title = "Scale rows";
    ContractTensor& tensor = contract_.tensors.emplace_back();
    tensor.name = "x";
    tensor.documentation = "The <rows>.";
    tensor.dtypes = {DType::bfloat16};
    tensor.shape.push_back({{"2 * rows", {}, false}, false});
    tensor.alignment_bytes = 16;
    ContractClause& clause = contract_.clauses.emplace_back();
    clause.properties = {TensorProperty::dtype};
    clause.tensors = {"x"};
    clause.message = "x must be torch.bfloat16, got {x.dtype}";
    clause.error = sample_.dataset.records[0].id;
    for (const TensorProperty property : {TensorProperty::rank, TensorProperty::contiguous}) {
      ContractClause& grouped = contract_.clauses.emplace_back();
      grouped.properties = {property};
      grouped.tensors = {"x", "y"};
      grouped.group = 1;
      grouped.message = "{name} must be flat";
    }
    std::string name = testing::TempDir() + "/assay-site-XXXXXX";
    folder_ = ::mkdtemp(name.data());
    out_ = (folder_ / "site").string();
  }
  ~SiteTest() override { fs::remove_all(folder_); }

  SiteInput input() {
    SiteInput in;
    in.packs = packs_;
    in.contracts = contracts_;
    in.dataset = &sample_.dataset;
    in.frame.issues_url = "https://github.com/example/assay/issues";
    return in;
  }
  Result<SiteSummary> write() { return write_site(input(), out_); }
  std::string refusal(const Result<SiteSummary>& result) {
    if (result) return "(written)";
    EXPECT_EQ(result.error()[0].code, code::unwritable_output);
    return result.error()[0].message;
  }
  void put(const std::string& name, std::string_view content) {
    std::ofstream(fs::path(out_) / name, std::ios::binary) << content;
  }

  ReportSample sample_;
  const RulePack* packs_[1] = {&sample_.pack};
  TensorContract contract_;
  const TensorContract* contracts_[1] = {&contract_};
  fs::path folder_;
  std::string out_;
};

TEST_F(SiteTest, HasAPageForEachKernelContractWhoseClausesLinkToTheirRecords) {
  ASSERT_TRUE(write().has_value());
  const auto files = files_below(out_);
  const std::string& html = files.at("rules/kernels/scale_rows.html");
  EXPECT_THAT(html, HasSubstr("bfloat16 [2 * rows]"));
  EXPECT_THAT(html, HasSubstr("aligned to 16 bytes"));
  EXPECT_THAT(html, HasSubstr("The &lt;rows&gt;."));
  EXPECT_THAT(html, HasSubstr(sample_.dataset.records[0].slug + ".html"));
  EXPECT_THAT(files.at("rules/kernels/scale_rows.md"), HasSubstr("x must be torch.bfloat16"));
  EXPECT_THAT(files.at("index.html"), HasSubstr("rules/kernels/scale_rows.html"));
}

TEST_F(SiteTest, ShowsTheClausesThatAreAskedForOneTensorBeforeTheNextAsAListOfTheirOwn) {
  ASSERT_TRUE(write().has_value());
  const auto files = files_below(out_);
  EXPECT_THAT(files.at("rules/kernels/scale_rows.md"),
              HasSubstr("For each of `x, y` all of these, before the next of them:\n\n"
                        "2. `rank` "));
  EXPECT_THAT(files.at("rules/kernels/scale_rows.html"), HasSubstr("<ol start=\"2\">"));
}

TEST_F(SiteTest, WritesAPageATwinAndTheDataOfEachRecordAndRule) {
  const auto summary = write();
  ASSERT_TRUE(summary.has_value());
  EXPECT_EQ(summary->records, 2u);
  EXPECT_EQ(summary->rules, 2u);
  std::vector<std::string> names;
  for (const auto& [name, content] : files_below(out_)) names.push_back(name);
  EXPECT_EQ(summary->folder.files + 1, names.size());  // and the list of them
  EXPECT_THAT(names, testing::IsSupersetOf(
                         {"api/errors/50f82a4b5a705b9a.json",
                          "api/errors/f1f5ada3bbfdb861.json",
                          "api/index.json",
                          "api/openapi.json",
                          "api/rules/sglang/attention/tokenspeed-mla-without-fp8-kv.json",
                          "causes/unsupported-argument-combination.html",
                          "errors/index.html",
                          "errors/sglang/index.html",
                          "errors/sglang/kv-must-be-float8.html",
                          "errors/sglang/kv-must-be-float8.md",
                          "files/sgl-project/sglang/python/sglang/srt/arg_groups/overrides.py.html",
                          "index.html",
                          "index.md",
                          "llms.txt",
                          "rules/kernels/scale_rows.html",
                          "rules/sglang/attention/index.html",
                          "rules/sglang/attention/kv-cache-dtype-auto.html",
                          "rules/sglang/index.html",
                          "schemas/error-record.v3.schema.json",
                          "site.js",
                          "style.css",
                          "tags/mla.html"}));
  EXPECT_THAT(names, testing::Not(testing::Contains("sitemap.xml")));  // needs an address
}

TEST_F(SiteTest, PagesAreWhatTheCaseExpects) {
  ASSERT_TRUE(write().has_value());
  const auto files = files_below(out_);
  const test::GoldenCase golden("site", "two_records");
  for (const std::string page :
       {"errors/sglang/tokenspeed-mla-backend-requires-kv-cache-dtype-fp8.html",
        "errors/sglang/tokenspeed-mla-backend-requires-kv-cache-dtype-fp8.md",
        "rules/sglang/attention/tokenspeed-mla-without-fp8-kv.html",
        "rules/sglang/attention/tokenspeed-mla-without-fp8-kv.md", "index.md", "errors/index.md",
        "rules/sglang/index.md", "api/index.json", "api/errors/50f82a4b5a705b9a.json"})
    EXPECT_TRUE(golden.matches(fs::path(page).filename() == "index.md"
                                   ? fs::path(page).parent_path().filename().string() + "index.md"
                                   : fs::path(page).filename().string(),
                               files.at(page)));
}

TEST_F(SiteTest, SectionsStandInTheirOrder) {
  ASSERT_TRUE(write().has_value());
  const std::string page =
      files_below(out_).at("errors/sglang/tokenspeed-mla-backend-requires-kv-cache-dtype-fp8.md");
  std::size_t last = 0;
  for (const std::string heading :
       {"# tokenspeed", "## Error message", "## What it means", "## Source", "## Solutions",
        "## Example fix", "## Validation code", "## Type guard", "## When it happens",
        "**Trigger:**", "**Common situations:**", "## Related errors", "AI-assisted analysis"}) {
    const auto at = page.find(heading);
    ASSERT_NE(at, std::string::npos) << heading;
    EXPECT_GT(at + 1, last) << heading;
    last = at;
  }
}

TEST_F(SiteTest, EveryLinkLeadsToAFile) {
  ASSERT_TRUE(write().has_value());
  const auto files = files_below(out_);
  std::size_t links = 0;
  for (const auto& [name, content] : files) {
    if (!name.ends_with(".html")) continue;
    for (auto at = content.find("href=\""); at != std::string::npos;
         at = content.find("href=\"", at + 1)) {
      const std::string target = content.substr(at + 6, content.find('"', at + 6) - at - 6);
      if (target.starts_with("https://") || target.starts_with('#') || target == "data:,") continue;
      const std::string file =
          (fs::path(name).parent_path() / target).lexically_normal().generic_string();
      EXPECT_TRUE(files.contains(file)) << name << " links to " << target;
      ++links;
    }
  }
  EXPECT_GT(links, 30u);
}

TEST_F(SiteTest, TheSameInputGivesTheSameBytes) {
  ASSERT_TRUE(write().has_value());
  const auto first = files_below(out_);
  ASSERT_TRUE(write().has_value());
  EXPECT_EQ(files_below(out_), first);
}

TEST_F(SiteTest, HostileRecordsStayText) {
  sample_.dataset.records.push_back(hostile_record());
  sample_.pack.rules[1].summary = sample_.pack.rules[1].message = kHostile;
  sample_.pack.rules[1].id = "../../" + kHostile;
  sample_.pack.rules[1].documentation = sample_.pack.rules[1].ignore_when = kHostile;
  sample_.pack.title = sample_.pack.repository = kHostile;
  sample_.pack.rules[1].source.file = kHostile;
  ASSERT_TRUE(write().has_value());
  for (const auto& [name, content] : files_below(out_)) {
    EXPECT_THAT(content, Not(HasSubstr("\x1b"))) << name;
    EXPECT_THAT(content, Not(HasSubstr("\xff"))) << name;
    if (name.ends_with(".html")) {
      EXPECT_THAT(content, Not(HasSubstr("<script>"))) << name;
      EXPECT_THAT(content, Not(HasSubstr("\xe2\x80\xae"))) << name;
      EXPECT_THAT(content, Not(HasSubstr("href=\"javascript"))) << name;
      EXPECT_THAT(content, Not(HasSubstr("alert('"))) << name;
    }
  }
  // Nothing was written beside the site.
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(SiteTest, ASecondRunReplacesTheFirstWhole) {
  ASSERT_TRUE(write().has_value());
  sample_.dataset.records.pop_back();
  ASSERT_TRUE(write().has_value());
  EXPECT_FALSE(fs::exists(fs::path(out_) / "errors/sglang/kv-must-be-float8.html"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(SiteTest, OnlyFilesThatDifferAreWritten) {
  ASSERT_TRUE(write().has_value());
  const auto inode = [&](const std::string& name) {
    struct stat status {};
    EXPECT_EQ(::stat((fs::path(out_) / name).c_str(), &status), 0) << name;
    return status.st_ino;
  };
  const auto untouched = inode("rules/kernels/scale_rows.html");
  const auto folder = inode(".");
  const auto again = write();
  ASSERT_TRUE(again.has_value());
  EXPECT_TRUE(again->folder.is_current());
  EXPECT_EQ(inode("."), folder);

  sample_.dataset.records[0].documentation = "Another text.";
  const auto changed = write();
  ASSERT_TRUE(changed.has_value());
  EXPECT_EQ(changed->folder.written, 3u);  // its page, the twin, its JSON
  EXPECT_EQ(inode("rules/kernels/scale_rows.html"), untouched);
  EXPECT_NE(inode("."), folder);
}

TEST_F(SiteTest, AFileThatSomebodyChangedIsWrittenAgain) {
  ASSERT_TRUE(write().has_value());
  put("index.html", "mine");
  const auto changed = write();
  ASSERT_TRUE(changed.has_value());
  EXPECT_EQ(changed->folder.written, 1u);
  EXPECT_THAT(changed->folder.examples, ElementsAre("index.html"));
  EXPECT_THAT(files_below(out_).at("index.html"), HasSubstr("<!doctype html>"));
}

TEST_F(SiteTest, ACheckSaysWhatDiffersAndWritesNothing) {
  const auto missing = write_site(input(), out_, SiteFolder::Mode::check);
  ASSERT_TRUE(missing.has_value());
  EXPECT_FALSE(missing->folder.is_current());
  EXPECT_FALSE(fs::exists(out_));

  ASSERT_TRUE(write().has_value());
  EXPECT_TRUE(write_site(input(), out_, SiteFolder::Mode::check)->folder.is_current());
  const auto before = files_below(out_);
  sample_.dataset.records.pop_back();
  const auto stale = write_site(input(), out_, SiteFolder::Mode::check);
  ASSERT_TRUE(stale.has_value());
  EXPECT_EQ(stale->folder.removed, 5u);  // page, twin, JSON; and the tag that only it had, twice
  EXPECT_EQ(files_below(out_), before);
}

TEST_F(SiteTest, AddressesThatPagesCannotHaveAreRefused) {
  SiteInput bad = input();
  bad.frame.base_url = "javascript:alert(1)";
  bad.frame.edit_url = "https://x/\"onclick";
  const auto refused = write_site(bad, out_);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().size(), 2u);
  EXPECT_EQ(refused.error()[0].code, code::invalid_value);
}

TEST_F(SiteTest, PagesKnowTheirAddressWhereTheSiteHasOne) {
  SiteInput known = input();
  known.frame.base_url = "https://example.org/assay/";
  known.frame.edit_url = "https://example.org/edit/";
  ASSERT_TRUE(write_site(known, out_).has_value());
  const auto files = files_below(out_);
  const std::string& page = files.at("rules/sglang/attention/tokenspeed-mla-without-fp8-kv.html");
  const std::string address =
      "https://example.org/assay/rules/sglang/attention/tokenspeed-mla-without-fp8-kv.html";
  EXPECT_THAT(page, HasSubstr("<link rel=\"canonical\" href=\"" + address));
  EXPECT_THAT(page, HasSubstr("<meta property=\"og:url\" content=\"" + address));
  EXPECT_THAT(page, HasSubstr("https://example.org/edit/rules/sglang/attention/"));
  EXPECT_THAT(files.at("sitemap.xml"), HasSubstr("<loc>" + address + "</loc>"));
  EXPECT_THAT(files.at("sitemap.xml"), HasSubstr("<loc>https://example.org/assay/</loc>"));
}

TEST_F(SiteTest, AFolderWithOtherFilesIsRefusedAndLeftAlone) {
  fs::create_directory(out_);
  put("thesis.txt", "mine");
  EXPECT_THAT(refusal(write()), HasSubstr("did not write"));
  EXPECT_THAT(files_below(out_), ElementsAre(testing::Pair("thesis.txt", "mine")));

  fs::remove(fs::path(out_) / "thesis.txt");
  ASSERT_TRUE(write().has_value());  // an empty folder is fine
  put("CNAME", "x.org");
  EXPECT_THAT(refusal(write()), HasSubstr("`CNAME`"));
  EXPECT_TRUE(fs::exists(fs::path(out_) / "CNAME"));
}

TEST_F(SiteTest, AFileInPlaceOfTheFolderIsRefused) {
  std::ofstream(out_) << "x";
  EXPECT_THAT(refusal(write()), HasSubstr("it is no folder"));
  EXPECT_THAT(refusal(write_site(input(), "/")), HasSubstr("root"));
}

TEST_F(SiteTest, ADraftThatIsNotPublishedLeavesTheOldSite) {
  ASSERT_TRUE(write().has_value());
  const auto before = files_below(out_);
  {
    auto draft = SiteFolder::create(out_);
    ASSERT_TRUE(draft.has_value());
    ASSERT_TRUE(draft->add("index.html", "half").has_value());
    EXPECT_EQ(files_below(out_), before);
  }
  EXPECT_EQ(files_below(out_), before);
  // What a killed run leaves is no hindrance.
  fs::create_directory(folder_ / ".site.assay-draft");
  std::ofstream(folder_ / ".site.assay-draft/index.html") << "half";
  ASSERT_TRUE(write().has_value());
  EXPECT_EQ(files_below(out_), before);
}

TEST_F(SiteTest, ALinkToAFolderIsFollowed) {
  fs::create_directory(folder_ / "real");
  fs::create_directory_symlink(folder_ / "real", out_);
  ASSERT_TRUE(write().has_value());
  EXPECT_TRUE(fs::is_symlink(out_));
  EXPECT_TRUE(fs::exists(folder_ / "real/index.html"));
}

TEST_F(SiteTest, AFolderThatCannotBeWrittenIsReported) {
  EXPECT_THAT(refusal(write_site(input(), "/proc/self/site")), HasSubstr("cannot create"));
  // A full disk: /dev/full takes no byte.
  auto draft = SiteFolder::create(out_);
  ASSERT_TRUE(draft.has_value());
  fs::create_symlink("/dev/full", folder_ / ".site.assay-draft/page.html");
  const auto added = draft->add("page.html", std::string(100000, 'x'));
  ASSERT_FALSE(added.has_value());
  EXPECT_THAT(added.error()[0].message, HasSubstr("cannot write"));
}

TEST_F(SiteTest, TwoPagesOfOneNameAreReported) {
  sample_.pack.rules[1].id = sample_.pack.rules[0].id;
  EXPECT_THAT(refusal(write()), HasSubstr("two pages"));
  EXPECT_FALSE(fs::exists(out_));
}

TEST(SourceCheckout, GivesTheLinesAroundTheRecords) {
  MemoryFileSystem files;
  std::string text;
  for (int i = 1; i <= 100; ++i) text += "line " + std::to_string(i) + "\n";
  files.write("/src/python/a.py", text);
  ErrorRecord record = sample_record();
  record.file_path = "python/a.py";
  record.line_number = 50;
  const ErrorRecord filled = with_source_excerpt(record, files, "/src");
  EXPECT_EQ(filled.source_code_start, 32);
  EXPECT_EQ(filled.source_code_end, 68);
  EXPECT_THAT(*filled.source_code, testing::StartsWith("line 32\n"));
  EXPECT_THAT(*filled.source_code, testing::EndsWith("\nline 68"));

  record.line_number = 101;  // the file is of another version
  EXPECT_FALSE(with_source_excerpt(record, files, "/src").source_code.has_value());
  record.line_number = 3;
  record.file_path = "../src/python/a.py";
  EXPECT_FALSE(with_source_excerpt(record, files, "/src").source_code.has_value());
}

ErrorRecord tagged(std::string id, std::string message, std::vector<std::string> tags) {
  ErrorRecord record;
  record.id = std::move(id);
  record.error_message = std::move(message);
  record.tags = std::move(tags);
  return record;
}

TEST(RelatedErrors, RareSharedTagsCountMoreThanCommonOnes) {
  Dataset dataset;
  dataset.records = {tagged("a", "one", {"engine", "mla"}), tagged("b", "two", {"engine"}),
                     tagged("c", "six", {"engine", "mla"}), tagged("d", "ten", {"engine"}),
                     tagged("e", "eleven", {"engine"})};
  for (std::size_t i = 0; i < dataset.records.size(); ++i) dataset.by_id[dataset.records[i].id] = i;
  auto related = RelatedErrors(dataset).of(0);
  ASSERT_FALSE(related.empty());
  EXPECT_EQ(related[0].record->id, "c");
  EXPECT_EQ(related[0].reason, "also about mla");

  dataset.records[0].see_also = {{"e", "the opposite case"}, {"nobody", "x"}};
  related = RelatedErrors(dataset).of(0, 2);
  ASSERT_EQ(related.size(), 2u);
  EXPECT_EQ(related[0].record->id, "e");
  EXPECT_EQ(related[0].reason, "the opposite case");
  EXPECT_EQ(related[1].record->id, "c");
}

TEST(RelatedErrors, SimilarWordsAreEnoughAndPlaceholdersDoNotCount) {
  Dataset dataset;
  dataset.records = {tagged("a", "kv must be contiguous, got {shape}", {}),
                     tagged("b", "indices must be contiguous", {}),
                     tagged("c", "port {shape} in use", {})};
  const RelatedErrors related(dataset);
  ASSERT_EQ(related.of(0).size(), 1u);
  EXPECT_EQ(related.of(0)[0].record->id, "b");
  EXPECT_EQ(related.of(0)[0].reason, "a similar message");
  EXPECT_TRUE(related.of(2).empty());
}

}  // namespace
}  // namespace assay
