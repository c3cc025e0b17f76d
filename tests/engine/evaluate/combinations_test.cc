// What is passed over is known already: on random decisions that read some of the facts, the
// results are those of going through every combination, in the same order.
#include "engine/evaluate/combinations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "engine/compile/compiled_pack.h"
#include "tests/engine/evaluate/random_pack.h"

namespace assay::test {
namespace {

using Sizes = std::vector<std::size_t>;

CompiledPackPtr pack_of_integers(std::size_t count) {
  RulePack pack;
  pack.name = "integers";
  for (std::size_t at = 0; at < count; ++at) {
    FactDeclaration fact;
    fact.name = "i" + std::to_string(at);
    fact.type = Type::of(TypeKind::integer);
    fact.is_argument = true;
    fact.default_value = integer_node(0);
    pack.schema.by_name.emplace(fact.name, static_cast<FactId>(at));
    pack.schema.facts.push_back(std::move(fact));
  }
  Diagnostics warnings;
  auto compiled = compile_pack(std::move(pack), warnings);
  return compiled ? std::move(*compiled) : nullptr;
}

// A decision that reads facts in an order of its own until it has seen enough. The result names
// what it read.
template <class Read>
std::string decide(std::uint32_t seed, std::size_t facts, Read&& read) {
  std::string seen;
  for (std::size_t step = 0; step < 2 * facts; ++step) {
    const std::size_t next = std::hash<std::string>()(seen + std::to_string(seed)) % (facts + 2);
    if (next >= facts) break;
    seen += "i" + std::to_string(next) + "=" + std::to_string(read(next)) + " ";
  }
  return seen;
}

void add_new(std::vector<std::string>& list, const std::string& text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
}

std::vector<std::string> by_every_combination(std::uint32_t seed, const Sizes& sizes) {
  std::vector<std::string> results;
  std::size_t all = 1;
  for (const std::size_t size : sizes) all *= size;
  for (std::size_t at = 0; at < all; ++at) {
    std::vector<std::size_t> digits;
    std::size_t rest = at;
    for (const std::size_t size : sizes) {
      digits.push_back(rest % size);
      rest /= size;
    }
    add_new(results, decide(seed, sizes.size(), [&](std::size_t fact) { return digits[fact]; }));
  }
  return results;
}

class RandomDecisions : public testing::TestWithParam<std::uint32_t> {};

TEST_P(RandomDecisions, GiveTheResultsOfEveryCombinationInTheSameOrder) {
  std::mt19937 random(GetParam());
  const auto below = [&](std::uint32_t limit) {
    return std::uniform_int_distribution<std::uint32_t>(0, limit - 1)(random);
  };
  for (int round = 0; round < 50; ++round) {
    Sizes sizes(1 + below(4));
    for (std::size_t& size : sizes) size = 1 + below(4);
    const CompiledPackPtr pack = pack_of_integers(sizes.size());
    ASSERT_NE(pack, nullptr);
    FactTable table(*pack);
    std::vector<FactId> facts;
    for (FactId fact = 0; fact < sizes.size(); ++fact) {
      std::vector<Candidate> candidates;
      for (std::size_t value = 0; value < sizes[fact]; ++value)
        candidates.push_back({Value::integer(static_cast<std::int64_t>(value)), 0, {}});
      table.write(fact, candidates, {});
      facts.push_back(fact);
    }
    const auto seed = below(1u << 30);
    std::vector<std::string> results;
    std::size_t calls = 0;
    EXPECT_TRUE(for_each_combination(table, facts, [&] {
      ++calls;
      add_new(results, decide(seed, sizes.size(), [&](std::size_t fact) {
                return table.read(static_cast<FactId>(fact)).as_integer();
              }));
      return true;
    }));
    EXPECT_EQ(results, by_every_combination(seed, sizes));
    EXPECT_GE(calls, results.size());
    if (results.size() <= 16) {
      EXPECT_EQ(calls, results.size());
    }
    for (const FactId fact : facts) EXPECT_EQ(table.has_candidates(fact), sizes[fact] > 1);
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, RandomDecisions, testing::Range(0u, 20u));

TEST(Combinations, AreNotGoneThroughWhereThereAreTooMany) {
  const CompiledPackPtr pack = pack_of_integers(9);
  FactTable table(*pack);
  std::vector<FactId> facts;
  for (FactId fact = 0; fact < 9; ++fact) {
    const std::vector<Candidate> two{{Value::integer(0), 0, {}}, {Value::integer(1), 0, {}}};
    table.write(fact, two, {});
    facts.push_back(fact);
  }
  int calls = 0;
  const auto visit = [&] { return ++calls > 0; };
  EXPECT_FALSE(for_each_combination(table, facts, visit));
  EXPECT_EQ(calls, 0);
  EXPECT_TRUE(for_each_combination(table, std::span(facts).first(8), visit));
  EXPECT_EQ(calls, 1);
}

TEST(Combinations, WithoutSeveralValuesThereIsOne) {
  const CompiledPackPtr pack = pack_of_integers(1);
  FactTable table(*pack);
  const std::vector<FactId> facts{0};
  int calls = 0;
  EXPECT_TRUE(for_each_combination(table, facts, [&] { return ++calls > 0; }));
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace assay::test
