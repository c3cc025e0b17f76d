// Small device programs that are right, and the ways to break each: one step left out, moved or
// done twice. The mutation test proves that every broken one is caught.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "kernels/emulator/launch.h"

namespace assay::emulator {

// A producer warp fills a ring of two slots by bulk copies, a consumer warp adds the items up.
enum class RingFault : std::uint8_t {
  none,
  full_not_waited_for,
  empty_not_waited_for,
  full_phase_not_flipped,
  empty_phase_not_flipped,
  full_phase_starts_flipped,
  too_few_bytes_expected,
  too_many_bytes_expected,
  bytes_not_expected,
  slot_not_released,
  slot_released_before_it_is_read,
  slot_released_one_iteration_early,
  slot_released_twice,
  released_without_the_other_lanes,
  only_one_lane_waits,
  idle_lanes_wait_too,  // and nothing keeps them from missing two phases
  barriers_not_fenced,
  barriers_not_awaited,
  full_count_too_high,
  empty_count_too_low,
  mbarrier_overwritten,
};
struct RingKernel {
  static constexpr std::uint32_t kItems = 7, kSlots = 2, kWords = 32;
  std::array<std::uint32_t, kItems * kWords> input{};
  std::array<std::uint32_t, kWords> sums{};

  RingKernel();
  LaunchConfig config();
  void operator()(RingFault fault);
  bool is_right() const;
};

// Two groups of threads hand items over a buffer, by named barriers in one direction each.
enum class HandoverFault : std::uint8_t {
  none,
  reader_does_not_wait,
  writer_does_not_wait,
  writer_arrives_before_it_writes,
  reader_arrives_before_it_reads,
  reader_does_not_arrive,
  wrong_barrier,
  wrong_count,
  crooked_count,
  arrives_twice,
};
struct HandoverKernel {
  std::array<std::uint32_t, 32> sums{};
  LaunchConfig config();
  void operator()(HandoverFault fault);
  bool is_right() const;
};

// A warpgroup copies two 64 x 64 tiles, one as words it stores, one by cp.async, multiplies them
// with A once from shared memory and once from registers, and writes over the tiles at the end.
enum class TileFault : std::uint8_t {
  none,
  no_proxy_fence,
  proxy_fence_before_the_writes,
  no_barrier_after_the_writes,
  copies_not_waited_for,
  copies_not_committed,
  one_group_of_copies_not_waited_for,
  no_wgmma_fence,
  accumulator_read_before_the_wait,
  accumulator_written_before_the_wait,
  product_not_committed,
  newest_product_not_waited_for,
  fragment_written_before_the_wait,
  fragment_written_after_the_fence,
  tile_overwritten_before_the_wait,
  tile_overwritten_without_a_barrier,
  wrong_swizzle,
  wrong_stride,
  wrong_tile_layout,
  crooked_start,
  warps_disagree,
  a_warp_stays_away,
  products_left_behind,
  copies_left_behind,
};
struct TileKernel {
  static constexpr std::uint32_t kRows = 64, kDepth = 64;
  std::array<std::uint8_t, kRows * kDepth> a{}, b{};
  std::array<float, kRows * kRows> out{}, expected{};

  TileKernel();
  LaunchConfig config();
  void operator()(TileFault fault);
  bool is_right() const;

 private:
  void write_tiles(TileFault fault);
};

// Two blocks of a cluster send each other a word and a bulk copy.
enum class ClusterFault : std::uint8_t {
  none,
  barriers_not_fenced,
  word_not_awaited,
  copy_not_fenced,
  copy_not_waited_for,
  wrong_rank,
  wrong_barrier_rank,
  exits_without_waiting,
  arrives_twice,
};
struct ClusterKernel {
  std::array<std::uint32_t, 4> out{};
  LaunchConfig config();
  void operator()(ClusterFault fault);
  bool is_right() const;
};

}  // namespace assay::emulator
