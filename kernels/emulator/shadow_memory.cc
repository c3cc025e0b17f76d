// A race detector in the manner of FastTrack (Flanagan and Freund, 2009), with two additions: reads
// are kept one by one until a later access covers them, so that a report can name the place, and a
// write by the generic proxy must be fenced before the async proxy reads it. Asynchronous work is
// checked and recorded when it is issued: from then on, whoever does not know it to be complete
// conflicts with it.
#include "kernels/emulator/shadow_memory.h"

namespace assay::emulator {

ShadowMemory::ShadowMemory(std::size_t bytes, bool is_initialised)
    : cells_((bytes + kCellBytes - 1) / kCellBytes) {
  if (!is_initialised) return;
  for (Cell& cell : cells_) cell.is_written = true;
}

bool ShadowMemory::conflicts_with_write(const Cell& cell, const Access& access,
                                        Conflict& conflict) const {
  const bool both_atomic = cell.is_atomic && access.is_atomic;
  if (both_atomic || access.clock->covers(cell.write)) return false;
  conflict.kind = FaultKind::race;
  conflict.other = cell.write;
  conflict.other_place = cell.write_place;
  conflict.other_wrote = true;
  return true;
}

void ShadowMemory::release(std::uint32_t read) {
  reads_[read].next = free_reads_;
  free_reads_ = read;
}

void ShadowMemory::add_read(Cell& cell, const Access& access) {
  std::uint32_t* link = &cell.reads;
  while (*link != kNone) {
    const std::uint32_t at = *link;
    // Whoever comes after this access comes after what it covers.
    if (reads_[at].epoch.actor == access.epoch.actor || access.clock->covers(reads_[at].epoch)) {
      *link = reads_[at].next;
      release(at);
    } else {
      link = &reads_[at].next;
    }
  }
  std::uint32_t fresh = free_reads_;
  if (fresh == kNone) {
    fresh = static_cast<std::uint32_t>(reads_.size());
    reads_.emplace_back();
  } else {
    free_reads_ = reads_[fresh].next;
  }
  reads_[fresh] = {access.epoch, access.place, cell.reads};
  cell.reads = fresh;
}

std::optional<Conflict> ShadowMemory::read(std::size_t offset, std::size_t bytes,
                                           const Access& access) {
  Conflict conflict;
  const std::size_t end = (offset + bytes + kCellBytes - 1) / kCellBytes;
  for (std::size_t at = offset / kCellBytes; at < end; ++at) {
    Cell& cell = cells_[at];
    conflict.offset = at * kCellBytes;
    if (cell.is_reserved) {
      conflict.kind = FaultKind::misused_mbarrier;
      return conflict;
    }
    if (!cell.is_written) {
      conflict.kind = FaultKind::uninitialised_read;
      return conflict;
    }
    if (conflicts_with_write(cell, access, conflict)) return conflict;
    if (access.is_async_proxy && cell.is_generic && !access.clock->covers_fenced(cell.write)) {
      conflict.kind = FaultKind::missing_proxy_fence;
      conflict.other = cell.write;
      conflict.other_place = cell.write_place;
      conflict.other_wrote = true;
      return conflict;
    }
    add_read(cell, access);
  }
  return std::nullopt;
}

std::optional<Conflict> ShadowMemory::write(std::size_t offset, std::size_t bytes,
                                            const Access& access) {
  Conflict conflict;
  const std::size_t end = (offset + bytes + kCellBytes - 1) / kCellBytes;
  for (std::size_t at = offset / kCellBytes; at < end; ++at) {
    Cell& cell = cells_[at];
    conflict.offset = at * kCellBytes;
    if (cell.is_reserved) {
      conflict.kind = FaultKind::misused_mbarrier;
      return conflict;
    }
    if (conflicts_with_write(cell, access, conflict)) return conflict;
    while (cell.reads != kNone) {
      const Read& read = reads_[cell.reads];
      if (!access.clock->covers(read.epoch)) {
        conflict.kind = FaultKind::race;
        conflict.other = read.epoch;
        conflict.other_place = read.place;
        return conflict;
      }
      const std::uint32_t next = read.next;
      release(cell.reads);
      cell.reads = next;
    }
    cell.write = access.epoch;
    cell.write_place = access.place;
    cell.is_written = true;
    cell.is_generic = !access.is_async_proxy;
    cell.is_atomic = access.is_atomic;
  }
  return std::nullopt;
}

void ShadowMemory::set_reserved(std::size_t offset, std::size_t bytes, bool is_reserved) {
  for (std::size_t at = offset / kCellBytes; at < (offset + bytes) / kCellBytes; ++at) {
    cells_[at].is_reserved = is_reserved;
  }
}

void ShadowMemory::close_block(std::uint32_t other_block_actor) {
  for (Cell& cell : cells_) {
    if (cell.write.tick != 0) cell.write = {other_block_actor, 1};
    cell.reads = kNone;
  }
  reads_.clear();
  free_reads_ = kNone;
}

}  // namespace assay::emulator
