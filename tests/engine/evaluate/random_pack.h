// Random packs and launches for tests that compare two ways of checking. Everything follows from
// the seed.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "engine/model/given_fact.h"
#include "engine/model/launch.h"
#include "engine/model/rule_pack.h"

namespace assay::test {

Node string_node(std::string text);
Node integer_node(std::int64_t number);
Node boolean_node(bool value);

class RandomWorld {
 public:
  explicit RandomWorld(std::uint32_t seed) : random_(seed) {}

  // Arguments s0..s3 (strings with choices), i0..i3 (ints), b0..b2 (bools); unknown facts gpu.sm
  // and model.is_mla; derived facts d0..d2; env.E0. Three stages of three steps, some of which may
  // stop.
  RulePack pack(std::size_t rules);
  Launch launch(const RulePack& pack);
  // Each unknown fact given with probability one half.
  std::vector<GivenFact> some_facts();
  // All of them, one of every combination of values; 3 * 2 in all.
  static std::vector<std::vector<GivenFact>> all_facts();

  std::uint32_t below(std::uint32_t limit) {
    return std::uniform_int_distribution<std::uint32_t>(0, limit - 1)(random_);
  }

 private:
  std::string condition(int depth);
  std::string atom();
  std::string let_atom();
  void add_lets(Rule& rule);
  Rule rule(std::uint32_t number);
  Assignment assignment();

  std::mt19937 random_;
  bool has_lets_ = false;  // conditions may read x, y and z
};

}  // namespace assay::test
