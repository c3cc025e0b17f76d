// cp.async, bulk copies and tensor copies. An access is checked when the copy is issued, with what
// the issuing thread knows then; the bytes move when the schedule says so.
//
// cp.async belongs to the generic proxy, bulk and tensor copies to the async proxy. Bulk loads are
// one queue for each mbarrier they complete on, so that knowing a phase to be over means knowing
// exactly the copies that completed in it. `wait_group.read` is taken to wait for the whole copy.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "kernels/emulator/machine.h"
#include "kernels/emulator/swizzle.h"

namespace assay::emulator {
namespace {

constexpr std::uint32_t kPieceBytes = 16;
constexpr std::uint32_t kTensorAlignment = 128;

// Waits for all but the newest groups; returns the tick up to which work is known to be complete.
std::uint32_t wait_for_groups(Machine& machine, Queue* queue, std::vector<std::uint32_t>& groups,
                              std::uint32_t newest_groups, WaitingFor waiting) {
  if (queue == nullptr || groups.size() <= newest_groups) return 0;
  const auto waited = groups.end() - newest_groups;
  const std::uint32_t tick = *(waited - 1);
  groups.erase(groups.begin(), waited);
  machine.wait_for(*queue, tick, waiting);
  return tick;
}

// Where a load goes and the mbarrier it completes on, one for each block of a multicast.
struct Target {
  SharedPlace to;
  SharedPlace barrier;
  Queue* queue;
};

Target make_target(Machine& machine, SharedPlace to, SharedPlace barrier_at, const Place& place) {
  Mbarrier& barrier = machine.mbarrier_at(barrier_at, place);
  // Made where it is needed: a frame that a fault leaves must own nothing.
  const auto object = [&] {
    return "mbarrier at " + machine.name_of_shared(*barrier_at.block, barrier_at.offset, 8);
  };
  if (!barrier.is_fenced) {
    machine.fail(FaultKind::misused_mbarrier,
                 "a bulk copy completes on an mbarrier whose initialisation was not fenced for the "
                 "async proxy",
                 object(), place, machine.party(barrier.init_thread, barrier.init_place));
  }
  if (to.block != barrier_at.block) {
    machine.fail(FaultKind::misused_mbarrier,
                 "the mbarrier and the destination are in different blocks", object(), place);
  }
  return {to, barrier_at, &machine.transactions_of(barrier_at, barrier)};
}

template <class Each>
void for_each_target(Machine& machine, SharedAddress to, SharedAddress barrier, std::uint32_t bytes,
                     std::uint32_t alignment, std::uint32_t rank_mask, const Place& place,
                     Each&& each) {
  const SharedPlace destination = machine.locate(to, bytes, alignment, place);
  const SharedPlace signal = machine.locate(barrier, 8, 8, place);
  if (rank_mask == 0) {
    each(make_target(machine, destination, signal, place));
    return;
  }
  if (rank_mask >> machine.config().cluster_blocks != 0) {
    machine.fail(FaultKind::out_of_bounds, "the multicast names blocks that the cluster lacks",
                 fmt::format("mask {:#x}", rank_mask), place);
  }
  for (std::uint32_t rank = 0; rank < machine.config().cluster_blocks; ++rank) {
    if ((rank_mask >> rank & 1U) == 0) continue;
    Block& block = machine.block(rank);
    each(make_target(machine, {&block, destination.offset}, {&block, signal.offset}, place));
  }
}

Access access_of(const Machine& machine, const Queue& queue, const Place& place) {
  Access access = machine.access_of(Machine::current().self(), place);
  access.epoch = {queue.actor, queue.issued + 1};
  access.is_async_proxy = true;
  return access;
}

void check_bulk_bytes(Machine& machine, std::uint32_t bytes, const Place& place) {
  if (bytes != 0 && bytes % kPieceBytes == 0) return;
  machine.fail(FaultKind::misaligned,
               fmt::format("a bulk copy moves a multiple of 16 bytes, not {}", bytes), "", place);
}

}  // namespace

Queue& Machine::copies_of(Thread& thread) {
  if (thread.copies == nullptr) {
    thread.copies = &make_queue("cp.async of " + name_of_thread(thread.id));
  }
  return *thread.copies;
}

void copy_async(SharedAddress to, const void* from, std::uint32_t bytes, std::uint32_t from_bytes,
                Place place) {
  Machine& machine = Machine::current();
  if (!machine.admits(place, to, bytes, from_bytes)) return;
  Thread& thread = machine.self();
  if ((bytes != 4 && bytes != 8 && bytes != kPieceBytes) || from_bytes > bytes) {
    machine.fail(FaultKind::misaligned,
                 fmt::format("cp.async moves 4, 8 or 16 bytes, not {} of {}", from_bytes, bytes),
                 "", place);
  }
  const SharedPlace at = machine.locate(to, bytes, bytes, place);
  Queue& queue = machine.copies_of(thread);
  Access access = machine.access_of(thread, place);
  access.epoch = {queue.actor, queue.issued + 1};
  if (from_bytes > 0) machine.check_global(from, from_bytes, bytes, false, access);
  machine.check_write(at, bytes, access);
  thread.latest_copy = access.epoch.tick;
  thread.copy_place = place;
  machine.issue(queue, [at, from, bytes, from_bytes] {
    std::memset(Machine::data(at), 0, bytes);
    if (from_bytes > 0) std::memcpy(Machine::data(at), from, from_bytes);
  });
}

void copy_async_commit(Place) {
  Machine& machine = Machine::current();
  Thread& thread = machine.self();
  thread.copy_groups.push_back(machine.copies_of(thread).issued);
}

void copy_async_wait(std::uint32_t newest_groups, Place place) {
  Machine& machine = Machine::current();
  Thread& thread = machine.self();
  const std::uint32_t tick = wait_for_groups(machine, thread.copies, thread.copy_groups,
                                             newest_groups, {Waiting::copies, 0, 0, place});
  thread.copies_covered = std::max(thread.copies_covered, tick);
}

void bulk_load(SharedAddress to, const void* from, std::uint32_t bytes, SharedAddress barrier,
               std::uint32_t rank_mask, Place place) {
  Machine& machine = Machine::current();
  check_bulk_bytes(machine, bytes, place);
  for_each_target(machine, to, barrier, bytes, kPieceBytes, rank_mask, place, [&](Target target) {
    const Access access = access_of(machine, *target.queue, place);
    machine.check_global(from, bytes, kPieceBytes, false, access);
    machine.check_write(target.to, bytes, access);
    machine.issue(*target.queue, [&machine, target, from, bytes, epoch = access.epoch, place] {
      std::memcpy(Machine::data(target.to), from, bytes);
      machine.complete_transaction(target.barrier, bytes, epoch, place);
    });
  });
  machine.yield();
}

void bulk_send(SharedAddress to, SharedAddress from, std::uint32_t bytes, SharedAddress barrier,
               Place place) {
  Machine& machine = Machine::current();
  check_bulk_bytes(machine, bytes, place);
  const SharedPlace source = machine.locate(from, bytes, kPieceBytes, place);
  for_each_target(machine, to, barrier, bytes, kPieceBytes, 0, place, [&](Target target) {
    const Access access = access_of(machine, *target.queue, place);
    machine.check_read(source, bytes, access);
    machine.check_write(target.to, bytes, access);
    ++source.block->outgoing_copies;
    source.block->outgoing_place = place;
    machine.issue(*target.queue, [&machine, target, source, bytes, epoch = access.epoch, place] {
      std::memcpy(Machine::data(target.to), Machine::data(source), bytes);
      --source.block->outgoing_copies;
      machine.complete_transaction(target.barrier, bytes, epoch, place);
    });
  });
  machine.yield();
}

void bulk_store(void* to, SharedAddress from, std::uint32_t bytes, Place place) {
  Machine& machine = Machine::current();
  Thread& thread = machine.self();
  check_bulk_bytes(machine, bytes, place);
  const SharedPlace source = machine.locate(from, bytes, kPieceBytes, place);
  if (thread.bulk_stores == nullptr) {
    thread.bulk_stores = &machine.make_queue("bulk stores of " + machine.name_of_thread(thread.id));
  }
  Queue& queue = *thread.bulk_stores;
  const Access access = access_of(machine, queue, place);
  machine.check_read(source, bytes, access);
  machine.check_global(to, bytes, kPieceBytes, true, access);
  thread.copy_place = place;
  machine.issue(queue, [source, to, bytes] { std::memcpy(to, Machine::data(source), bytes); });
  machine.yield();
}

void bulk_commit(Place) {
  Thread& thread = Machine::current().self();
  const Queue* queue = thread.bulk_stores;
  thread.store_groups.push_back(queue == nullptr ? 0 : queue->issued);
}

void bulk_wait(std::uint32_t newest_groups, bool, Place place) {
  Machine& machine = Machine::current();
  Thread& thread = machine.self();
  wait_for_groups(machine, thread.bulk_stores, thread.store_groups, newest_groups,
                  {Waiting::bulk_copies, 0, 0, place});
}

namespace {

void check_map(Machine& machine, const TensorMap& map, const Place& place) {
  const std::uint32_t width = map.box_width_bytes;
  const bool is_swizzle = map.swizzle_bytes == 0 || map.swizzle_bytes == 32 ||
                          map.swizzle_bytes == 64 || map.swizzle_bytes == 128;
  const bool fits = map.swizzle_bytes == 0 || width == map.swizzle_bytes;
  if (is_swizzle && fits && width != 0 && width % kPieceBytes == 0 && map.box_height != 0 &&
      map.box_height <= 256 && map.pitch_bytes % kPieceBytes == 0 && map.width_bytes != 0) {
    return;
  }
  machine.fail(
      FaultKind::bad_descriptor,
      fmt::format("a box of {} bytes by {} rows with a swizzle of {} bytes (the width must "
                  "be a multiple of 16, with a swizzle its size)",
                  width, map.box_height, map.swizzle_bytes),
      "tensor map", place);
}

// Copies the box to shared memory; what lies outside the tensor becomes 0.
void move_box(const TensorMap& map, std::int64_t x, std::int64_t y, const SharedPlace& to) {
  const Swizzle swizzle = map.swizzle_bytes == 128  ? Swizzle::bytes128
                          : map.swizzle_bytes == 64 ? Swizzle::bytes64
                          : map.swizzle_bytes == 32 ? Swizzle::bytes32
                                                    : Swizzle::none;
  const auto* base = static_cast<const std::byte*>(map.address);
  for (std::uint32_t row = 0; row < map.box_height; ++row) {
    for (std::uint32_t column = 0; column < map.box_width_bytes; column += kPieceBytes) {
      const std::uint32_t linear = kSharedBase + to.offset + row * map.box_width_bytes + column;
      const std::uint32_t address =
          swizzle == Swizzle::none ? linear : swizzle_address(swizzle, linear);
      std::byte* piece = to.block->shared.data() + (address - kSharedBase);
      for (std::uint32_t byte = 0; byte < kPieceBytes; ++byte) {
        const std::int64_t at_x = x + column + byte;
        const std::int64_t at_y = y + row;
        const bool is_inside = at_x >= 0 && at_y >= 0 &&
                               at_x < static_cast<std::int64_t>(map.width_bytes) &&
                               at_y < static_cast<std::int64_t>(map.height);
        piece[byte] = is_inside ? base[at_y * static_cast<std::int64_t>(map.pitch_bytes) + at_x]
                                : std::byte{0};
      }
    }
  }
}

}  // namespace

void tensor_load(SharedAddress to, const TensorMap& map, std::int32_t x_bytes, std::int32_t y,
                 SharedAddress barrier, std::uint32_t rank_mask, Place place) {
  Machine& machine = Machine::current();
  check_map(machine, map, place);
  const std::uint32_t bytes = map.box_width_bytes * map.box_height;
  for_each_target(
      machine, to, barrier, bytes, kTensorAlignment, rank_mask, place, [&](Target target) {
        const Access access = access_of(machine, *target.queue, place);
        machine.check_global(map.address, (map.height - 1) * map.pitch_bytes + map.width_bytes, 16,
                             false, access);
        // The swizzle stays within whole rows of 8, so the box covers the same cells.
        machine.check_write(target.to, bytes, access);
        machine.issue(*target.queue,
                      [&machine, target, map, x_bytes, y, bytes, epoch = access.epoch, place] {
                        move_box(map, x_bytes, y, target.to);
                        machine.complete_transaction(target.barrier, bytes, epoch, place);
                      });
      });
  machine.yield();
}

}  // namespace assay::emulator
