// Bulk and tensor copies between blocks and out of a block, setmaxnreg: what they order and what
// they refuse.
#include "kernels/ptx/bulk_copy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "kernels/ptx/barriers.h"
#include "kernels/ptx/mbarrier.h"
#include "kernels/ptx/memory.h"
#include "kernels/ptx/special_registers.h"
#include "kernels/ptx/warp.h"
#include "tests/kernels/emulator/run_kernel.h"

namespace assay::emulator {
namespace {

using ::testing::HasSubstr;

LaunchConfig copying_block_of(std::uint32_t threads) {
  LaunchConfig config;
  config.threads = threads;
  config.shared_bytes = 4096;
  return config;
}

TEST(bulk_copy, multicast_reaches_every_block_and_its_own_mbarrier) {
  std::array<std::uint32_t, 8> data{};
  data[3] = 41;
  std::array<std::uint32_t, 2> seen{};
  LaunchConfig config = copying_block_of(32);
  config.blocks = config.cluster_blocks = 2;
  config.globals = {{"data", data.data(), 32, false}, {"seen", seen.data(), 8, true}};
  const auto kernel = [&](bool fences) {
    return [&, fences] {
      const std::uint32_t base = ptx::dynamic_shared_base();
      const std::uint32_t rank = ptx::cluster_rank();
      if (ptx::thread_index() == 0) {
        ptx::mbarrier_init(base, 1);
        if (fences) ptx::fence_mbarrier_init();
        ptx::mbarrier_arrive_expect(base, 32);
      }
      ptx::cluster_arrive();
      ptx::cluster_wait();
      if (rank == 0 && ptx::thread_index() == 0) {
        ptx::bulk_load_multicast(base + 16, data.data(), 32, base, 3);
      }
      ptx::mbarrier_wait(base, 0);
      if (ptx::thread_index() == 1) {
        ptx::store_global(&seen[rank], ptx::load_shared(base + 16 + 12));
      }
    };
  };
  EXPECT_EQ(run_seeds(config, kernel(true)), "no fault");
  EXPECT_THAT(seen, ::testing::ElementsAre(41, 41));
  EXPECT_EQ(fault_of(config, kernel(false)), FaultKind::misused_mbarrier);
}

TEST(bulk_copy, goes_to_the_shared_memory_of_another_block) {
  std::uint32_t seen = 0;
  LaunchConfig config = copying_block_of(32);
  config.blocks = config.cluster_blocks = 2;
  config.globals = {{"seen", &seen, 4, true}};
  EXPECT_EQ(run_seeds(config,
                      [&] {
                        const std::uint32_t base = ptx::dynamic_shared_base();
                        const bool is_first = ptx::thread_index() == 0;
                        if (is_first) {
                          ptx::mbarrier_init(base, 1);
                          ptx::fence_mbarrier_init();
                          ptx::mbarrier_arrive_expect(base, 16);
                          for (std::uint32_t i = 0; i < 4; ++i) {
                            ptx::store_shared(base + 16 + 4 * i, 50 + 10 * ptx::cluster_rank() + i);
                          }
                          ptx::fence_proxy_async();
                        }
                        ptx::cluster_arrive();
                        ptx::cluster_wait();
                        const std::uint32_t peer = 1 - ptx::cluster_rank();
                        if (is_first) {
                          ptx::bulk_send(ptx::map_shared_rank(base + 64, peer), base + 16, 16,
                                         ptx::map_shared_rank(base, peer));
                        }
                        ptx::mbarrier_wait(base, 0);
                        if (is_first && peer == 1) {
                          ptx::store_global(&seen, ptx::load_shared(base + 64 + 8));
                        }
                        ptx::cluster_arrive();
                        ptx::cluster_wait();
                      }),
            "no fault");
  EXPECT_EQ(seen, 62U);
}

TEST(bulk_copy, store_needs_the_proxy_fence_and_a_wait) {
  alignas(16) std::array<std::uint32_t, 4> out{};
  LaunchConfig config = copying_block_of(32);
  config.globals = {{"out", out.data(), 16, true}};
  const auto kernel = [&](bool fences, bool waits) {
    return [&, fences, waits] {
      const std::uint32_t base = ptx::dynamic_shared_base();
      if (ptx::thread_index() != 0) return;
      for (std::uint32_t i = 0; i < 4; ++i) ptx::store_shared(base + 4 * i, 5 + i);
      if (fences) ptx::fence_proxy_async();
      ptx::bulk_store(out.data(), base, 16);
      ptx::bulk_commit();
      if (waits) ptx::bulk_wait<0>();
    };
  };
  EXPECT_EQ(run_seeds(config, kernel(true, true)), "no fault");
  EXPECT_THAT(out, ::testing::ElementsAre(5, 6, 7, 8));
  EXPECT_EQ(fault_of(config, kernel(false, true)), FaultKind::missing_proxy_fence);
  EXPECT_EQ(fault_of(config, kernel(true, false)), FaultKind::unfinished_work);
}

TEST(bulk_copy, wait_for_reading_lets_the_source_be_written_again) {
  alignas(16) std::array<std::uint32_t, 4> out{};
  LaunchConfig config = copying_block_of(32);
  config.globals = {{"out", out.data(), 16, true}};
  const auto kernel = [&](bool waits) {
    return [&, waits] {
      const std::uint32_t base = ptx::dynamic_shared_base();
      if (ptx::thread_index() != 0) return;
      for (std::uint32_t i = 0; i < 4; ++i) ptx::store_shared(base + 4 * i, 5 + i);
      ptx::fence_proxy_async();
      ptx::bulk_store(out.data(), base, 16);
      ptx::bulk_commit();
      if (waits) ptx::bulk_wait_read<0>();
      ptx::store_shared(base, 99);
      ptx::bulk_wait<0>();
    };
  };
  EXPECT_EQ(run_seeds(config, kernel(true)), "no fault");
  EXPECT_THAT(out, ::testing::ElementsAre(5, 6, 7, 8));
  EXPECT_EQ(fault_of(config, kernel(false)), FaultKind::race);
}

TEST(bulk_copy, bytes_may_be_expected_before_the_arrival) {
  alignas(16) std::array<std::uint32_t, 8> data{11, 12, 13, 14, 15, 16, 17, 18};
  LaunchConfig config = copying_block_of(32);
  config.globals = {{"data", data.data(), 32, false}};
  const auto kernel = [&](std::uint32_t bytes) {
    return [&, bytes] {
      const std::uint32_t base = ptx::dynamic_shared_base();
      if (ptx::thread_index() == 0) {
        ptx::mbarrier_init(base, 1);
        ptx::fence_mbarrier_init();
        ptx::mbarrier_expect(base, bytes);
        ptx::bulk_load(base + 16, data.data(), 32, base);
        ptx::mbarrier_arrive(base);
      }
      ptx::sync_block();
      ptx::mbarrier_wait(base, 0);
      static_cast<void>(ptx::load_shared(base + 16 + 28));
    };
  };
  EXPECT_EQ(run_seeds(config, kernel(32)), "no fault");
  EXPECT_EQ(fault_of(config, kernel(48)), FaultKind::deadlock);
}

// A box of 8 rows of 32 bytes, swizzled, to both blocks of a cluster.
TEST(tensor_copy, multicast_reaches_every_block_and_its_own_mbarrier) {
  alignas(16) std::array<std::uint8_t, 256> tensor{};
  for (std::size_t i = 0; i < tensor.size(); ++i) tensor[i] = static_cast<std::uint8_t>(i);
  std::array<std::uint32_t, 2> seen{};
  LaunchConfig config = copying_block_of(32);
  config.blocks = config.cluster_blocks = 2;
  config.globals = {{"tensor", tensor.data(), tensor.size(), false},
                    {"seen", seen.data(), sizeof(seen), true}};
  const ptx::TensorMap map{tensor.data(), 32, 8, 32, 32, 8, 32};
  EXPECT_EQ(run_seeds(config,
                      [&] {
                        const std::uint32_t base = ptx::dynamic_shared_base();
                        const std::uint32_t barrier = base + 1024;
                        const std::uint32_t rank = ptx::cluster_rank();
                        if (ptx::thread_index() == 0) {
                          ptx::mbarrier_init(barrier, 1);
                          ptx::fence_mbarrier_init();
                          ptx::mbarrier_arrive_expect(barrier, 256);
                        }
                        ptx::cluster_arrive();
                        ptx::cluster_wait();
                        if (rank == 1 && ptx::thread_index() == 0) {
                          ptx::tensor_load_multicast(base, map, 0, 0, barrier, 3);
                        }
                        ptx::mbarrier_wait(barrier, 0);
                        if (ptx::thread_index() == 0) {
                          // Row 5: with 32 bytes, rows 4 to 7 have their two pieces exchanged.
                          ptx::store_global(&seen[rank], ptx::load_shared(base + 5 * 32 + 16));
                        }
                      }),
            "no fault");
  EXPECT_THAT(seen, ::testing::Each(0xa3a2a1a0U));
}

TEST(registers, are_taken_by_whole_warpgroups) {
  LaunchConfig config = copying_block_of(256);
  config.registers = 168;
  const auto kernel = [](std::uint32_t threads) {
    return [threads] {
      if (ptx::thread_index() < threads) ptx::give_registers<24>();
    };
  };
  EXPECT_EQ(run_seeds(config, kernel(128)), "no fault");
  const LaunchResult result = run_seed(config, kernel(96));
  ASSERT_TRUE(result.fault);
  EXPECT_EQ(result.fault->kind, FaultKind::register_budget);
  EXPECT_THAT(result.fault->what, HasSubstr("warps 0 and 3 of one warpgroup have 24 and 168"));
}

TEST(registers, are_taken_only_when_others_have_given_them_back) {
  LaunchConfig config = copying_block_of(384);
  config.registers = 168;
  const auto kernel = [](bool gives) {
    return [gives] {
      if (ptx::thread_index() < 128) {
        if (gives) ptx::give_registers<24>();
      } else {
        ptx::take_registers<240>();
      }
    };
  };
  EXPECT_EQ(run_seeds(config, kernel(true)), "no fault");
  const LaunchResult result = run_seed(config, kernel(false));
  ASSERT_TRUE(result.fault);
  EXPECT_EQ(result.fault->kind, FaultKind::deadlock);
  EXPECT_THAT(result.fault->object, HasSubstr("registers (the block has"));
  EXPECT_EQ(fault_of(config, [] { ptx::take_registers<100>(); }), FaultKind::register_budget);
  EXPECT_EQ(fault_of(config, [] { ptx::take_registers<160>(); }), FaultKind::register_budget);
}
}  // namespace
}  // namespace assay::emulator
