// mbarriers, named barriers, the cluster barrier: what they order and what they refuse.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "kernels/ptx/async_copy.h"
#include "kernels/ptx/barriers.h"
#include "kernels/ptx/bulk_copy.h"
#include "kernels/ptx/mbarrier.h"
#include "kernels/ptx/memory.h"
#include "kernels/ptx/special_registers.h"
#include "kernels/ptx/warp.h"
#include "tests/kernels/emulator/run_kernel.h"

namespace assay::emulator {
namespace {

using ::testing::HasSubstr;

LaunchConfig block_of(std::uint32_t threads) {
  LaunchConfig config;
  config.threads = threads;
  config.shared_bytes = 4096;
  return config;
}

// Thread 0 initialises the barriers, everyone waits for it.
void init(std::uint32_t barrier, std::uint32_t count) {
  if (ptx::thread_index() == 0) {
    ptx::mbarrier_init(barrier, count);
    ptx::fence_mbarrier_init();
  }
  ptx::sync_block();
}

TEST(mbarrier, orders_what_came_before_the_arrivals) {
  EXPECT_EQ(run_seeds(block_of(64),
                      [] {
                        const std::uint32_t barrier = ptx::dynamic_shared_base();
                        const std::uint32_t me = ptx::thread_index();
                        init(barrier, 32);
                        if (me < 32) {
                          ptx::store_shared(barrier + 16 + 4 * me, me);
                          ptx::mbarrier_arrive(barrier);
                        } else {
                          ptx::mbarrier_wait(barrier, 0);
                          ptx::load_shared(barrier + 16 + 4 * (me - 32));
                        }
                      }),
            "no fault");
}

TEST(mbarrier, first_wait_with_parity_one_passes_at_once) {
  EXPECT_EQ(run_seeds(block_of(32),
                      [] {
                        init(ptx::dynamic_shared_base(), 1);
                        ptx::mbarrier_wait(ptx::dynamic_shared_base(), 1);
                      }),
            "no fault");
}

TEST(mbarrier, test_tells_whether_the_phase_is_over) {
  EXPECT_EQ(run_seeds(block_of(32),
                      [] {
                        const std::uint32_t barrier = ptx::dynamic_shared_base();
                        init(barrier, 1);
                        if (ptx::thread_index() != 0) return;
                        const bool before = ptx::mbarrier_test(barrier, 0);
                        ptx::mbarrier_arrive(barrier);
                        const bool after = ptx::mbarrier_test(barrier, 0);
                        if (before || !after) ptx::store_shared(0, 0);  // a fault
                      }),
            "no fault");
}

TEST(mbarrier, wait_two_flips_late_is_a_fault_that_names_the_phases) {
  const LaunchResult result = run_seed(block_of(32), [] {
    const std::uint32_t barrier = ptx::dynamic_shared_base();
    init(barrier, 1);
    if (ptx::thread_index() == 0) {
      ptx::mbarrier_arrive(barrier);
      ptx::mbarrier_arrive(barrier);
    }
    ptx::sync_warp();
    if (ptx::thread_index() == 1) ptx::mbarrier_wait(barrier, 0);
  });
  ASSERT_TRUE(result.fault);
  EXPECT_EQ(result.fault->kind, FaultKind::stale_phase);
  EXPECT_THAT(result.fault->what, HasSubstr("waits for phase 0, but phase 2 runs"));
  ASSERT_TRUE(result.fault->second);
  EXPECT_THAT(result.fault->second->who, HasSubstr("thread 0"));
}

TEST(mbarrier, more_arrivals_than_its_count_are_a_fault) {
  // Two threads arrive, once each, where one is expected, and then nobody knows the phase.
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    EXPECT_EQ(fault_of(
                  block_of(32),
                  [] {
                    const std::uint32_t barrier = ptx::dynamic_shared_base();
                    init(barrier, 2);
                    if (ptx::thread_index() < 2) {
                      ptx::mbarrier_arrive(barrier);
                      ptx::mbarrier_arrive(barrier);  // without a wait between
                      ptx::mbarrier_arrive(barrier);
                    }
                  },
                  seed),
              FaultKind::phase_overrun);
  }
}

TEST(mbarrier, use_without_or_before_initialisation_is_a_fault) {
  EXPECT_EQ(fault_of(block_of(32), [] { ptx::mbarrier_arrive(ptx::dynamic_shared_base()); }),
            FaultKind::misused_mbarrier);
  EXPECT_EQ(fault_of(block_of(32),
                     [] {
                       if (ptx::thread_index() == 0)
                         ptx::mbarrier_init(ptx::dynamic_shared_base(), 1);
                       ptx::shuffle_xor(0, 1);
                       if (ptx::thread_index() == 1)
                         ptx::mbarrier_arrive(ptx::dynamic_shared_base());
                     }),
            FaultKind::race);
  EXPECT_EQ(fault_of(block_of(32),
                     [] {
                       init(ptx::dynamic_shared_base(), 1);
                       init(ptx::dynamic_shared_base(), 1);
                     }),
            FaultKind::misused_mbarrier);
}

TEST(mbarrier, is_no_data_until_it_is_invalidated) {
  const auto touch = [](bool invalidates) {
    return [invalidates] {
      const std::uint32_t barrier = ptx::dynamic_shared_base();
      if (ptx::thread_index() != 0) return;
      ptx::mbarrier_init(barrier, 1);
      if (invalidates) ptx::mbarrier_invalidate(barrier);
      ptx::store_shared(barrier, 1);
    };
  };
  EXPECT_EQ(fault_of(block_of(32), touch(false)), FaultKind::misused_mbarrier);
  EXPECT_EQ(fault_of(block_of(32), touch(true)), std::nullopt);
}

TEST(mbarrier, copies_arrive_when_they_are_complete_but_release_only_themselves) {
  std::array<std::uint32_t, 128> data{};
  LaunchConfig config = block_of(64);
  config.globals = {{"data", data.data(), sizeof(data), false}};
  const auto kernel = [&](std::uint32_t read_at) {
    return [&, read_at] {
      const std::uint32_t base = ptx::dynamic_shared_base();
      const std::uint32_t me = ptx::thread_index();
      init(base, 32);
      if (me < 32) {
        ptx::store_shared(base + 1024 + 16 * me, me);  // not released by the copies' arrival
        ptx::copy_async_16(base + 16 + 16 * me, data.data() + 4 * me);
        ptx::copy_async_arrive(base);
      } else {
        ptx::mbarrier_wait(base, 0);
        ptx::load_shared(base + read_at + 16 * (me - 32));
      }
    };
  };
  EXPECT_EQ(run_seeds(config, kernel(16)), "no fault");
  EXPECT_EQ(fault_of(config, kernel(1024), 5), FaultKind::race);
}

TEST(mbarrier, bulk_load_completes_its_bytes) {
  std::array<std::uint32_t, 16> data{};
  data[7] = 99;
  std::uint32_t seen = 0;
  LaunchConfig config = block_of(32);
  config.globals = {{"data", data.data(), 64, false}, {"seen", &seen, 4, true}};
  EXPECT_EQ(run_seeds(config,
                      [&] {
                        const std::uint32_t base = ptx::dynamic_shared_base();
                        init(base, 1);
                        if (ptx::thread_index() == 0) {
                          ptx::mbarrier_arrive_expect(base, 64);
                          ptx::bulk_load(base + 16, data.data(), 64, base);
                        }
                        ptx::mbarrier_wait(base, 0);
                        if (ptx::thread_index() == 5) {
                          ptx::store_global(&seen, ptx::load_shared(base + 16 + 28));
                        }
                      }),
            "no fault");
  EXPECT_EQ(seen, 99U);
}

TEST(mbarrier, deadlock_says_who_waits_for_what) {
  const LaunchResult result = run_seed(block_of(64), [] {
    const std::uint32_t barrier = ptx::dynamic_shared_base();
    init(barrier, 2);
    if (ptx::thread_index() == 0) ptx::mbarrier_arrive_expect(barrier, 48);
    if (ptx::thread_index() < 32) {
      ptx::mbarrier_wait(barrier, 0);
    } else {
      ptx::named_barrier_sync(3, 64);
    }
  });
  ASSERT_TRUE(result.fault);
  EXPECT_EQ(result.fault->kind, FaultKind::deadlock);
  const std::string text = result.fault->to_string();
  EXPECT_THAT(text, HasSubstr("thread 0 (warp 0, lane 0) of block 0 and 31 more"));
  EXPECT_THAT(text, HasSubstr("phase 0 of the mbarrier"));
  EXPECT_THAT(text, HasSubstr("1 of 2 arrivals and 48 bytes missing"));
  EXPECT_THAT(text, HasSubstr("named barrier 3 (32 of 64 threads have come)"));
}

TEST(named_barrier, orders_those_who_arrive_before_those_who_wait) {
  EXPECT_EQ(run_seeds(block_of(64),
                      [] {
                        const std::uint32_t base = ptx::dynamic_shared_base();
                        const std::uint32_t me = ptx::thread_index();
                        if (me < 32) {
                          ptx::store_shared(base + 4 * me, me);
                          ptx::named_barrier_arrive(1, 64);
                        } else {
                          ptx::named_barrier_sync(1, 64);
                          ptx::load_shared(base + 4 * (me - 32));
                        }
                      }),
            "no fault");
}

TEST(named_barrier, second_arrival_is_a_fault_in_every_schedule) {
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    const LaunchResult result = run_seed(
        block_of(64),
        [] {
          for (int turn = 0; turn < 2; ++turn) {
            if (ptx::thread_index() < 32) {
              ptx::named_barrier_arrive(1, 64);
            } else {
              ptx::named_barrier_sync(1, 64);
            }
          }
        },
        seed);
    ASSERT_TRUE(result.fault) << "seed " << seed;
    EXPECT_TRUE(result.fault->kind == FaultKind::misused_named_barrier ||
                result.fault->kind == FaultKind::phase_overrun)
        << result.fault->to_string();
    EXPECT_TRUE(result.fault->second);
    EXPECT_THAT(result.fault->object, HasSubstr("named barrier 1 of block 0"));
  }
}

TEST(named_barrier, counts_that_cannot_be_met_are_faults) {
  EXPECT_EQ(fault_of(block_of(64), [] { ptx::named_barrier_sync(1, 96); }),
            FaultKind::misused_named_barrier);
  EXPECT_EQ(fault_of(block_of(64), [] { ptx::named_barrier_sync(1, 40); }),
            FaultKind::misused_named_barrier);
  EXPECT_EQ(fault_of(block_of(64), [] { ptx::named_barrier_sync(16, 64); }),
            FaultKind::misused_named_barrier);
  EXPECT_EQ(fault_of(block_of(96),
                     [] { ptx::named_barrier_sync(1, ptx::thread_index() < 32 ? 64 : 96); }),
            FaultKind::misused_named_barrier);
}

TEST(named_barrier, warps_come_as_a_whole) {
  const auto kernel = [](std::uint32_t lanes) {
    return [lanes] {
      if (ptx::thread_index() % 32 < lanes) ptx::named_barrier_sync(1, lanes == 32 ? 64 : 32);
    };
  };
  EXPECT_EQ(run_seeds(block_of(64), kernel(32)), "no fault");
  EXPECT_EQ(fault_of(block_of(64), kernel(16)), FaultKind::misused_named_barrier);
}

TEST(cluster_barrier, arrive_and_wait_alternate) {
  LaunchConfig config = block_of(32);
  config.blocks = config.cluster_blocks = 2;
  EXPECT_EQ(run_seeds(config,
                      [] {
                        for (int turn = 0; turn < 3; ++turn) {
                          ptx::cluster_arrive();
                          ptx::cluster_wait();
                        }
                      }),
            "no fault");
  EXPECT_EQ(fault_of(config,
                     [] {
                       ptx::cluster_arrive();
                       ptx::cluster_arrive();
                     }),
            FaultKind::misused_named_barrier);
  EXPECT_EQ(fault_of(config, [] { ptx::cluster_wait(); }), FaultKind::misused_named_barrier);
}

}  // namespace
}  // namespace assay::emulator
