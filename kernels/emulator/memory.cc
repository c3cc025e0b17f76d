// Shared and global memory: addresses are checked, accesses are held against the shadow, faults get
// the names of both parties.
#include <fmt/format.h>

#include <cstring>

#include "kernels/emulator/machine.h"

namespace assay::emulator {

SharedPlace Machine::locate(SharedAddress address, std::uint32_t bytes, std::uint32_t alignment,
                            const Place& place) {
  Thread& thread = self();
  const std::uint32_t top = address >> 24U;
  if (top > config_.cluster_blocks) {
    fail(FaultKind::out_of_bounds, "the cluster has no such block",
         fmt::format("shared address {:#x}", address), place);
  }
  SharedPlace at{top == 0 ? thread.block : blocks_[top - 1].get(), address & 0xffffffU};
  if (at.offset % alignment != 0) {
    fail(FaultKind::misaligned, fmt::format("the address is not a multiple of {}", alignment),
         fmt::format("shared address {:#x}", address), place);
  }
  if (at.offset < kSharedBase || at.offset - kSharedBase > config_.shared_bytes ||
      config_.shared_bytes - (at.offset - kSharedBase) < bytes) {
    fail(FaultKind::out_of_bounds,
         fmt::format("{} bytes reach outside the {} bytes from {:#x}", bytes, config_.shared_bytes,
                     kSharedBase),
         fmt::format("shared address {:#x}", address), place);
  }
  at.offset -= kSharedBase;
  if (at.block->live_threads == 0) {
    fail(FaultKind::unfinished_work, "the block whose memory is meant has exited",
         name_of_shared(*at.block, at.offset, bytes), place);
  }
  return at;
}

Access Machine::access_of(const Thread& thread, const Place& place) const {
  return {{thread.id, thread.clock.known(thread.id)}, &thread.clock, false, false, place};
}

void Machine::report(const Conflict& conflict, std::string object, const Access& access,
                     bool is_write) {
  const char* verb = is_write ? "writes" : "reads";
  std::string what;
  switch (conflict.kind) {
    case FaultKind::uninitialised_read:
      what = "reads what nobody has written";
      break;
    case FaultKind::misused_mbarrier:
      what = fmt::format("{} an mbarrier as data", verb);
      break;
    case FaultKind::missing_proxy_fence:
      what = "the async proxy reads what the generic proxy wrote without fence.proxy.async between";
      break;
    default:
      what = fmt::format("{} what the other {}, and nothing orders the two", verb,
                         conflict.other_wrote ? "writes" : "reads");
  }
  std::optional<Party> second;
  if (conflict.other.tick != 0) second = party(conflict.other.actor, conflict.other_place);
  // Asynchronous work is named as such, its place is where it was issued.
  if (access.epoch.actor >= thread_count()) {
    what = fmt::format("{} (issued by {})", what, name_of_thread(current_thread_));
  }
  Party first = party(access.epoch.actor, access.place);
  note({conflict.kind, std::move(what), std::move(object), std::move(first), std::move(second)});
  self().fiber->leave();
}

void Machine::check_read(const SharedPlace& at, std::uint32_t bytes, const Access& access) {
  if (const auto conflict = at.block->shadow.read(at.offset, bytes, access)) {
    report(*conflict,
           name_of_shared(*at.block, static_cast<std::uint32_t>(conflict->offset),
                          ShadowMemory::kCellBytes),
           access, false);
  }
}

void Machine::check_write(const SharedPlace& at, std::uint32_t bytes, const Access& access) {
  if (const auto conflict = at.block->shadow.write(at.offset, bytes, access)) {
    report(*conflict,
           name_of_shared(*at.block, static_cast<std::uint32_t>(conflict->offset),
                          ShadowMemory::kCellBytes),
           access, true);
  }
}

void Machine::check_global(const void* address, std::size_t bytes, std::size_t alignment,
                           bool is_write, const Access& access) {
  const auto start = reinterpret_cast<std::uintptr_t>(address);
  if (start % alignment != 0) {
    fail(FaultKind::misaligned, fmt::format("the address is not a multiple of {}", alignment),
         "global memory", access.place);
  }
  for (std::size_t i = 0; i < config_.globals.size(); ++i) {
    const GlobalBuffer& buffer = config_.globals[i];
    const auto base = reinterpret_cast<std::uintptr_t>(buffer.address);
    if (start < base || start - base > buffer.bytes || buffer.bytes - (start - base) < bytes)
      continue;
    if (is_write && !buffer.is_writable) {
      fail(FaultKind::out_of_bounds, "writes a buffer that is only read", buffer.name,
           access.place);
    }
    if (global_shadows_[i] == nullptr) return;
    ShadowMemory& shadow = *global_shadows_[i];
    const auto conflict = is_write ? shadow.write(start - base, bytes, access)
                                   : shadow.read(start - base, bytes, access);
    if (conflict) {
      report(*conflict, fmt::format("{} + {:#x}", buffer.name, conflict->offset), access, is_write);
    }
    return;
  }
  fail(FaultKind::out_of_bounds, fmt::format("{} bytes outside every registered buffer", bytes),
       "global memory", access.place);
}

void read_shared(SharedAddress address, void* value, std::uint32_t bytes, Place place) {
  Machine& machine = Machine::current();
  if (!machine.admits(place, address)) return;
  const SharedPlace at = machine.locate(address, bytes, bytes, place);
  machine.check_read(at, bytes, machine.access_of(machine.self(), place));
  std::memcpy(value, Machine::data(at), bytes);
}

void write_shared(SharedAddress address, const void* value, std::uint32_t bytes, Place place) {
  Machine& machine = Machine::current();
  if (!machine.admits(place, address)) return;
  const SharedPlace at = machine.locate(address, bytes, bytes, place);
  machine.check_write(at, bytes, machine.access_of(machine.self(), place));
  std::memcpy(Machine::data(at), value, bytes);
}

void read_global(const void* address, void* value, std::uint32_t bytes, Place place) {
  Machine& machine = Machine::current();
  machine.check_global(address, bytes, bytes, false, machine.access_of(machine.self(), place));
  std::memcpy(value, address, bytes);
}

void write_global(void* address, const void* value, std::uint32_t bytes, Place place) {
  Machine& machine = Machine::current();
  machine.check_global(address, bytes, bytes, true, machine.access_of(machine.self(), place));
  std::memcpy(address, value, bytes);
}

void add_global(std::uint32_t* address, std::uint32_t value, Place place) {
  Machine& machine = Machine::current();
  Access access = machine.access_of(machine.self(), place);
  access.is_atomic = true;
  machine.check_global(address, sizeof(value), sizeof(value), true, access);
  *address += value;
}

SharedAddress map_shared_rank(SharedAddress address, std::uint32_t rank, Place place) {
  Machine& machine = Machine::current();
  if (rank >= machine.config().cluster_blocks) {
    machine.fail(FaultKind::out_of_bounds, "the cluster has no such block",
                 fmt::format("rank {}", rank), place);
  }
  return (address & 0xffffffU) | ((rank + 1) << 24U);
}

void fence_proxy_async(Place place) {
  Machine& machine = Machine::current();
  if (!machine.admits(place)) return;
  Thread& thread = machine.self();
  thread.clock.fence(thread.id);
  for (auto& [offset, barrier] : thread.block->mbarriers) {
    if (barrier.init_thread == thread.id) barrier.is_fenced = true;
  }
}

}  // namespace assay::emulator
