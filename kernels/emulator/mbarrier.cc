// mbarriers: pending arrivals, transaction bytes, phases.
//
// Beyond what the hardware does, three things are faults. A use that is not ordered after the
// initialisation. A wait for a phase when the one after it is over too: the parity is again that of
// an unfinished phase, the hardware would wait for that one; which phase a thread means follows
// from those that it has waited for, so a thread is taken to wait for every phase of its parity.
// And an arrival by a thread that arrived in the phase before and cannot know it to be over: in
// another schedule both would count for one phase.
#include <fmt/format.h>

#include "kernels/emulator/machine.h"

namespace assay::emulator {
namespace {

constexpr std::int64_t kTransactionLimit = (std::int64_t{1} << 20) - 1;
constexpr std::uint32_t kCountLimit = (1U << 20) - 1;
constexpr std::uint32_t kMbarrierBytes = 8;

std::string name_of(const Machine& machine, const SharedPlace& at) {
  return "mbarrier at " + machine.name_of_shared(*at.block, at.offset, kMbarrierBytes);
}

template <class Entries>
auto& entry(Entries& entries, std::size_t index) {
  if (entries.size() <= index) entries.resize(index + 1);
  return entries[index];
}

// A function, so that its temporaries are gone when the fault leaves the frame.
std::string phase_overrun_text(const Arrival& latest) {
  return fmt::format(
      "arrives again (latest: phase {} at {}) without knowing of the arrival of the other, so both "
      "could count for one phase",
      latest.phase, place_name(latest.place));
}

void check_overrun(Machine& machine, const SharedPlace& at, Mbarrier& barrier, const Place& place) {
  Thread& thread = machine.self();
  const Arrival& latest = entry(barrier.latest_arrival, thread.id);
  if (latest.phase < 0 || latest.phase != barrier.phase - 1) return;
  for (const Participant& other : barrier.previous_participants) {
    if (thread.clock.covers(other.epoch)) continue;
    machine.fail(FaultKind::phase_overrun, phase_overrun_text(latest), name_of(machine, at), place,
                 machine.party(other.epoch.actor, other.place));
  }
}

void expect(Machine& machine, const SharedPlace& at, Mbarrier& barrier, std::uint32_t bytes,
            const Place& place) {
  if (bytes > kTransactionLimit || barrier.transaction_bytes + bytes > kTransactionLimit) {
    machine.fail(FaultKind::misused_mbarrier,
                 fmt::format("expects more than {} bytes", kTransactionLimit), name_of(machine, at),
                 place);
  }
  barrier.transaction_bytes += bytes;
}

void arrive(Machine& machine, const SharedPlace& at, Mbarrier& barrier, std::uint32_t count,
            const Place& place) {
  Thread& thread = machine.self();
  check_overrun(machine, at, barrier, place);
  if (count == 0 || count > barrier.pending) {
    machine.fail(FaultKind::misused_mbarrier,
                 fmt::format("arrives {} times in phase {}, which lacks only {} of {} arrivals",
                             count, barrier.phase, barrier.pending, barrier.count),
                 name_of(machine, at), place);
  }
  barrier.arriving.join(thread.clock);
  barrier.participants.push_back({{thread.id, thread.clock.known(thread.id)}, place});
  barrier.latest_arrival[thread.id] = {barrier.phase, place};
  thread.clock.tick(thread.id);
  barrier.pending -= count;
  machine.settle(barrier);
}

// The phase that the thread means, see above.
std::int64_t intended_phase(std::int64_t seen_plus_two, std::uint32_t parity) {
  const std::int64_t next = seen_plus_two - 1;
  return (next & 1) == std::int64_t{parity & 1U} ? next : next + 1;
}

// Whether the phase is over; if so, the thread knows what its participants knew.
bool has_passed(Machine& machine, const SharedPlace& at, Mbarrier& barrier, std::int64_t phase,
                const Place& place) {
  if (barrier.phase <= phase) return false;
  if (barrier.phase > phase + 1) {
    const Participant& other = barrier.previous_participants.back();
    machine.fail(FaultKind::stale_phase,
                 fmt::format("waits for phase {}, but phase {} runs already: a wait by parity "
                             "would block",
                             phase, barrier.phase),
                 name_of(machine, at), place, machine.party(other.epoch.actor, other.place));
  }
  Thread& thread = machine.self();
  thread.clock.join(barrier.completed);
  entry(barrier.seen, thread.id) = phase + 2;
  return true;
}

SharedPlace locate_own(Machine& machine, SharedAddress address, const Place& place) {
  const SharedPlace at = machine.locate(address, kMbarrierBytes, kMbarrierBytes, place);
  if (at.block != machine.self().block) {
    machine.fail(FaultKind::misused_mbarrier, "only an mbarrier of the own block can be waited for",
                 name_of(machine, at), place);
  }
  return at;
}

}  // namespace

Mbarrier& Machine::mbarrier_at(const SharedPlace& at, const Place& place) {
  const auto found = at.block->mbarriers.find(at.offset);
  if (found == at.block->mbarriers.end()) {
    fail(FaultKind::misused_mbarrier, "there is no initialised mbarrier",
         name_of_shared(*at.block, at.offset, kMbarrierBytes), place);
  }
  Mbarrier& barrier = found->second;
  const Epoch initialised = at.block->shadow.latest_write(at.offset);
  if (!self().clock.covers(initialised)) {
    fail(FaultKind::race, "uses an mbarrier without knowing that it has been initialised",
         name_of(*this, at), place, party(initialised.actor, barrier.init_place));
  }
  if (at.block != self().block && !barrier.is_fenced) {
    fail(FaultKind::misused_mbarrier,
         "uses an mbarrier of another block whose initialisation was not fenced",
         name_of(*this, at), place, party(barrier.init_thread, barrier.init_place));
  }
  return barrier;
}

void Machine::settle(Mbarrier& barrier) {
  if (barrier.pending > 0 || barrier.transaction_bytes != 0) return;
  barrier.completed.join(barrier.arriving);
  barrier.arriving.clear();
  barrier.previous_participants.swap(barrier.participants);
  barrier.participants.clear();
  barrier.pending = barrier.count;
  ++barrier.phase;
  wake(barrier.waiters);
}

Queue& Machine::transactions_of(const SharedPlace& at, Mbarrier& barrier) {
  if (barrier.transactions == nullptr) {
    barrier.transactions = &make_queue("bulk copies that complete on the " + name_of(*this, at));
  }
  return *barrier.transactions;
}

void Machine::complete_transaction(const SharedPlace& at, std::int64_t bytes, Epoch epoch,
                                   const Place& place) {
  const auto found = at.block->mbarriers.find(at.offset);
  if (found == at.block->mbarriers.end() ||
      found->second.transaction_bytes - bytes < -kTransactionLimit) {
    note({FaultKind::misused_mbarrier, "a copy completes on an mbarrier that does not expect it",
          name_of(*this, at), party(epoch.actor, place), std::nullopt});
    return;
  }
  Mbarrier& barrier = found->second;
  barrier.transaction_bytes -= bytes;
  barrier.arriving.learn(epoch);
  barrier.participants.push_back({epoch, place});
  settle(barrier);
}

void mbarrier_init(SharedAddress address, std::uint32_t count, Place place) {
  Machine& machine = Machine::current();
  if (!machine.admits(place, address, count)) return;
  Thread& thread = machine.self();
  const SharedPlace at = locate_own(machine, address, place);
  if (count == 0 || count > kCountLimit) {
    machine.fail(FaultKind::misused_mbarrier, fmt::format("a count of {} arrivals", count),
                 name_of(machine, at), place);
  }
  if (const auto found = at.block->mbarriers.find(at.offset); found != at.block->mbarriers.end()) {
    machine.fail(FaultKind::misused_mbarrier, "initialises an mbarrier twice", name_of(machine, at),
                 place, machine.party(found->second.init_thread, found->second.init_place));
  }
  machine.check_write(at, kMbarrierBytes, machine.access_of(thread, place));
  at.block->shadow.set_reserved(at.offset, kMbarrierBytes, true);
  Mbarrier& barrier = at.block->mbarriers[at.offset];
  barrier.count = barrier.pending = count;
  barrier.init_thread = thread.id;
  barrier.init_place = place;
}

void mbarrier_invalidate(SharedAddress address, Place place) {
  Machine& machine = Machine::current();
  const SharedPlace at = locate_own(machine, address, place);
  machine.mbarrier_at(at, place);
  at.block->mbarriers.erase(at.offset);
  at.block->shadow.set_reserved(at.offset, kMbarrierBytes, false);
}

void mbarrier_fence_init(Place) {
  Thread& thread = Machine::current().self();
  for (auto& [offset, barrier] : thread.block->mbarriers) {
    if (barrier.init_thread == thread.id) barrier.is_fenced = true;
  }
}

void mbarrier_arrive(SharedAddress address, std::uint32_t count, Place place) {
  Machine& machine = Machine::current();
  if (!machine.admits(place, address, count)) return;
  const SharedPlace at = machine.locate(address, kMbarrierBytes, kMbarrierBytes, place);
  arrive(machine, at, machine.mbarrier_at(at, place), count, place);
  machine.yield();
}

void mbarrier_expect(SharedAddress address, std::uint32_t bytes, Place place) {
  Machine& machine = Machine::current();
  const SharedPlace at = machine.locate(address, kMbarrierBytes, kMbarrierBytes, place);
  expect(machine, at, machine.mbarrier_at(at, place), bytes, place);
  machine.yield();
}

void mbarrier_arrive_expect(SharedAddress address, std::uint32_t bytes, Place place) {
  Machine& machine = Machine::current();
  const SharedPlace at = machine.locate(address, kMbarrierBytes, kMbarrierBytes, place);
  Mbarrier& barrier = machine.mbarrier_at(at, place);
  expect(machine, at, barrier, bytes, place);
  arrive(machine, at, barrier, 1, place);
  machine.yield();
}

bool mbarrier_test(SharedAddress address, std::uint32_t parity, Place place) {
  Machine& machine = Machine::current();
  const SharedPlace at = locate_own(machine, address, place);
  Mbarrier& barrier = machine.mbarrier_at(at, place);
  const std::int64_t phase = intended_phase(entry(barrier.seen, machine.self().id), parity);
  const bool passed = has_passed(machine, at, barrier, phase, place);
  machine.yield();
  return passed;
}

void mbarrier_wait(SharedAddress address, std::uint32_t parity, Place place) {
  Machine& machine = Machine::current();
  if (!machine.admits(place, address, parity)) return;
  const SharedPlace at = locate_own(machine, address, place);
  Mbarrier& barrier = machine.mbarrier_at(at, place);
  const std::int64_t phase = intended_phase(entry(barrier.seen, machine.self().id), parity);
  while (!has_passed(machine, at, barrier, phase, place)) {
    machine.block_on(barrier.waiters, {Waiting::mbarrier, at.offset, phase, place});
  }
}

void copy_async_arrive(SharedAddress address, bool increments, Place place) {
  Machine& machine = Machine::current();
  if (!machine.admits(place, address)) return;
  Thread& thread = machine.self();
  const SharedPlace at = locate_own(machine, address, place);
  Mbarrier& barrier = machine.mbarrier_at(at, place);
  check_overrun(machine, at, barrier, place);
  if (increments) ++barrier.pending;
  Queue& queue = machine.copies_of(thread);
  const Epoch epoch{queue.actor, queue.issued + 1};
  thread.copies_covered = epoch.tick;
  // Only the copies are released, not what else the thread did: the arrival is asynchronous.
  machine.issue(queue, [&machine, at, epoch, place, id = thread.id] {
    const auto found = at.block->mbarriers.find(at.offset);
    if (found == at.block->mbarriers.end() || found->second.pending == 0) {
      machine.note({FaultKind::misused_mbarrier,
                    "cp.async.mbarrier.arrive arrives when no arrival is missing",
                    name_of(machine, at), machine.party(id, place), std::nullopt});
      return;
    }
    Mbarrier& target = found->second;
    target.arriving.learn(epoch);
    target.participants.push_back({epoch, place});
    entry(target.latest_arrival, id) = {target.phase, place};
    --target.pending;
    machine.settle(target);
  });
  machine.yield();
}

}  // namespace assay::emulator
