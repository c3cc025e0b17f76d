// The programs of example_kernels.h. `is(x)` asks for one fault: what follows is the broken step.
#include "tests/kernels/emulator/example_kernels.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "kernels/ptx/arithmetic.h"
#include "kernels/ptx/async_copy.h"
#include "kernels/ptx/barriers.h"
#include "kernels/ptx/bulk_copy.h"
#include "kernels/ptx/mbarrier.h"
#include "kernels/ptx/memory.h"
#include "kernels/ptx/special_registers.h"
#include "kernels/ptx/warp.h"
#include "kernels/ptx/wgmma.h"
#include "kernels/sparse_mla_prefill/fp8.h"

namespace assay::emulator {

RingKernel::RingKernel() {
  std::uint32_t next = 1;
  for (auto& word : input) word = next = next * 1664525U + 1013904223U;
}

LaunchConfig RingKernel::config() {
  LaunchConfig config;
  config.threads = 64;
  config.shared_bytes = 2048;
  config.globals = {{"input", input.data(), sizeof(input), false},
                    {"sums", sums.data(), sizeof(sums), true}};
  config.shared_names = {
      {0, 16, "full barriers"}, {16, 16, "empty barriers"}, {1024, 256, "slots"}};
  return config;
}

void RingKernel::operator()(RingFault fault) {
  const auto is = [fault](RingFault other) { return fault == other; };
  const std::uint32_t full = ptx::dynamic_shared_base();
  const std::uint32_t empty = full + 16;
  const std::uint32_t slots = full + 1024;
  const std::uint32_t lane = ptx::thread_index() % 32;
  if (ptx::thread_index() == 0) {
    for (std::uint32_t slot = 0; slot < kSlots; ++slot) {
      ptx::mbarrier_init(full + 8 * slot, is(RingFault::full_count_too_high) ? 2 : 1);
      ptx::mbarrier_init(empty + 8 * slot, is(RingFault::empty_count_too_low) ? 31 : 32);
    }
    if (!is(RingFault::barriers_not_fenced)) ptx::fence_mbarrier_init();
  }
  if (!is(RingFault::barriers_not_awaited)) ptx::sync_block();
  std::uint32_t sum = 0;
  for (std::uint32_t item = 0; item < kItems; ++item) {
    const std::uint32_t slot = item % kSlots;
    const std::uint32_t phase = item / kSlots % 2;
    const std::uint32_t data = slots + slot * kWords * 4;
    if (ptx::thread_index() < 32) {
      if (lane != 0 && !is(RingFault::idle_lanes_wait_too)) continue;
      const std::uint32_t parity = is(RingFault::empty_phase_not_flipped) ? 1 : 1 - phase;
      if (!is(RingFault::empty_not_waited_for)) ptx::mbarrier_wait(empty + 8 * slot, parity);
      if (lane != 0) continue;
      if (is(RingFault::bytes_not_expected)) {
        ptx::mbarrier_arrive(full + 8 * slot);
      } else {
        ptx::mbarrier_arrive_expect(full + 8 * slot, is(RingFault::too_few_bytes_expected) ? 64
                                                     : is(RingFault::too_many_bytes_expected)
                                                         ? 144
                                                         : 128);
      }
      ptx::bulk_load(data, &input[item * kWords], 64, full + 8 * slot);
      ptx::bulk_load(data + 64, &input[item * kWords + 16], 64, full + 8 * slot);
    } else {
      const std::uint32_t parity = is(RingFault::full_phase_not_flipped)      ? 0
                                   : is(RingFault::full_phase_starts_flipped) ? 1 - phase
                                                                              : phase;
      const bool waits = !is(RingFault::only_one_lane_waits) || lane == 0;
      if (waits && !is(RingFault::full_not_waited_for)) ptx::mbarrier_wait(full + 8 * slot, parity);
      if (is(RingFault::slot_released_before_it_is_read)) ptx::mbarrier_arrive(empty + 8 * slot);
      if (is(RingFault::slot_released_one_iteration_early) && item + 1 < kItems) {
        ptx::mbarrier_arrive(empty + 8 * (1 - slot));
      }
      if (is(RingFault::released_without_the_other_lanes) && lane == 0) {
        for (int i = 0; i < 32; ++i) ptx::mbarrier_arrive(empty + 8 * slot);
      }
      if (is(RingFault::mbarrier_overwritten) && lane == 3) ptx::store_shared(empty + 8, 0);
      sum += ptx::load_shared(data + 4 * lane);
      const bool releases = !is(RingFault::slot_not_released) &&
                            !is(RingFault::slot_released_before_it_is_read) &&
                            !is(RingFault::slot_released_one_iteration_early) &&
                            !is(RingFault::released_without_the_other_lanes);
      if (releases) ptx::mbarrier_arrive(empty + 8 * slot);
      if (is(RingFault::slot_released_twice)) ptx::mbarrier_arrive(empty + 8 * slot);
    }
  }
  if (ptx::thread_index() >= 32) ptx::store_global(&sums[lane], sum);
}

bool RingKernel::is_right() const {
  for (std::uint32_t lane = 0; lane < kWords; ++lane) {
    std::uint32_t sum = 0;
    for (std::uint32_t item = 0; item < kItems; ++item) sum += input[item * kWords + lane];
    if (sums[lane] != sum) return false;
  }
  return true;
}

LaunchConfig HandoverKernel::config() {
  LaunchConfig config;
  config.threads = 64;
  config.shared_bytes = 1024;
  config.globals = {{"sums", sums.data(), sizeof(sums), true}};
  config.shared_names = {{0, 128, "buffer"}};
  return config;
}

void HandoverKernel::operator()(HandoverFault fault) {
  const auto is = [fault](HandoverFault other) { return fault == other; };
  constexpr std::uint32_t kFull = 1;
  constexpr std::uint32_t kEmpty = 2;
  const std::uint32_t lane = ptx::thread_index() % 32;
  const std::uint32_t cell = ptx::dynamic_shared_base() + 4 * lane;
  const std::uint32_t other = ptx::dynamic_shared_base() + 4 * (31 - lane);
  std::uint32_t sum = 0;
  for (std::uint32_t item = 0; item < 5; ++item) {
    if (ptx::thread_index() < 32) {
      if (item > 0 && !is(HandoverFault::writer_does_not_wait)) ptx::named_barrier_sync(kEmpty, 64);
      if (is(HandoverFault::writer_arrives_before_it_writes)) ptx::named_barrier_arrive(kFull, 64);
      ptx::store_shared(cell, 100 * item + lane);
      if (!is(HandoverFault::writer_arrives_before_it_writes)) {
        ptx::named_barrier_arrive(is(HandoverFault::wrong_barrier) ? 3 : kFull, 64);
      }
      if (is(HandoverFault::arrives_twice) && item == 2) ptx::named_barrier_arrive(kFull, 64);
    } else {
      const std::uint32_t count = is(HandoverFault::wrong_count)     ? 32
                                  : is(HandoverFault::crooked_count) ? 48
                                                                     : 64;
      if (!is(HandoverFault::reader_does_not_wait)) ptx::named_barrier_sync(kFull, count);
      const bool is_last = item == 4;
      const bool is_early = is(HandoverFault::reader_arrives_before_it_reads);
      const bool arrives = !is_last && !is(HandoverFault::reader_does_not_arrive);
      if (arrives && is_early) ptx::named_barrier_arrive(kEmpty, 64);
      sum += ptx::load_shared(other);
      if (arrives && !is_early) ptx::named_barrier_arrive(kEmpty, 64);
    }
  }
  if (ptx::thread_index() >= 32) ptx::store_global(&sums[lane], sum);
}

bool HandoverKernel::is_right() const {
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    if (sums[lane] != 1000 + 5 * (31 - lane)) return false;
  }
  return true;
}

TileKernel::TileKernel() {
  std::mt19937 random(7);
  const auto fill = [&random](auto& bytes) {
    for (auto& byte : bytes) {
      byte = static_cast<std::uint8_t>((random() & 0x80U) | (0x30U + random() % 16U));
    }
  };
  fill(a);
  fill(b);
  for (std::uint32_t row = 0; row < kRows; ++row) {
    for (std::uint32_t column = 0; column < kRows; ++column) {
      float sum = 0;
      for (std::uint32_t k = 0; k < kDepth; ++k) {
        // The first half of K from shared memory, the second from registers.
        sum += sparse_mla_prefill::decode_e4m3(a[row * kDepth + k]) *
               sparse_mla_prefill::decode_e4m3(b[column * kDepth + k]);
      }
      expected[row * kRows + column] = sum;
    }
  }
}

LaunchConfig TileKernel::config() {
  LaunchConfig config;
  config.threads = 128;
  config.shared_bytes = 16384;
  config.globals = {{"a", a.data(), sizeof(a), false},
                    {"b", b.data(), sizeof(b), false},
                    {"out", out.data(), sizeof(out), true}};
  config.shared_names = {{0, 4096, "tile a"}, {4096, 4096, "tile b"}};
  return config;
}

namespace {

// The 64-byte swizzle of a 64 x 64 tile.
std::uint32_t tile_address(std::uint32_t tile, std::uint32_t row, std::uint32_t k) {
  return tile + row * 64 + ((k / 16) ^ (row / 2 % 4)) * 16 + k % 16;
}

std::uint32_t word_at(const std::uint8_t* bytes) {
  return bytes[0] | std::uint32_t{bytes[1]} << 8U | std::uint32_t{bytes[2]} << 16U |
         std::uint32_t{bytes[3]} << 24U;
}

}  // namespace

void TileKernel::write_tiles(TileFault fault) {
  const auto is = [fault](TileFault other) { return fault == other; };
  const std::uint32_t me = ptx::thread_index();
  const std::uint32_t tile_a = ptx::dynamic_shared_base();
  const std::uint32_t tile_b = tile_a + 4096;
  if (is(TileFault::proxy_fence_before_the_writes)) ptx::fence_proxy_async();
  for (std::uint32_t i = me; i < a.size() / 4; i += 128) {
    const std::uint32_t row = i / 16;
    const std::uint32_t k = i % 16 * 4;
    const std::uint32_t to =
        is(TileFault::wrong_tile_layout) ? tile_a + row * 64 + k : tile_address(tile_a, row, k);
    ptx::store_shared(to, word_at(&a[4 * i]));
  }
  for (std::uint32_t i = me; i < b.size() / 16; i += 128) {
    ptx::copy_async_16(tile_address(tile_b, i / 4, i % 4 * 16), &b[16 * i]);
    if (!is(TileFault::copies_not_committed)) ptx::copy_async_commit();
  }
  if (is(TileFault::one_group_of_copies_not_waited_for)) {
    ptx::copy_async_wait<1>();
  } else if (!is(TileFault::copies_not_waited_for)) {
    ptx::copy_async_wait<0>();
  }
  if (!is(TileFault::no_proxy_fence) && !is(TileFault::proxy_fence_before_the_writes)) {
    ptx::fence_proxy_async();
  }
  if (!is(TileFault::no_barrier_after_the_writes)) ptx::sync_block();
  if (is(TileFault::one_group_of_copies_not_waited_for)) ptx::copy_async_wait<0>();
}

void TileKernel::operator()(TileFault fault) {
  const auto is = [fault](TileFault other) { return fault == other; };
  const std::uint32_t me = ptx::thread_index();
  const std::uint32_t lane = me % 32;
  const std::uint32_t tile_a = ptx::dynamic_shared_base();
  const std::uint32_t tile_b = tile_a + 4096;
  write_tiles(fault);
  const ptx::Swizzle swizzle_of_a =
      is(TileFault::wrong_swizzle) ? ptx::Swizzle::bytes32 : ptx::Swizzle::bytes64;
  std::uint32_t start = is(TileFault::crooked_start) ? tile_b + 64 : tile_b;
  if (is(TileFault::warps_disagree) && me >= 96) start += 16;
  const std::uint32_t stride = is(TileFault::wrong_stride) ? 1024 : 512;
  ptx::Accumulator<64> d;
  ptx::FragmentA fragment;
  const auto fill = [&](std::uint32_t w) {
    const std::uint32_t row = me / 32 * 16 + lane / 4 + 8 * (w % 2);
    fragment.set(static_cast<int>(w),
                 word_at(&a[row * kDepth + 32 + 4 * (lane % 4) + 16 * (w / 2)]));
  };
  for (std::uint32_t w = 0; w < 4; ++w) fill(w);
  if (!is(TileFault::no_wgmma_fence)) ptx::wgmma_fence();
  if (is(TileFault::fragment_written_after_the_fence)) fill(3);
  if (is(TileFault::a_warp_stays_away) && me >= 96) return;
  ptx::wgmma_n64(d, ptx::make_descriptor(tile_a, 512, swizzle_of_a),
                 ptx::make_descriptor(start, stride, ptx::Swizzle::bytes64), false);
  ptx::wgmma_commit();
  ptx::wgmma_n64(d, fragment, ptx::make_descriptor(start + 32, stride, ptx::Swizzle::bytes64),
                 true);
  if (!is(TileFault::product_not_committed)) ptx::wgmma_commit();
  if (is(TileFault::fragment_written_before_the_wait)) fill(0);
  if (is(TileFault::accumulator_written_before_the_wait)) d.set(5, 0);
  if (is(TileFault::tile_overwritten_before_the_wait)) ptx::store_shared(tile_b + 4 * me, 0);
  if (is(TileFault::newest_product_not_waited_for)) {
    ptx::wgmma_wait<1>();
  } else if (!is(TileFault::accumulator_read_before_the_wait) &&
             !is(TileFault::products_left_behind)) {
    ptx::wgmma_wait<0>();
  }
  for (std::uint32_t i = 0; i < 32 && !is(TileFault::products_left_behind); ++i) {
    const std::uint32_t row = me / 32 * 16 + lane / 4 + 8 * (i / 2 % 2);
    const std::uint32_t column = 8 * (i / 4) + 2 * (lane % 4) + i % 2;
    ptx::store_global(&out[row * kRows + column], ptx::bits_of(d.get(static_cast<int>(i))));
  }
  if (!is(TileFault::tile_overwritten_without_a_barrier)) ptx::sync_block();
  ptx::store_shared(tile_b + 4 * me, 0);
  if (is(TileFault::copies_left_behind)) {
    ptx::copy_async_16(tile_a + 16 * me, b.data());
  }
}

bool TileKernel::is_right() const {
  return std::equal(out.begin(), out.end(), expected.begin(), [](float have, float want) {
    return std::fabs(have - want) <= 1e-4F * std::fabs(want) + 1e-3F;
  });
}

LaunchConfig ClusterKernel::config() {
  LaunchConfig config;
  config.threads = 32;
  config.blocks = config.cluster_blocks = 2;
  config.shared_bytes = 1024;
  config.globals = {{"out", out.data(), sizeof(out), true}};
  config.shared_names = {
      {0, 16, "barriers"}, {16, 16, "word"}, {64, 16, "sent"}, {96, 16, "received"}};
  return config;
}

void ClusterKernel::operator()(ClusterFault fault) {
  const auto is = [fault](ClusterFault other) { return fault == other; };
  const std::uint32_t rank = ptx::cluster_rank();
  const std::uint32_t base = ptx::dynamic_shared_base();
  const bool is_first = ptx::thread_index() == 0;
  if (is_first) {
    ptx::mbarrier_init(base, 1);      // the word
    ptx::mbarrier_init(base + 8, 1);  // the copy
    if (!is(ClusterFault::barriers_not_fenced)) ptx::fence_mbarrier_init();
    ptx::mbarrier_arrive_expect(base + 8, 16);
    for (std::uint32_t i = 0; i < 4; ++i) ptx::store_shared(base + 64 + 4 * i, 10 * rank + i);
    if (!is(ClusterFault::copy_not_fenced) && !is(ClusterFault::barriers_not_fenced)) {
      ptx::fence_proxy_async();  // covers the barriers too
    }
  }
  ptx::cluster_arrive();
  if (is(ClusterFault::arrives_twice)) ptx::cluster_arrive();
  ptx::cluster_wait();
  if (is_first) {
    const std::uint32_t peer = is(ClusterFault::wrong_rank) ? 2 : 1 - rank;
    const std::uint32_t signal = is(ClusterFault::wrong_barrier_rank) ? rank : peer;
    ptx::store_shared_cluster(ptx::map_shared_rank(base + 16, peer), 77 + rank);
    ptx::mbarrier_arrive_cluster(ptx::map_shared_rank(base, peer));
    ptx::bulk_send(ptx::map_shared_rank(base + 96, peer), base + 64, 16,
                   ptx::map_shared_rank(base + 8, signal));
    if (!is(ClusterFault::word_not_awaited)) ptx::mbarrier_wait(base, 0);
    if (!is(ClusterFault::copy_not_waited_for)) ptx::mbarrier_wait(base + 8, 0);
    ptx::store_global(&out[2 * rank], ptx::load_shared(base + 16));
    ptx::store_global(&out[2 * rank + 1], ptx::load_shared(base + 96 + 12));
  }
  if (is(ClusterFault::exits_without_waiting)) return;
  ptx::cluster_arrive();
  ptx::cluster_wait();
}

bool ClusterKernel::is_right() const { return out == std::array<std::uint32_t, 4>{78, 13, 77, 3}; }

}  // namespace assay::emulator
