#include "engine/read/model_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/golden.h"

namespace assay {
namespace {

const std::string kTable = R"(
sources: {here: {documentation: Made for this test.}}
keys: [model_type, layers, quantization_config]
quantization_keys: [quant_method]
models:
  Acme/Big:
    also: [Acme/Big-Base, other/Small]
    source: here
    config: {model_type: big, layers: 61, quantization_config: {quant_method: fp8}}
    facts: {checkpoint.is_fp4: true}
  second/Small:
    source: here
    config: {model_type: small}
)";

std::vector<PublicModel> table_of(const std::string& text) {
  SourceSet sources;
  auto table = read_model_table(sources, sources.add("models.yaml", text));
  EXPECT_TRUE(table) << (table ? "" : table.error().front().message);
  return table ? std::move(*table) : std::vector<PublicModel>();
}

std::string found(const std::string& model_path) {
  static const std::vector<PublicModel> table = table_of(kTable);
  const PublicModel* model = find_public_model(table, model_path);
  return model == nullptr ? "none" : model->names.front();
}

TEST(FindPublicModel, ComparesNamesAsTheHubDoes) {
  EXPECT_EQ(found("Acme/Big"), "Acme/Big");
  EXPECT_EQ(found("acme/big-base"), "Acme/Big");
  EXPECT_EQ(found("other/small"), "Acme/Big");
  EXPECT_EQ(found("Big"), "none");
  EXPECT_EQ(found("someone/Big"), "none");
  EXPECT_EQ(found("Acme/Big-finetuned"), "none");
  EXPECT_EQ(found("models/Acme/Big"), "none");
  EXPECT_EQ(found(""), "none");
  EXPECT_EQ(found("/"), "none");
}

TEST(FindPublicModel, TakesNoPathForAName) {
  for (const char* path : {"/models/Acme/Big", "/models/Acme/Big/", "~/Big-Base", "/Big", "./Big",
                           "./Acme/Big", "../Acme/Big", "/models/second/Small", "Acme/Big/4bit"})
    EXPECT_EQ(found(path), "none") << path;
}

TEST(FindPublicModel, KnowsFoldersOfTheHubsCache) {
  const std::string cache = "/root/.cache/huggingface/hub/";
  EXPECT_EQ(found(cache + "models--Acme--Big/snapshots/0123abc"), "Acme/Big");
  EXPECT_EQ(found(cache + "models--Acme--Big/snapshots/0123abc/"), "Acme/Big");
  EXPECT_EQ(found(cache + "models--Acme--Other/snapshots/0123abc"), "none");
  EXPECT_EQ(found(cache + "models--Acme/snapshots/0123abc"), "none");
}

TEST(FactsOfAPublicModel, AreItsConfigAndWhatElseIsKnown) {
  const auto facts = facts_of(table_of(kTable).front());
  ASSERT_EQ(facts.size(), 2u);
  EXPECT_EQ(facts[0].name, "model.config");
  EXPECT_EQ(facts[0].value.find("layers")->integer, 61);
  EXPECT_EQ(facts[0].origin, Origin::model_config);
  EXPECT_THAT(facts[0].source, testing::HasSubstr("Acme/Big"));
  EXPECT_EQ(facts[1].name, "checkpoint.is_fp4");
}

TEST(ReadModelTable, ReportsEveryFaultAtItsPlace) {
  SourceSet sources;
  const SourceId source = sources.add("models.yaml", R"(
sources: {here: {documentation: Made for this test., colour: red}}
keys: [model_type]
quantization_keys: []
models:
  Acme/Big: {source: there, config: {model_type: big, layers: 61}}
  acme/big: {source: here, config: {quantization_config: {bits: 4}}}
  Big: {config: [], also: [1], shape: round}
)");
  const auto refused = read_model_table(sources, source);
  ASSERT_FALSE(refused);
  std::string faults;
  for (const Diagnostic& fault : refused.error())
    faults += std::string(fault.code.name) + ":" +
              std::to_string(sources.get(source).position(fault.span.begin).line) + " ";
  EXPECT_EQ(faults,
            "unknown-key:2 invalid-value:6 unknown-key:6 duplicate-id:7 unknown-key:7 "
            "unknown-key:7 unknown-key:8 missing-key:8 invalid-value:8 wrong-type:8 wrong-type:8 ");
}

TEST(ReadModelTable, ReadsTheShippedOne) {
  const auto table = table_of(test::read_test_file(ASSAY_SOURCE_DIR "/rules/models.yaml"));
  EXPECT_GE(table.size(), 100u);
  for (const PublicModel& model : table)
    for (const std::string& name : model.names)
      EXPECT_EQ(find_public_model(table, name), &model) << name;
}

}  // namespace
}  // namespace assay
