// Schedules: the same seed makes the same run, and a search over few delays finds what depends on
// an unlucky moment.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "kernels/emulator/delay_search.h"
#include "kernels/ptx/barriers.h"
#include "kernels/ptx/mbarrier.h"
#include "kernels/ptx/memory.h"
#include "kernels/ptx/special_registers.h"
#include "kernels/ptx/warp.h"
#include "tests/kernels/emulator/example_kernels.h"
#include "tests/kernels/emulator/run_kernel.h"

namespace assay::emulator {
namespace {

TEST(schedule, same_seed_makes_the_same_run_and_others_differ) {
  std::set<std::uint64_t> steps;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    RingKernel kernel;
    const auto run = [&] {
      return run_seed(
          kernel.config(), [&] { kernel(RingFault::none); }, seed);
    };
    const LaunchResult first = run();
    EXPECT_EQ(first.steps, run().steps);
    steps.insert(first.steps);
  }
  EXPECT_GT(steps.size(), 4U);
}

TEST(schedule, endless_program_reaches_the_step_limit) {
  LaunchConfig config;
  config.threads = 32;
  config.shared_bytes = 1024;
  config.step_limit = 1000;
  EXPECT_EQ(fault_of(config,
                     [] {
                       if (ptx::thread_index() == 0) {
                         ptx::mbarrier_init(ptx::dynamic_shared_base(), 1);
                         while (!ptx::mbarrier_test(ptx::dynamic_shared_base(), 0)) {
                         }
                       }
                     }),
            FaultKind::step_limit);
}

// One warp ends two phases; the other waits for the first one and may come when both are over.
void wait_that_may_come_late() {
  const std::uint32_t barrier = ptx::dynamic_shared_base();
  const std::uint32_t me = ptx::thread_index();
  if (me == 0) ptx::mbarrier_init(barrier, 1);
  ptx::sync_block();
  if (me == 32) {
    for (int phase = 0; phase < 2; ++phase) ptx::mbarrier_arrive(barrier);
  }
  if (me == 0) ptx::mbarrier_wait(barrier, 0);
}

TEST(delay_search, finds_a_wait_that_comes_late_in_few_schedules) {
  LaunchConfig config;
  config.threads = 64;
  config.shared_bytes = 1024;
  Emulator emulator;
  const auto search = [&](std::uint32_t max_delays) {
    return search_delays(emulator, config, wait_that_may_come_late, {max_delays, 10'000});
  };
  const DelaySearchResult none = search(0);
  EXPECT_EQ(none.runs, 1U);
  const DelaySearchResult found = none.fault ? none : search(2);
  ASSERT_TRUE(found.fault);
  EXPECT_EQ(found.fault->kind, FaultKind::stale_phase);
  // The schedule repeats the fault.
  DelayedSchedule schedule(found.delays);
  EXPECT_TRUE(emulator.run(config, wait_that_may_come_late, schedule).fault);
}

TEST(delay_search, runs_every_schedule_of_a_program_that_is_right) {
  HandoverKernel kernel;
  Emulator emulator;
  const DelaySearchResult result =
      search_delays(emulator, kernel.config(), [&] { kernel(HandoverFault::none); }, {1, 10'000});
  EXPECT_FALSE(result.fault);
  EXPECT_TRUE(result.is_complete);
  EXPECT_GT(result.runs, 100U);
}

}  // namespace
}  // namespace assay::emulator
