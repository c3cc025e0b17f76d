// The happens-before check of one memory: one cell for each 4 bytes holds its latest write and the
// reads since. An access of fewer bytes counts for its whole cell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/emulator/clock.h"
#include "kernels/emulator/fault.h"

namespace assay::emulator {

// Who touches memory, and what it knows at that moment. `clock` is borrowed for the call.
struct Access {
  Epoch epoch;
  const Clock* clock = nullptr;
  bool is_async_proxy = false;
  bool is_atomic = false;
  Place place;
};

struct Conflict {
  FaultKind kind = FaultKind::race;
  std::size_t offset = 0;  // of the cell
  Epoch other;             // tick 0: there is no other party
  Place other_place;
  bool other_wrote = false;
};

class ShadowMemory {
 public:
  // `is_initialised`: whether the memory may be read before anyone has written.
  ShadowMemory(std::size_t bytes, bool is_initialised);

  // The first conflict of the access with earlier ones; records it when there is none.
  std::optional<Conflict> read(std::size_t offset, std::size_t bytes, const Access& access);
  std::optional<Conflict> write(std::size_t offset, std::size_t bytes, const Access& access);

  // Reserved cells (an mbarrier's) are no data: reads and writes of them conflict.
  void set_reserved(std::size_t offset, std::size_t bytes, bool is_reserved);
  Epoch latest_write(std::size_t offset) const { return cells_[offset / kCellBytes].write; }

  // Keeps who wrote, but as an actor that nobody is ordered after: blocks of one grid.
  void close_block(std::uint32_t other_block_actor);

  static constexpr std::size_t kCellBytes = 4;

 private:
  static constexpr std::uint32_t kNone = 0xffffffffU;
  struct Cell {
    Epoch write;
    Place write_place;
    std::uint32_t reads = kNone;
    bool is_written = false;
    bool is_generic = false;
    bool is_atomic = false;
    bool is_reserved = false;
  };
  struct Read {
    Epoch epoch;
    Place place;
    std::uint32_t next = kNone;
  };
  bool conflicts_with_write(const Cell& cell, const Access& access, Conflict& conflict) const;
  void add_read(Cell& cell, const Access& access);
  void release(std::uint32_t read);

  std::vector<Cell> cells_;
  std::vector<Read> reads_;
  std::uint32_t free_reads_ = kNone;
};

}  // namespace assay::emulator
