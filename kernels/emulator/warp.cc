// Instructions that the 32 lanes of a warp execute together: each lane leaves its operands, the
// last to come does the work for all. Only __syncwarp orders memory; shuffles, votes and matrix
// loads do not.
#include <fmt/format.h>

#include <cstring>

#include "kernels/emulator/machine.h"

namespace assay::emulator {
namespace {

using Row = std::array<std::uint16_t, 8>;
using Matrix = std::array<Row, 8>;

constexpr std::uint32_t kRowBytes = 16;

// Lane 8m + r has the address of row r of matrix m, on its own account.
Row load_row(Machine& machine, const WarpMeeting& meeting, std::uint32_t lane,
             std::uint32_t first_thread) {
  const SharedPlace at =
      machine.locate(meeting.operands[lane][0], kRowBytes, kRowBytes, meeting.place);
  machine.check_read(at, kRowBytes,
                     machine.access_of(machine.thread(first_thread + lane), meeting.place));
  Row row;
  std::memcpy(row.data(), Machine::data(at), kRowBytes);
  return row;
}

void load_matrices(Machine& machine, const WarpMeeting& meeting, std::uint32_t first_thread,
                   bool is_transposed) {
  for (std::uint32_t matrix = 0; matrix < 4; ++matrix) {
    Matrix rows;
    for (std::uint32_t row = 0; row < 8; ++row) {
      rows[row] = load_row(machine, meeting, matrix * 8 + row, first_thread);
    }
    for (std::uint32_t lane = 0; lane < kWarpThreads; ++lane) {
      const std::uint32_t major = lane / 4;
      const std::uint32_t minor = lane % 4 * 2;
      const std::uint32_t low = is_transposed ? rows[minor][major] : rows[major][minor];
      const std::uint32_t high = is_transposed ? rows[minor + 1][major] : rows[major][minor + 1];
      machine.thread(first_thread + lane).result[matrix] = low | high << 16U;
    }
  }
}

void store_matrices(Machine& machine, const WarpMeeting& meeting, std::uint32_t first_thread,
                    bool is_transposed) {
  for (std::uint32_t matrix = 0; matrix < 4; ++matrix) {
    Matrix rows;
    for (std::uint32_t lane = 0; lane < kWarpThreads; ++lane) {
      const std::uint32_t word = meeting.operands[lane][1 + matrix];
      const std::uint32_t major = lane / 4;
      const std::uint32_t minor = lane % 4 * 2;
      (is_transposed ? rows[minor][major] : rows[major][minor]) = static_cast<std::uint16_t>(word);
      (is_transposed ? rows[minor + 1][major] : rows[major][minor + 1]) =
          static_cast<std::uint16_t>(word >> 16U);
    }
    for (std::uint32_t row = 0; row < 8; ++row) {
      const std::uint32_t lane = matrix * 8 + row;
      const SharedPlace at =
          machine.locate(meeting.operands[lane][0], kRowBytes, kRowBytes, meeting.place);
      machine.check_write(at, kRowBytes,
                          machine.access_of(machine.thread(first_thread + lane), meeting.place));
      std::memcpy(Machine::data(at), rows[row].data(), kRowBytes);
    }
  }
}

void synchronise(Machine& machine, std::uint32_t first_thread) {
  Clock all;
  for (std::uint32_t lane = 0; lane < kWarpThreads; ++lane) {
    all.join(machine.thread(first_thread + lane).clock);
  }
  for (std::uint32_t lane = 0; lane < kWarpThreads; ++lane) {
    Thread& thread = machine.thread(first_thread + lane);
    thread.clock.join(all);
    thread.clock.tick(thread.id);
  }
}

void change_registers(Machine& machine, std::uint32_t first_thread, std::uint32_t wanted,
                      bool is_more, const Place& place) {
  Block& block = *machine.self().block;
  const std::uint32_t now = machine.thread(first_thread).registers;
  if (wanted % 8 != 0 || wanted < 24 || wanted > 256 || (is_more ? wanted < now : wanted > now)) {
    machine.fail(FaultKind::register_budget,
                 fmt::format("setmaxnreg.{} to {} from {}: a multiple of 8 from 24 to 256, {}",
                             is_more ? "inc" : "dec", wanted, now,
                             is_more ? "not fewer than now" : "not more than now"),
                 "", place);
  }
  const std::int64_t more = (std::int64_t{wanted} - now) * kWarpThreads;
  while (block.free_registers < more) {
    machine.block_on(block.register_waiters, {Waiting::registers, 0, more, place});
  }
  block.free_registers -= more;
  for (std::uint32_t lane = 0; lane < kWarpThreads; ++lane) {
    machine.thread(first_thread + lane).registers = wanted;
    machine.thread(first_thread + lane).registers_place = place;
  }
  machine.wake(block.register_waiters);
}

void execute(Machine& machine, WarpMeeting& meeting, std::uint32_t first_thread) {
  const auto& operands = meeting.operands;
  const auto give = [&](auto&& value_of_lane) {
    for (std::uint32_t lane = 0; lane < kWarpThreads; ++lane) {
      machine.thread(first_thread + lane).result[0] = value_of_lane(lane);
    }
  };
  switch (meeting.instruction) {
    case WarpInstruction::none:
      break;
    case WarpInstruction::sync:
      synchronise(machine, first_thread);
      break;
    case WarpInstruction::elect:
      if (meeting.elected == kWarpThreads) meeting.elected = machine.schedule().draw(kWarpThreads);
      give([&](std::uint32_t lane) { return lane == meeting.elected ? 1U : 0U; });
      break;
    case WarpInstruction::shuffle_xor:
      give([&](std::uint32_t lane) { return operands[(lane ^ operands[lane][1]) % 32][0]; });
      break;
    case WarpInstruction::shuffle_index:
      give([&](std::uint32_t lane) { return operands[operands[lane][1] % 32][0]; });
      break;
    case WarpInstruction::ballot: {
      std::uint32_t votes = 0;
      for (std::uint32_t lane = 0; lane < kWarpThreads; ++lane) {
        if (operands[lane][0] != 0) votes |= 1U << lane;
      }
      give([votes](std::uint32_t) { return votes; });
      break;
    }
    case WarpInstruction::matrix_load:
      load_matrices(machine, meeting, first_thread, false);
      break;
    case WarpInstruction::matrix_load_transposed:
      load_matrices(machine, meeting, first_thread, true);
      break;
    case WarpInstruction::matrix_store:
      store_matrices(machine, meeting, first_thread, false);
      break;
    case WarpInstruction::matrix_store_transposed:
      store_matrices(machine, meeting, first_thread, true);
      break;
    case WarpInstruction::more_registers:
    case WarpInstruction::fewer_registers:
      change_registers(machine, first_thread, operands[0][0],
                       meeting.instruction == WarpInstruction::more_registers, meeting.place);
      break;
  }
}

}  // namespace

WarpWords meet_warp(WarpInstruction instruction, const WarpWords& asked, Place place) {
  Machine& machine = Machine::current();
  WarpWords operands = asked;
  if (!machine.admits(place, operands[0])) return operands;
  Thread& thread = machine.self();
  WarpMeeting& meeting = thread.block->warps[thread.index / kWarpThreads];
  const std::uint32_t lane = thread.index % kWarpThreads;
  if (meeting.arrived == 0) {
    meeting.instruction = instruction;
    meeting.place = place;
    meeting.first_thread = thread.id;
  } else if (meeting.instruction != instruction || meeting.place.line() != place.line()) {
    machine.fail(FaultKind::divergence, "the lanes of a warp are at different instructions", "",
                 place, machine.party(meeting.first_thread, meeting.place));
  }
  meeting.operands[lane] = operands;
  if (++meeting.arrived < kWarpThreads) {
    machine.block_on(meeting.waiters, {Waiting::warp, 0, 0, place});
    return thread.result;
  }
  execute(machine, meeting, thread.id - lane);
  meeting.arrived = 0;
  machine.wake(meeting.waiters);
  return thread.result;
}

}  // namespace assay::emulator
