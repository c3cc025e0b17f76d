// What one release of a pack that covers three has.
#include "engine/read/pack_release.h"

#include <gtest/gtest.h>

#include "engine/read/argument_conversion.h"
#include "engine/read/flag_lookup.h"

namespace assay::test {
namespace {

FactDeclaration argument(std::string name, std::string versions, std::vector<Flag> flags) {
  FactDeclaration fact;
  fact.name = std::move(name);
  fact.type = Type::of(TypeKind::string);
  fact.is_argument = true;
  fact.default_value = make_string("new", {});
  fact.flags = std::move(flags);
  fact.versions = std::move(versions);
  return fact;
}

// Releases 1.0, 1.1 and 1.2.
RulePack three_releases() {
  RulePack pack;
  pack.name = "toy";
  pack.title = "Toy";
  pack.versions = {"1.0", "1.1", "1.2"};
  FactDeclaration mode = argument("mode", "", {{"--mode", false, {}}, {"--way", true, {}}});
  mode.flags[1].versions = ">=1.1";
  mode.flags[1].deprecated_versions = ">=1.2";
  mode.choices = {make_string("a", {}), make_string("b", {}), make_string("c", {})};
  mode.choice_versions = {"", "<1.1", ">=1.1"};
  mode.dated_defaults = {{"<1.1", make_string("old", {})}, {"<1.2", make_string("middle", {})}};
  pack.schema.facts = std::vector<FactDeclaration>{
      std::move(mode), argument("late", ">=1.2", {{"--late", false, {}}}),
      argument("gone", "<1.2", {{"--gone", false, {}}}),
      argument("short", ">=1.1,<1.2", {{"--short", false, {}}}),
      argument("always", "", {{"--always", false, {}}})};
  for (FactId id = 0; id < pack.schema.facts.size(); ++id) {
    pack.schema.by_name.emplace(pack.schema.facts[id].name, id);
    for (const Flag& flag : pack.schema.facts[id].flags)
      pack.schema.by_flag.emplace(flag.spelling, id);
  }
  return pack;
}

std::string choices_of(const PackRelease& release) {
  std::string text;
  for (const Node& choice : release.fact(0).choices) text += choice.text;
  return text;
}

TEST(PackRelease, HasItsOwnChoicesFlagsAndDefault) {
  const RulePack pack = three_releases();
  const PackRelease first(pack, "1.0"), second(pack, "1.1"), newest(pack);
  EXPECT_EQ(choices_of(first), "ab");
  EXPECT_EQ(choices_of(second), "ac");
  EXPECT_EQ(first.fact(0).default_value->text, "old");
  EXPECT_EQ(second.fact(0).default_value->text, "middle");
  EXPECT_EQ(newest.fact(0).default_value->text, "new");
  EXPECT_EQ(first.fact(0).flags.size(), 1u);
  ASSERT_EQ(second.fact(0).flags.size(), 2u);
  EXPECT_FALSE(second.fact(0).flags[1].is_deprecated);
  EXPECT_TRUE(newest.fact(0).flags[1].is_deprecated);
  EXPECT_TRUE(newest.fact(2).flags.empty());
  EXPECT_EQ(&newest.fact(4), &pack.schema.facts[4]) << "what is the same everywhere is not copied";
}

TEST(PackRelease, IsTheNewestWhereNobodySaysAVersion) {
  const RulePack pack = three_releases();
  EXPECT_EQ(PackRelease(pack).name(), "1.2");
  EXPECT_EQ(PackRelease(pack, "main").name(), "1.2");
  EXPECT_EQ(PackRelease(pack, "1.1.post1").name(), "1.1.post1");
}

TEST(PackRelease, OutsideOfThePackHasWhatItsSideOfTheRangesSays) {
  const RulePack pack = three_releases();
  EXPECT_EQ(choices_of(PackRelease(pack, "0.3")), "ab");
  EXPECT_TRUE(PackRelease(pack, "0.3").has(2));
  EXPECT_FALSE(PackRelease(pack, "7.0").has(2));
}

TEST(PackRelease, SaysSinceWhenAndUntilWhenOthersHaveIt) {
  const RulePack pack = three_releases();
  const PackRelease first(pack, "1.0"), newest(pack);
  EXPECT_EQ(first.absence_of_flag("--late"), "Toy 1.0 does not have it: it came with 1.2.");
  EXPECT_EQ(first.absence_of_flag("--way"), "Toy 1.0 does not have it: it came with 1.1.");
  EXPECT_EQ(newest.absence_of_flag("--gone"),
            "Toy 1.2 does not have it any more: 1.1 was the last release that did.");
  EXPECT_EQ(first.absence_of_flag("--short"), "Toy 1.0 does not have it: it came with 1.1.");
  EXPECT_EQ(first.absence_of_choice(0, "c"), "Toy 1.0 does not have it: it came with 1.1.");
  EXPECT_EQ(first.absence_of_argument(3), "Toy 1.0 does not have it: it came with 1.1.");
  for (const char* known : {"--mode", "--gone", "--always", "--nothing"})
    EXPECT_EQ(first.absence_of_flag(known), "") << known;
  EXPECT_EQ(first.absence_of_choice(0, "b"), "");
  EXPECT_EQ(first.absence_of_choice(0, "x"), "") << "no release has it";
}

TEST(PackRelease, FindsItsOwnFlagsByPrefixOnly) {
  RulePack pack = three_releases();
  pack.schema.facts.push_back(argument("later", "", {{"--later", false, {}}}));
  pack.schema.by_flag.emplace("--later", static_cast<FactId>(pack.schema.facts.size() - 1));
  const PackRelease first(pack, "1.0"), newest(pack);
  const FlagMatch match = match_flag(first, "--lat");
  ASSERT_EQ(match.kind, FlagMatch::Kind::argument);
  EXPECT_EQ(match.flag->spelling, "--later");
  EXPECT_EQ(match_flag(first, "--late").flag->spelling, "--later") << "a prefix there";
  EXPECT_EQ(match_flag(newest, "--lat").kind, FlagMatch::Kind::ambiguous);
  EXPECT_EQ(match_flag(newest, "--gone").kind, FlagMatch::Kind::unknown);
  EXPECT_EQ(closest_flag(first, "--lates"), "--later");
}

}  // namespace
}  // namespace assay::test
