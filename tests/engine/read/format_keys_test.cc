// The JSON Schemas (for editors and other programs) and the readers know the same keys.
#include "engine/read/format_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <span>
#include <string>

#include "engine/text/json_reader.h"
#include "tests/support/golden.h"

namespace assay {
namespace {

struct Keys {
  std::set<std::string> all;
  std::set<std::string> required;
  bool operator==(const Keys&) const = default;
};
void PrintTo(const Keys& keys, std::ostream* out) {
  *out << testing::PrintToString(keys.all) << ", required "
       << testing::PrintToString(keys.required);
}

Keys operator+(Keys a, const Keys& b) {
  a.all.insert(b.all.begin(), b.all.end());
  a.required.insert(b.required.begin(), b.required.end());
  return a;
}

Keys of_reader(std::span<const DocumentKey> table) {
  Keys keys;
  for (const DocumentKey& key : table) {
    keys.all.emplace(key.name);
    if (key.is_required) keys.required.emplace(key.name);
  }
  return keys;
}

// Of the object that the schema describes at its root, or under $defs/`definition`.
Keys of_schema(const std::string& path, const std::string& definition = {}) {
  SourceSet sources;
  const SourceId id =
      sources.add(path, test::read_test_file(std::string(ASSAY_SOURCE_DIR) + "/" + path));
  const auto schema = read_json(sources, id);
  if (!schema) {
    ADD_FAILURE() << path << " is not JSON";
    return {};
  }
  const Node* object = &*schema;
  if (!definition.empty()) object = schema->find("$defs")->find(definition);
  Keys keys;
  if (object == nullptr || object->find("properties") == nullptr) {
    ADD_FAILURE() << path << " does not describe `" << definition << "`";
    return keys;
  }
  for (const Entry& property : object->find("properties")->entries) keys.all.insert(property.key);
  if (const Node* required = object->find("required"))
    for (const Node& name : required->items) keys.required.insert(name.text);
  EXPECT_FALSE(object->find("additionalProperties")->boolean) << path << " " << definition;
  return keys;
}

TEST(FormatKeys, OfPackFilesAreThoseOfTheSchema) {
  const std::string path = "rules/schema/pack.schema.json";
  EXPECT_EQ(of_schema(path), of_reader(kPackKeys));
  EXPECT_EQ(of_schema(path, "launcher"), of_reader(kLauncherKeys));
  EXPECT_EQ(of_schema(path, "overlay"), of_reader(kOverlayKeys));
  EXPECT_EQ(of_schema(path, "stage"), of_reader(kStageKeys));
  EXPECT_EQ(of_schema(path, "step"), of_reader(kStepKeys));
  EXPECT_EQ(of_schema(path, "example_fixes"), of_reader(kExampleSurroundingsKeys));
}

TEST(FormatKeys, OfFactFilesAreThoseOfTheSchemas) {
  EXPECT_EQ(of_schema("rules/schema/arguments.schema.json"), of_reader(kArgumentsFileKeys));
  EXPECT_EQ(of_schema("rules/schema/arguments.schema.json", "argument"), of_reader(kArgumentKeys));
  EXPECT_EQ(of_schema("rules/schema/facts.schema.json"), of_reader(kFactsFileKeys));
  EXPECT_EQ(of_schema("rules/schema/facts.schema.json", "fact"), of_reader(kFactKeys));
}

TEST(FormatKeys, OfTheTableOfModelsAreThoseOfTheSchema) {
  const std::string path = "rules/schema/models.schema.json";
  EXPECT_EQ(of_schema(path), of_reader(kModelTableKeys));
  EXPECT_EQ(of_schema(path, "source"), of_reader(kModelSourceKeys));
  EXPECT_EQ(of_schema(path, "model"), of_reader(kModelKeys));
}

TEST(FormatKeys, OfTheTableOfMatricesAreThoseOfTheSchema) {
  const std::string path = "rules/schema/matrices.schema.json";
  EXPECT_EQ(of_schema(path), of_reader(kMatrixTableKeys));
  EXPECT_EQ(of_schema(path, "matrix"), of_reader(kMatrixKeys));
  EXPECT_EQ(of_schema(path, "model"), of_reader(kMatrixModelKeys));
}

TEST(FormatKeys, OfRetiredRecordsAreThoseOfTheSchema) {
  const std::string path = "dataset/schema/retired.schema.json";
  EXPECT_EQ(of_schema(path), of_reader(kRetirementKeys));
  EXPECT_EQ(of_schema(path, "retired"), of_reader(kRetiredRecordKeys));
  EXPECT_EQ(of_schema(path, "moved"), of_reader(kMovedSlugKeys));
}

TEST(FormatKeys, OfRulesAreThoseOfTheSchema) {
  const std::string path = "rules/schema/rule.schema.json";
  EXPECT_EQ(of_schema(path), of_reader(kRuleKeys));
  EXPECT_EQ(of_schema(path, "case"), of_reader(kCaseKeys));
  EXPECT_EQ(of_schema(path, "effect"), of_reader(kEffectKeys));
  EXPECT_EQ(of_schema(path, "fix"), of_reader(kFixKeys));
  EXPECT_EQ(of_schema(path, "source"), of_reader(kRuleSourceKeys));
  EXPECT_EQ(of_schema(path, "example"), of_reader(kExampleKeys));
}

TEST(FormatKeys, OfContractsAreThoseOfTheSchema) {
  const std::string path = "rules/schema/contract.schema.json";
  EXPECT_EQ(of_schema(path), of_reader(kContractKeys));
  EXPECT_EQ(of_schema(path, "tensor"), of_reader(kContractTensorKeys));
  EXPECT_EQ(of_schema(path, "extent"), of_reader(kContractExtentKeys));
  EXPECT_EQ(of_schema(path, "scalar"), of_reader(kContractScalarKeys));
  EXPECT_EQ(of_schema(path, "clause"), of_reader(kContractClauseKeys));
  EXPECT_EQ(of_schema(path, "group"), of_reader(kContractGroupKeys));
}

TEST(FormatKeys, OfRecordsAreThoseOfTheSchemas) {
  const std::string v2 = "dataset/schema/error-record.v2.schema.json";
  const std::string v3 = "dataset/schema/error-record.v3.schema.json";
  EXPECT_EQ(of_schema(v2, "record"), of_reader(kRecordKeys));
  EXPECT_EQ(of_schema(v2, "envelope"), of_reader(kEnvelopeKeys));
  EXPECT_EQ(of_schema(v3, "record"), of_reader(kRecordKeys) + of_reader(kRecordVersion3Keys));
  EXPECT_EQ(of_schema(v3, "envelope"), of_reader(kEnvelopeKeys));
  EXPECT_EQ(of_schema(v3, "example"), of_reader(kRecordExampleKeys));
  EXPECT_EQ(of_schema(v3, "link"), of_reader(kRecordLinkKeys));
  EXPECT_EQ(of_schema(v3, "exampleProof"), of_reader(kExampleProofKeys));
}

}  // namespace
}  // namespace assay
