// Every broken example kernel is caught: in every schedule when what is missing is an ordering, at
// the latest after some schedules when it is a wrong result or needs an unlucky moment.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/kernels/emulator/example_kernels.h"
#include "tests/kernels/emulator/run_kernel.h"

namespace assay::emulator {
namespace {

using ::testing::HasSubstr;
using enum FaultKind;

enum class Caught : std::uint8_t { always, sometimes, by_the_result };

template <class FaultName>
struct Mutation {
  FaultName fault;
  std::vector<FaultKind> kinds;  // those that may be reported, by schedule
  std::string object;            // part of the report
  Caught caught = Caught::always;
};

template <class Kernel, class FaultName>
void expect_right(FaultName none) {
  Kernel kernel;
  EXPECT_EQ(run_seeds(
                kernel.config(), [&] { kernel(none); },
                [&] { return std::string(kernel.is_right() ? "" : "the result is wrong"); }),
            "no fault");
}

bool has_two_places(const Fault& fault) {
  // Some faults have one party by nature.
  const bool alone = fault.kind == uninitialised_read || fault.kind == unfinished_work ||
                     fault.kind == bad_descriptor || fault.kind == out_of_bounds ||
                     fault.kind == misused_mbarrier || fault.kind == misused_named_barrier ||
                     fault.kind == deadlock;
  const auto is_place = [](const Party& party) {
    const bool is_known = party.where.find(".cc:") != std::string::npos ||
                          party.where == "its declaration";  // of a register that was never touched
    return is_known && !party.who.empty();
  };
  return is_place(fault.first) && (alone || (fault.second && is_place(*fault.second)));
}

template <class Kernel, class FaultName>
void expect_caught(const std::vector<Mutation<FaultName>>& mutations) {
  constexpr std::uint64_t kSchedules = 24;
  for (const Mutation<FaultName>& mutation : mutations) {
    std::uint64_t caught = 0;
    std::uint64_t wrong = 0;
    for (std::uint64_t seed = 0; seed < kSchedules; ++seed) {
      Kernel kernel;
      const LaunchResult result = run_seed(
          kernel.config(), [&] { kernel(mutation.fault); }, seed);
      if (!result.fault) {
        wrong += kernel.is_right() ? 0 : 1;
        continue;
      }
      ++caught;
      const std::string text = result.fault->to_string();
      EXPECT_THAT(mutation.kinds, ::testing::Contains(result.fault->kind)) << text;
      EXPECT_THAT(text, HasSubstr(mutation.object));
      EXPECT_TRUE(has_two_places(*result.fault)) << text;
    }
    const int number = static_cast<int>(mutation.fault);
    switch (mutation.caught) {
      case Caught::always:
        EXPECT_EQ(caught, kSchedules) << "mutation " << number;
        break;
      case Caught::sometimes:
        EXPECT_GT(caught, 0U) << "mutation " << number;
        break;
      case Caught::by_the_result:
        EXPECT_EQ(wrong, kSchedules) << "mutation " << number;
        break;
    }
  }
}

TEST(ring, is_right_in_every_schedule) { expect_right<RingKernel>(RingFault::none); }

TEST(ring, every_broken_one_is_caught) {
  expect_caught<RingKernel, RingFault>({
      {RingFault::full_not_waited_for, {race, uninitialised_read}, "slots"},
      {RingFault::empty_not_waited_for, {race, phase_overrun, misused_mbarrier}, "s"},
      {RingFault::full_phase_not_flipped, {deadlock, stale_phase}, "full barriers"},
      {RingFault::empty_phase_not_flipped, {deadlock, stale_phase}, "empty barriers"},
      {RingFault::full_phase_starts_flipped, {race, uninitialised_read, stale_phase}, "s"},
      {RingFault::too_few_bytes_expected,
       {race, uninitialised_read, stale_phase, deadlock, phase_overrun},
       "s"},
      {RingFault::too_many_bytes_expected, {deadlock}, "16 bytes missing"},
      {RingFault::bytes_not_expected,
       {race, uninitialised_read, stale_phase, deadlock, phase_overrun},
       "s"},
      {RingFault::slot_not_released, {deadlock}, "empty barriers"},
      {RingFault::slot_released_before_it_is_read, {race}, "slots"},
      {RingFault::slot_released_one_iteration_early,
       {race, phase_overrun, stale_phase, deadlock},
       "s"},
      {RingFault::slot_released_twice, {misused_mbarrier, phase_overrun, race, stale_phase}, "s"},
      {RingFault::released_without_the_other_lanes, {race, stale_phase, phase_overrun}, "s"},
      {RingFault::only_one_lane_waits, {race, uninitialised_read, phase_overrun}, "s"},
      {RingFault::idle_lanes_wait_too, {stale_phase}, "empty barriers", Caught::sometimes},
      {RingFault::barriers_not_fenced, {misused_mbarrier}, "full barriers"},
      {RingFault::barriers_not_awaited, {race, misused_mbarrier}, "barriers"},
      {RingFault::full_count_too_high, {deadlock}, "1 of 2 arrivals"},
      {RingFault::empty_count_too_low, {race, phase_overrun, stale_phase, deadlock}, "s"},
      {RingFault::mbarrier_overwritten, {misused_mbarrier}, "empty barriers"},
  });
}

TEST(handover, is_right_in_every_schedule) { expect_right<HandoverKernel>(HandoverFault::none); }

TEST(handover, every_broken_one_is_caught) {
  expect_caught<HandoverKernel, HandoverFault>({
      {HandoverFault::reader_does_not_wait,
       {race, uninitialised_read, misused_named_barrier, phase_overrun},
       ""},
      {HandoverFault::writer_does_not_wait, {race, misused_named_barrier, phase_overrun}, ""},
      {HandoverFault::writer_arrives_before_it_writes, {race, uninitialised_read}, "buffer"},
      {HandoverFault::reader_arrives_before_it_reads, {race}, "buffer"},
      {HandoverFault::reader_does_not_arrive, {deadlock}, "named barrier 2"},
      {HandoverFault::wrong_barrier, {deadlock}, "named barrier 1"},
      {HandoverFault::wrong_count, {misused_named_barrier, race, uninitialised_read}, ""},
      {HandoverFault::crooked_count, {misused_named_barrier}, "named barrier 1"},
      {HandoverFault::arrives_twice, {misused_named_barrier, phase_overrun}, "named barrier 1"},
  });
}

TEST(tile, is_right_in_every_schedule) { expect_right<TileKernel>(TileFault::none); }

TEST(tile, every_broken_one_is_caught) {
  expect_caught<TileKernel, TileFault>({
      {TileFault::no_proxy_fence, {missing_proxy_fence}, "tile"},
      {TileFault::proxy_fence_before_the_writes, {missing_proxy_fence}, "tile"},
      {TileFault::no_barrier_after_the_writes,
       {race, uninitialised_read, missing_proxy_fence},
       "tile"},
      {TileFault::copies_not_waited_for, {race}, "tile b"},
      {TileFault::copies_not_committed, {race}, "tile b"},
      {TileFault::one_group_of_copies_not_waited_for, {race}, "tile b"},
      {TileFault::no_wgmma_fence, {missing_wgmma_fence}, "registers"},
      {TileFault::accumulator_read_before_the_wait, {register_in_flight}, "registers"},
      {TileFault::accumulator_written_before_the_wait, {register_in_flight}, "registers"},
      {TileFault::product_not_committed, {register_in_flight}, "registers"},
      {TileFault::newest_product_not_waited_for, {register_in_flight}, "registers"},
      {TileFault::fragment_written_before_the_wait, {register_in_flight}, "registers"},
      {TileFault::fragment_written_after_the_fence, {missing_wgmma_fence}, "registers"},
      {TileFault::tile_overwritten_before_the_wait, {race}, "tile b"},
      {TileFault::tile_overwritten_without_a_barrier, {race}, "tile b"},
      {TileFault::wrong_swizzle, {}, "", Caught::by_the_result},
      {TileFault::wrong_stride, {uninitialised_read}, "shared memory"},
      {TileFault::wrong_tile_layout, {}, "", Caught::by_the_result},
      {TileFault::crooked_start, {bad_descriptor}, "descriptor"},
      {TileFault::warps_disagree, {divergence}, ""},
      {TileFault::a_warp_stays_away, {deadlock}, "wgmma"},
      {TileFault::products_left_behind, {register_in_flight, unfinished_work, race}, ""},
      {TileFault::copies_left_behind, {unfinished_work}, ""},
  });
}

TEST(cluster, is_right_in_every_schedule) { expect_right<ClusterKernel>(ClusterFault::none); }

TEST(cluster, every_broken_one_is_caught) {
  expect_caught<ClusterKernel, ClusterFault>({
      {ClusterFault::barriers_not_fenced, {misused_mbarrier}, "barriers"},
      {ClusterFault::word_not_awaited, {race, uninitialised_read}, "word"},
      {ClusterFault::copy_not_fenced, {missing_proxy_fence}, "sent"},
      {ClusterFault::copy_not_waited_for, {race, uninitialised_read}, "received"},
      {ClusterFault::wrong_rank, {out_of_bounds}, "rank 2"},
      {ClusterFault::wrong_barrier_rank, {misused_mbarrier}, "barriers"},
      {ClusterFault::exits_without_waiting, {unfinished_work}, "", Caught::sometimes},
      {ClusterFault::arrives_twice, {misused_named_barrier}, "cluster barrier"},
  });
}

}  // namespace
}  // namespace assay::emulator
