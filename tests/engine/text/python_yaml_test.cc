// YAML as PyYAML reads it.
#include "engine/text/python_yaml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace assay {
namespace {

using ::testing::HasSubstr;

struct Reading {
  explicit Reading(std::string text)
      : document(read_python_yaml(sources, sources.add("c.yaml", std::move(text)), warnings)) {}
  // "kind:text" of each entry's value.
  std::string values() const {
    std::string all;
    if (!document) return document.error().front().message;
    for (const Entry& entry : document->entries)
      all += (all.empty() ? "" : ", ") + entry.key + "=" +
             std::string(to_string(entry.value.kind)) + ":" + entry.value.text;
    return all;
  }
  SourceSet sources;
  Diagnostics warnings;
  Result<Node> document;
};

std::string value_of(const std::string& scalar) { return Reading("k: " + scalar + "\n").values(); }

TEST(PythonYaml, HasTheBooleansAndNullsOfYaml11) {
  for (const char* yes : {"yes", "Yes", "ON", "true", "True"})
    EXPECT_EQ(value_of(yes), "k=a boolean:true") << yes;
  for (const char* no : {"no", "NO", "off", "false"})
    EXPECT_EQ(value_of(no), "k=a boolean:false") << no;
  EXPECT_EQ(value_of("y"), "k=a string:y");
  EXPECT_EQ(value_of("'yes'"), "k=a string:yes");
  EXPECT_EQ(value_of("NULL"), "k=null:NULL");
  EXPECT_EQ(value_of(""), "k=null:");
}

TEST(PythonYaml, HasTheNumbersOfYaml11) {
  EXPECT_EQ(value_of("010"), "k=an integer:8");
  EXPECT_EQ(value_of("-0x1F"), "k=an integer:-31");
  EXPECT_EQ(value_of("0b101"), "k=an integer:5");
  EXPECT_EQ(value_of("1_000"), "k=an integer:1000");
  EXPECT_EQ(value_of("1:30"), "k=an integer:90");
  EXPECT_EQ(value_of("+4"), "k=an integer:4");
  EXPECT_EQ(value_of("0o17"), "k=a string:0o17");
  EXPECT_EQ(value_of("09"), "k=a string:09");
  EXPECT_EQ(value_of("1:75"), "k=a string:1:75");
  EXPECT_EQ(value_of("99999999999999999999"), "k=a string:99999999999999999999");
  EXPECT_EQ(value_of("4.0"), "k=a number:4.0");
  EXPECT_EQ(value_of("1.0e+3"), "k=a number:1.0e+3");
  EXPECT_EQ(value_of("1e3"), "k=a string:1e3");
  EXPECT_EQ(value_of("1.0e3"), "k=a string:1.0e3");
  EXPECT_EQ(value_of("127.0.0.1"), "k=a string:127.0.0.1");
}

TEST(PythonYaml, TakesTheLastOfEqualKeysInTheFirstOnesPlace) {
  const Reading read("a: 1\nb: 2\na: 3\na: 4\n");
  EXPECT_EQ(read.values(), "a=an integer:4, b=an integer:2");
  ASSERT_EQ(read.warnings.size(), 2u);
  EXPECT_EQ(read.warnings[0].severity, Severity::warning);
  EXPECT_THAT(read.warnings[0].message, HasSubstr("`a` is given twice"));
}

TEST(PythonYaml, ResolvesAliasesMergesAndStandardTags) {
  EXPECT_EQ(Reading("a: &x 1\nb: *x\n").values(), "a=an integer:1, b=an integer:1");
  EXPECT_EQ(Reading("<<: {a: 1, b: 2}\na: 3\n").values(), "a=an integer:3, b=an integer:2");
  EXPECT_EQ(Reading("a: !!str 1\nb: !!int 2\n").values(), "a=a string:1, b=an integer:2");
  EXPECT_THAT(Reading("a: !new 1\n").values(), HasSubstr("tag"));
}

TEST(PythonYaml, IsNullWhereThereIsNothing) {
  for (const char* text : {"", "\n", "# nothing\n", "---\n"}) {
    const Reading read(text);
    ASSERT_TRUE(read.document) << text;
    EXPECT_EQ(read.document->kind, NodeKind::null) << text;
  }
}

TEST(PythonYaml, RefusesASecondDocument) { EXPECT_FALSE(Reading("a: 1\n---\nb: 1\n").document); }

}  // namespace
}  // namespace assay
