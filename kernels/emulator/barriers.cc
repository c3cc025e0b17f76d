// Named barriers of a block and the barrier of a cluster.
//
// A thread that only arrives goes on at once. If it comes to the barrier again and cannot know the
// phase to be over, another schedule has it there twice in one phase, which the hardware counts as
// two threads: that is a fault in every schedule.
#include <fmt/format.h>

#include <algorithm>

#include "kernels/emulator/machine.h"

namespace assay::emulator {
namespace {

std::string name_of(const Machine& machine, const Thread& thread, std::uint32_t id) {
  return fmt::format("named barrier {} of block {}", id,
                     machine.first_block() + thread.block->rank);
}

// A function, so that its temporaries are gone when the fault leaves the frame.
std::string overrun_text(const Arrival& latest) {
  return fmt::format(
      "comes again (latest: at {}) without knowing that the other has come, so it could be there "
      "twice in one phase",
      place_name(latest.place));
}

void check_arrival(Machine& machine, NamedBarrier& barrier, std::uint32_t id, std::uint32_t count,
                   const Place& place) {
  Thread& thread = machine.self();
  const auto fail = [&](std::string what, std::optional<Party> second) {
    machine.fail(FaultKind::misused_named_barrier, std::move(what), name_of(machine, thread, id),
                 place, std::move(second));
  };
  if (count == 0 || count % kWarpThreads != 0 || count > machine.config().threads) {
    fail(fmt::format("a count of {} threads cannot be met by whole warps of a block of {}", count,
                     machine.config().threads),
         std::nullopt);
  }
  for (std::size_t i = 0; i < barrier.arrived.size(); ++i) {
    if (barrier.arrived[i] != thread.id) continue;
    fail("comes a second time before the phase is over",
         machine.party(thread.id, barrier.participants[i].place));
  }
  if (barrier.count != 0 && barrier.count != count) {
    const Participant& first = barrier.participants.front();
    fail(fmt::format("waits for {} threads where others wait for {}", count, barrier.count),
         machine.party(first.epoch.actor, first.place));
  }
  const Arrival& latest = barrier.latest_arrival[thread.index];
  if (latest.phase < 0 || static_cast<std::uint64_t>(latest.phase) + 1 != barrier.phase) return;
  for (const Participant& other : barrier.previous_participants) {
    if (thread.clock.covers(other.epoch)) continue;
    machine.fail(FaultKind::phase_overrun, overrun_text(latest), name_of(machine, thread, id),
                 place, machine.party(other.epoch.actor, other.place));
  }
}

// .aligned: a warp comes as a whole. When the phase is full, a warp of which lanes are missing has
// come in parts, which the hardware counts otherwise.
void check_whole_warps(Machine& machine, const NamedBarrier& barrier, std::uint32_t id,
                       const Place& place) {
  constexpr std::size_t kMaxWarps = 32;
  std::array<std::uint32_t, kMaxWarps> lanes{};
  for (const std::uint32_t thread : barrier.arrived) {
    ++lanes[machine.thread(thread).index / kWarpThreads];
  }
  for (std::size_t warp = 0; warp < kMaxWarps; ++warp) {
    if (lanes[warp] == 0 || lanes[warp] == kWarpThreads) continue;
    machine.fail(
        FaultKind::misused_named_barrier,
        fmt::format("is full with {} lanes of warp {}: a warp comes as a whole", lanes[warp], warp),
        name_of(machine, machine.self(), id), place);
  }
}

// Whether the thread completed the phase.
bool come(Machine& machine, NamedBarrier& barrier, std::uint32_t id, std::uint32_t count,
          const Place& place) {
  Thread& thread = machine.self();
  if (barrier.latest_arrival.empty()) barrier.latest_arrival.resize(machine.config().threads);
  check_arrival(machine, barrier, id, count, place);
  barrier.count = count;
  barrier.arrived.push_back(thread.id);
  barrier.participants.push_back({{thread.id, thread.clock.known(thread.id)}, place});
  barrier.arriving.join(thread.clock);
  thread.clock.tick(thread.id);
  if (barrier.arrived.size() < count) return false;
  check_whole_warps(machine, barrier, id, place);
  for (const std::uint32_t waiter : barrier.waiters) {
    machine.thread(waiter).clock.join(barrier.arriving);
  }
  machine.wake(barrier.waiters);
  barrier.previous_participants.swap(barrier.participants);
  barrier.participants.clear();
  barrier.arrived.clear();
  barrier.count = 0;
  ++barrier.phase;
  return true;
}

NamedBarrier& find(Machine& machine, std::uint32_t id, const Place& place) {
  Thread& thread = machine.self();
  if (id >= thread.block->named_barriers.size()) {
    machine.fail(FaultKind::misused_named_barrier, "a block has barriers 0 to 15",
                 name_of(machine, thread, id), place);
  }
  return thread.block->named_barriers[id];
}

}  // namespace

void named_barrier_sync(std::uint32_t id, std::uint32_t count, Place place) {
  Machine& machine = Machine::current();
  if (!machine.admits(place, id, count)) return;
  Thread& thread = machine.self();
  NamedBarrier& barrier = find(machine, id, place);
  const std::uint64_t phase = barrier.phase;
  if (come(machine, barrier, id, count, place)) {
    thread.clock.join(barrier.arriving);
    barrier.arriving.clear();
    machine.yield();
  } else {
    barrier.latest_arrival[thread.index].phase = -1;
    while (barrier.phase == phase) {
      machine.block_on(barrier.waiters, {Waiting::named_barrier, id, 0, place});
    }
  }
}

void named_barrier_arrive(std::uint32_t id, std::uint32_t count, Place place) {
  Machine& machine = Machine::current();
  if (!machine.admits(place, id, count)) return;
  NamedBarrier& barrier = find(machine, id, place);
  const auto phase = static_cast<std::int64_t>(barrier.phase);
  if (come(machine, barrier, id, count, place)) barrier.arriving.clear();
  barrier.latest_arrival[machine.self().index] = {phase, place};
  machine.yield();
}

void cluster_arrive(Place place) {
  Machine& machine = Machine::current();
  Thread& thread = machine.self();
  ClusterBarrier& barrier = machine.cluster_barrier();
  if (thread.is_in_cluster_barrier) {
    machine.fail(FaultKind::misused_named_barrier, "arrives twice without waiting between",
                 "the cluster barrier", place);
  }
  thread.is_in_cluster_barrier = true;
  thread.cluster_phase = barrier.phase;
  barrier.arriving.join(thread.clock);
  thread.clock.tick(thread.id);
  if (++barrier.arrived == machine.thread_count()) {
    barrier.completed.join(barrier.arriving);
    barrier.arriving.clear();
    barrier.arrived = 0;
    ++barrier.phase;
    machine.wake(barrier.waiters);
  }
  machine.yield();
}

void cluster_wait(Place place) {
  Machine& machine = Machine::current();
  Thread& thread = machine.self();
  ClusterBarrier& barrier = machine.cluster_barrier();
  if (!thread.is_in_cluster_barrier) {
    machine.fail(FaultKind::misused_named_barrier, "waits without having arrived",
                 "the cluster barrier", place);
  }
  while (barrier.phase == thread.cluster_phase) {
    machine.block_on(barrier.waiters, {Waiting::cluster_barrier, 0, 0, place});
  }
  thread.is_in_cluster_barrier = false;
  thread.clock.join(barrier.completed);
}

}  // namespace assay::emulator
