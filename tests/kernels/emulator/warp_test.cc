// Shuffles, votes and elections of a warp, and 16 bytes at a time: values as the PTX ISA gives
// them.
#include "kernels/ptx/warp.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "kernels/ptx/memory.h"
#include "kernels/ptx/special_registers.h"
#include "tests/kernels/emulator/run_kernel.h"

namespace assay::emulator {
namespace {

// One warp, whose lanes each store what `value` gives.
std::vector<std::uint32_t> words_of_lanes(const std::function<std::uint32_t()>& value) {
  std::vector<std::uint32_t> seen(32);
  LaunchConfig config;
  config.threads = 32;
  config.shared_bytes = 1024;
  config.globals = {{"seen", seen.data(), seen.size() * 4, true}};
  EXPECT_EQ(run_seeds(
                config, [&] { ptx::store_global(&seen[ptx::thread_index()], value()); },
                [] { return std::string(); }, 24),
            "no fault");
  return seen;
}

TEST(shuffle, butterfly_gives_the_value_of_the_lane_that_differs_in_the_mask) {
  const auto seen = words_of_lanes([] { return ptx::shuffle_xor(100 + ptx::thread_index(), 5); });
  for (std::uint32_t lane = 0; lane < 32; ++lane) EXPECT_EQ(seen[lane], 100 + (lane ^ 5U));
}

TEST(shuffle, indexed_gives_the_value_of_the_lane_named_modulo_32) {
  const auto seen = words_of_lanes(
      [] { return ptx::shuffle_from(100 + ptx::thread_index(), 3 * ptx::thread_index()); });
  for (std::uint32_t lane = 0; lane < 32; ++lane) EXPECT_EQ(seen[lane], 100 + 3 * lane % 32);
}

TEST(vote, ballot_has_the_bit_of_each_lane_whose_predicate_holds) {
  const auto seen = words_of_lanes([] { return ptx::vote_ballot(ptx::thread_index() % 3 == 0); });
  EXPECT_THAT(seen, ::testing::Each(0x49249249U));
}

TEST(elect, chooses_one_lane_and_the_same_one_again) {
  const auto seen = words_of_lanes([] {
    const std::uint32_t first = ptx::elect_lane() ? 1 : 0;
    return first + (ptx::elect_lane() ? 2U : 0U);
  });
  std::uint32_t elected = 0;
  for (const std::uint32_t word : seen) {
    EXPECT_TRUE(word == 0 || word == 3) << word;
    elected += word == 3 ? 1 : 0;
  }
  EXPECT_EQ(elected, 1U);
}

TEST(shared_memory, sixteen_bytes_are_four_words_at_a_multiple_of_16) {
  const auto seen = words_of_lanes([] {
    const std::uint32_t lane = ptx::thread_index();
    const std::uint32_t at = ptx::dynamic_shared_base() + 16 * lane;
    ptx::store_shared_v4(at, {lane, lane + 1, lane + 2, lane + 3});
    std::uint32_t words[4];
    ptx::load_shared_v4(at, words);
    return words[0] + 100 * words[3] + (ptx::load_shared(at + 8) << 16U);
  });
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(seen[lane], lane + 100 * (lane + 3) + ((lane + 2) << 16U));
  }
  LaunchConfig config;
  config.threads = 32;
  config.shared_bytes = 1024;
  EXPECT_EQ(fault_of(config, [] { ptx::store_shared_v4(ptx::dynamic_shared_base() + 8, {}); }),
            FaultKind::misaligned);
}

}  // namespace
}  // namespace assay::emulator
