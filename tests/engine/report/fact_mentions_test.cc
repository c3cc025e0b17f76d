#include "engine/report/fact_mentions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace assay {
namespace {

using ::testing::ElementsAre;

FactSchema schema_of(const std::vector<std::string>& names) {
  FactSchema schema;
  for (const std::string& name : names) {
    FactDeclaration fact;
    fact.name = name;
    fact.is_argument = name.find('.') == std::string::npos;
    const auto number = static_cast<FactId>(schema.facts.size());
    schema.by_name[name] = number;
    if (fact.is_argument) {
      std::string flag = "--" + name;
      for (char& c : flag)
        if (c == '_') c = '-';
      schema.by_flag[flag] = number;
    }
    schema.facts.push_back(std::move(fact));
  }
  return schema;
}

const FactSchema kSchema = schema_of({"tp_size", "host", "gpu.sm", "env.X", "hicache_config"});

std::vector<FactId> of_expression(std::string_view text) {
  std::vector<FactId> facts;
  add_expression_facts(text, kSchema, facts);
  return facts;
}

std::vector<FactId> of_text(std::string_view text) {
  std::vector<FactId> facts;
  add_text_arguments(text, kSchema, facts);
  return facts;
}

TEST(FactMentions, ExpressionsNameFactsByTheLongestDottedName) {
  EXPECT_THAT(of_expression("raw.tp_size > 1 && given(host) && has(env.X)"), ElementsAre(0, 1, 3));
  EXPECT_THAT(of_expression("gpu.sm >= 90 || hicache_config.page.size == 1"), ElementsAre(2, 4));
  EXPECT_THAT(of_expression("x in [\"tp_size\", 'host \\' host'] ? tp_sizes : my_host"),
              ElementsAre());
  EXPECT_THAT(of_expression("\"not closed tp_size"), ElementsAre());
}

TEST(FactMentions, ProseNamesArgumentsByFlagsAndNamesWithUnderscores) {
  EXPECT_THAT(of_text("Set --tp-size=8 or `tp_size`."), ElementsAre(0, 0));
  EXPECT_THAT(of_text("the host and gpu.sm; ---tp-size, x--host, tp_sizes"), ElementsAre());
  EXPECT_THAT(of_text("--host 0.0.0.0"), ElementsAre(1));
}

TEST(FactMentions, OfARuleAreThoseOfAllItsParts) {
  Rule rule;
  rule.when = ExpressionText{"host == \"x\"", {}, true};
  rule.message = "tp_size is {tp_size}, not {gpu.sm!r}";
  Fix fix;
  fix.assignments.push_back({Assignment::Kind::unset, "hicache_config.page", {}, {}, {}});
  rule.fixes.push_back(fix);
  EXPECT_THAT(facts_of_rule(rule, kSchema), ElementsAre(0, 1, 2, 4));
}

}  // namespace
}  // namespace assay
