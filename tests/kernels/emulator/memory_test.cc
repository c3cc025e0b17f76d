// What the happens-before check takes for a fault in shared and global memory.
#include "kernels/ptx/memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "kernels/ptx/async_copy.h"
#include "kernels/ptx/barriers.h"
#include "kernels/ptx/special_registers.h"
#include "kernels/ptx/warp.h"
#include "tests/kernels/emulator/run_kernel.h"

namespace assay::emulator {
namespace {

using ::testing::HasSubstr;

LaunchConfig reading_block_of(std::uint32_t threads) {
  LaunchConfig config;
  config.threads = threads;
  config.shared_bytes = 4096;
  return config;
}

TEST(shared_memory, write_is_seen_after_a_block_barrier) {
  EXPECT_EQ(run_seeds(reading_block_of(64),
                      [] {
                        const std::uint32_t me = ptx::thread_index();
                        const std::uint32_t base = ptx::dynamic_shared_base();
                        ptx::store_shared(base + 4 * me, me);
                        ptx::sync_block();
                        if (ptx::load_shared(base + 4 * (63 - me)) != 63 - me) {
                          ptx::load_shared(0);  // out of bounds: the test fails
                        }
                      }),
            "no fault");
}

TEST(shared_memory, write_and_read_without_a_barrier_is_a_race_that_names_both_sides) {
  const LaunchResult result = run_seed(reading_block_of(64), [] {
    const std::uint32_t base = ptx::dynamic_shared_base();
    if (ptx::thread_index() == 0) ptx::store_shared(base + 16, 1);
    if (ptx::thread_index() == 33) ptx::store_shared(base + 16, 2);
  });
  ASSERT_TRUE(result.fault);
  EXPECT_EQ(result.fault->kind, FaultKind::race);
  EXPECT_THAT(result.fault->object, HasSubstr("[0x410, 0x414)"));
  ASSERT_TRUE(result.fault->second);
  const std::string both = result.fault->first.who + result.fault->second->who;
  EXPECT_THAT(both, HasSubstr("thread 0 (warp 0, lane 0) of block 0"));
  EXPECT_THAT(both, HasSubstr("thread 33 (warp 1, lane 1) of block 0"));
  EXPECT_THAT(result.fault->first.where, HasSubstr("memory_test.cc:"));
  EXPECT_THAT(result.fault->second->where, HasSubstr("memory_test.cc:"));
}

TEST(shared_memory, neighbouring_words_do_not_race) {
  EXPECT_EQ(run_seeds(reading_block_of(64),
                      [] {
                        const std::uint32_t me = ptx::thread_index();
                        ptx::store_shared(ptx::dynamic_shared_base() + 4 * me, me);
                      }),
            "no fault");
}

TEST(shared_memory, lanes_of_a_warp_race_without_syncwarp) {
  const auto exchange = [](bool synchronises) {
    return [synchronises] {
      const std::uint32_t me = ptx::thread_index();
      const std::uint32_t base = ptx::dynamic_shared_base();
      ptx::store_shared(base + 4 * me, me);
      if (synchronises) {
        ptx::sync_warp();
      } else {
        ptx::shuffle_xor(me, 1);  // lanes meet, but memory is not ordered
      }
      ptx::load_shared(base + 4 * (me ^ 1U));
    };
  };
  EXPECT_EQ(run_seeds(reading_block_of(32), exchange(true)), "no fault");
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    EXPECT_EQ(fault_of(reading_block_of(32), exchange(false), seed), FaultKind::race);
  }
}

TEST(shared_memory, reading_what_nobody_wrote_is_a_fault) {
  EXPECT_EQ(fault_of(reading_block_of(32), [] { ptx::load_shared(ptx::dynamic_shared_base()); }),
            FaultKind::uninitialised_read);
}

TEST(shared_memory, names_of_parts_are_in_the_report) {
  LaunchConfig config = reading_block_of(32);
  config.shared_names = {{0, 64, "maxima"}, {64, 64, "sums"}};
  const LaunchResult result =
      run_seed(config, [] { ptx::load_shared(ptx::dynamic_shared_base() + 72); });
  EXPECT_THAT(text_of(result), HasSubstr("sums + 0x8"));
}

TEST(shared_memory, addresses_outside_or_crooked_are_faults) {
  EXPECT_EQ(fault_of(reading_block_of(32), [] { ptx::store_shared(0, 1); }),
            FaultKind::out_of_bounds);
  EXPECT_EQ(fault_of(reading_block_of(32),
                     [] { ptx::store_shared(ptx::dynamic_shared_base() + 4096, 1); }),
            FaultKind::out_of_bounds);
  EXPECT_EQ(
      fault_of(reading_block_of(32), [] { ptx::store_shared(ptx::dynamic_shared_base() + 2, 1); }),
      FaultKind::misaligned);
}

TEST(shared_memory, other_blocks_are_reached_through_their_rank) {
  LaunchConfig config = reading_block_of(32);
  config.blocks = config.cluster_blocks = 2;
  std::array<std::uint32_t, 2> seen{};
  config.globals = {{"seen", seen.data(), sizeof(seen), true}};
  const auto kernel = [&seen](bool waits_at_the_end) {
    return [&seen, waits_at_the_end] {
      const std::uint32_t base = ptx::dynamic_shared_base();
      const std::uint32_t rank = ptx::cluster_rank();
      if (ptx::thread_index() == 0) ptx::store_shared(base, 70 + rank);
      ptx::cluster_arrive();
      ptx::cluster_wait();
      if (ptx::thread_index() == 0) {
        const std::uint32_t peer = ptx::map_shared_rank(base, 1 - rank);
        ptx::store_global(&seen[rank], ptx::load_shared_cluster(peer));
      }
      if (waits_at_the_end) {
        ptx::cluster_arrive();
        ptx::cluster_wait();
      }
    };
  };
  EXPECT_EQ(run_seeds(config, kernel(true)), "no fault");
  EXPECT_THAT(seen, ::testing::ElementsAre(71, 70));
  bool is_caught = false;
  for (std::uint64_t seed = 0; seed < 50 && !is_caught; ++seed) {
    is_caught = fault_of(config, kernel(false), seed) == FaultKind::unfinished_work;
  }
  EXPECT_TRUE(is_caught) << "a block may exit while its memory is read";
}

TEST(global_memory, what_is_not_registered_may_not_be_touched) {
  std::array<std::uint32_t, 4> data{};
  LaunchConfig config = reading_block_of(32);
  config.globals = {{"data", data.data(), sizeof(data), false}};
  EXPECT_EQ(fault_of(config, [&] { ptx::load_global_constant(data.data() + 3); }), std::nullopt);
  EXPECT_EQ(fault_of(config, [&] { ptx::load_global_constant(data.data() + 4); }),
            FaultKind::out_of_bounds);
  EXPECT_EQ(fault_of(config, [&] { ptx::store_global(data.data(), 1); }), FaultKind::out_of_bounds);
}

TEST(global_memory, two_blocks_writing_one_word_race_but_atomics_do_not) {
  std::array<std::uint32_t, 1> data{};
  LaunchConfig config = reading_block_of(32);
  config.blocks = 2;
  config.globals = {{"out", data.data(), sizeof(data), true}};
  EXPECT_EQ(fault_of(config,
                     [&] {
                       if (ptx::thread_index() == 0) ptx::store_global(data.data(), 1);
                     }),
            FaultKind::race);
  data[0] = 0;
  EXPECT_EQ(fault_of(config, [&] { ptx::add_global(data.data(), 1); }), std::nullopt);
  EXPECT_EQ(data[0], 64U);
}

TEST(async_copy, is_complete_after_wait_group_and_zero_fills) {
  std::array<std::uint32_t, 8> data{1, 2, 3, 4, 5, 6, 7, 8};
  std::array<std::uint32_t, 8> seen{};
  LaunchConfig config = reading_block_of(32);
  config.globals = {{"data", data.data(), 32, false}, {"seen", seen.data(), 32, true}};
  EXPECT_EQ(run_seeds(config,
                      [&] {
                        if (ptx::thread_index() != 0) return;
                        const std::uint32_t base = ptx::dynamic_shared_base();
                        ptx::copy_async_16(base, data.data());
                        ptx::copy_async_16(base + 16, data.data() + 4, 0);
                        ptx::copy_async_commit();
                        ptx::copy_async_wait<0>();
                        for (std::uint32_t i = 0; i < 8; ++i) {
                          ptx::store_global(&seen[i], ptx::load_shared(base + 4 * i));
                        }
                      }),
            "no fault");
  EXPECT_THAT(seen, ::testing::ElementsAre(1, 2, 3, 4, 0, 0, 0, 0));
}

TEST(async_copy, newer_groups_may_be_in_flight) {
  std::array<std::uint32_t, 4> data{};
  LaunchConfig config = reading_block_of(32);
  config.globals = {{"data", data.data(), 16, false}};
  const auto read = [&](std::uint32_t group) {
    return [&, group] {
      if (ptx::thread_index() != 0) return;
      const std::uint32_t base = ptx::dynamic_shared_base();
      for (std::uint32_t i = 0; i < 2; ++i) {
        ptx::copy_async_16(base + 16 * i, data.data());
        ptx::copy_async_commit();
      }
      ptx::copy_async_wait<1>();
      ptx::load_shared(base + 16 * group);
      ptx::copy_async_wait<0>();
    };
  };
  EXPECT_EQ(run_seeds(config, read(0)), "no fault");
  EXPECT_EQ(fault_of(config, read(1)), FaultKind::race);
}

}  // namespace
}  // namespace assay::emulator
