// wgmma: the asynchronous product of a warpgroup, D (64 x n, float32) = A (64 x 32) B (32 x n) [+
// D] for e4m3.
//
// The 128 threads reach an instruction one by one; when the last one has, the reads of shared
// memory are checked, with what all of them know, and the product goes into the warpgroup's queue.
// It takes place, reads included, when the schedule says so. Registers of A are read at the issue;
// that they do not change before the product retires is what RegisterGuard sees to.
//
// Arithmetic: products of e4m3 are exact in float32; an element of D is added to in float32, k
// ascending. The hardware's sum is not documented (KERNEL.md): compare with tolerance, not bits.
#include <fmt/format.h>

#include <algorithm>

#include "kernels/emulator/machine.h"
#include "kernels/emulator/swizzle.h"
#include "kernels/sparse_mla_prefill/fp8.h"

namespace assay::emulator {
namespace {

constexpr std::uint32_t kRows = 64;
constexpr std::uint32_t kDepth = 32;
constexpr std::uint32_t kMaxColumns = 256;
constexpr std::uint32_t kMatrixPieceBytes = 16;

constexpr std::array<float, 256> kValues = [] {
  std::array<float, 256> values{};
  for (std::size_t bits = 0; bits < values.size(); ++bits) {
    values[bits] = sparse_mla_prefill::decode_e4m3(static_cast<std::uint8_t>(bits));
  }
  return values;
}();

// Rows of an operand in shared memory, 32 bytes each.
struct Operand {
  const Block* block;
  MatrixDescriptor matrix;

  const std::byte* piece(std::uint32_t row, std::uint32_t k) const {
    return block->shared.data() + (element_address(matrix, row, k) - kSharedBase);
  }
};

void check_descriptor(Machine& machine, std::uint64_t descriptor, const Place& place) {
  const MatrixDescriptor matrix = decode_descriptor(descriptor);
  const std::uint32_t width = row_bytes(matrix.swizzle);
  if (matrix.swizzle != Swizzle::none && matrix.address % (8 * width) >= width) {
    machine.fail(FaultKind::bad_descriptor,
                 fmt::format("the matrix starts in row {} of a swizzled group of 8",
                             matrix.address / width % 8),
                 fmt::format("descriptor {:#x}", descriptor), place);
  }
  if (matrix.base_offset != 0) {
    machine.fail(FaultKind::bad_descriptor, "base offsets other than 0 are not emulated",
                 fmt::format("descriptor {:#x}", descriptor), place);
  }
}

void check_rows(Machine& machine, std::uint64_t descriptor, std::uint32_t first, std::uint32_t rows,
                const Access& access) {
  const MatrixDescriptor matrix = decode_descriptor(descriptor);
  for (std::uint32_t row = first; row < first + rows; ++row) {
    for (std::uint32_t k = 0; k < kDepth; k += kMatrixPieceBytes) {
      const SharedPlace at = machine.locate(element_address(matrix, row, k), kMatrixPieceBytes,
                                            kMatrixPieceBytes, access.place);
      machine.check_read(at, kMatrixPieceBytes, access);
    }
  }
}

using DepthRow = std::array<float, kDepth>;

void decode_piece(const std::byte* piece, float* values, std::uint32_t bytes) {
  for (std::uint32_t i = 0; i < bytes; ++i)
    values[i] = kValues[std::to_integer<unsigned>(piece[i])];
}

// PTX ISA, wgmma register fragments, A of m64k32 with 8-bit elements: four registers of four
// consecutive k; row lane / 4 (+ 8 in registers 1 and 3), k 4 (lane % 4) (+ 16 in 2 and 3).
void gather_a(const WgmmaIssue& issue, const Block& block, std::array<DepthRow, kRows>& a) {
  if (issue.operands.a_registers == nullptr) {
    const Operand operand{&block, decode_descriptor(issue.operands.a_descriptor)};
    for (std::uint32_t row = 0; row < kRows; ++row) {
      for (std::uint32_t k = 0; k < kDepth; k += kMatrixPieceBytes) {
        decode_piece(operand.piece(row, k), &a[row][k], kMatrixPieceBytes);
      }
    }
    return;
  }
  for (std::uint32_t thread = 0; thread < kWarpgroupThreads; ++thread) {
    const std::uint32_t lane = thread % kWarpThreads;
    for (std::uint32_t word = 0; word < 4; ++word) {
      const std::uint32_t row = thread / kWarpThreads * 16 + lane / 4 + word % 2 * 8;
      const std::uint32_t k = lane % 4 * 4 + word / 2 * 16;
      for (std::uint32_t byte = 0; byte < 4; ++byte) {
        a[row][k + byte] = kValues[issue.a[thread][word] >> (8 * byte) & 0xffU];
      }
    }
  }
}

// Accumulator: register 4j + 2h + c of a thread is row 16 warp + lane / 4 + 8h, column
// 8j + 2 (lane % 4) + c.
struct Element {
  std::uint32_t thread, index;
};
constexpr Element accumulator_element(std::uint32_t row, std::uint32_t column) {
  return {row / 16 * kWarpThreads + row % 8 * 4 + column % 8 / 2,
          column / 8 * 4 + row % 16 / 8 * 2 + column % 2};
}

void multiply(const WgmmaIssue& issue, const Block& block) {
  const std::uint32_t n = issue.operands.n;
  std::array<DepthRow, kRows> a;
  gather_a(issue, block, a);
  std::vector<float> b(std::size_t{kDepth} * n);
  const Operand operand{&block, decode_descriptor(issue.operands.b_descriptor)};
  for (std::uint32_t column = 0; column < n; ++column) {
    DepthRow values;
    for (std::uint32_t k = 0; k < kDepth; k += kMatrixPieceBytes) {
      decode_piece(operand.piece(column, k), &values[k], kMatrixPieceBytes);
    }
    for (std::uint32_t k = 0; k < kDepth; ++k) b[std::size_t{k} * n + column] = values[k];
  }
  for (std::uint32_t row = 0; row < kRows; ++row) {
    std::array<float, kMaxColumns> sums{};
    const auto each_element = [&](auto&& use) {
      for (std::uint32_t column = 0; column < n; ++column) {
        const Element element = accumulator_element(row, column);
        use(sums[column], issue.d[element.thread][element.index]);
      }
    };
    if (issue.operands.accumulates) each_element([](float& sum, float& d) { sum = d; });
    for (std::uint32_t k = 0; k < kDepth; ++k) {
      const float factor = a[row][k];
      const float* values = &b[std::size_t{k} * n];
      for (std::uint32_t column = 0; column < n; ++column) sums[column] += factor * values[column];
    }
    each_element([](const float& sum, float& d) { d = sum; });
  }
}

bool is_same(const WgmmaOperands& mine, const WgmmaOperands& first) {
  return (mine.a_registers == nullptr) == (first.a_registers == nullptr) && mine.n == first.n &&
         (mine.a_registers != nullptr || mine.a_descriptor == first.a_descriptor) &&
         mine.b_descriptor == first.b_descriptor && mine.accumulates == first.accumulates;
}

Warpgroup& group_of(Machine& machine, const Thread& thread, const Place& place) {
  const std::uint32_t index = thread.index / kWarpgroupThreads;
  Block& block = *thread.block;
  if (index >= block.warpgroups.size()) {
    machine.fail(FaultKind::divergence, "wgmma needs a whole warpgroup of four warps", "", place);
  }
  Warpgroup& group = block.warpgroups[index];
  if (group.queue == nullptr) {
    const std::uint32_t number = machine.first_block() + block.rank;
    group.queue =
        &machine.make_queue(fmt::format("wgmma of warpgroup {} of block {}", index, number));
    for (std::uint32_t warp = 0; warp < group.readers.size(); ++warp) {
      group.readers[warp] = &machine.make_queue(
          fmt::format("wgmma of warp {} of block {}", 4 * index + warp, number));
    }
  }
  return group;
}

// All threads have come: checks what is read and lets the product happen.
void enter(Machine& machine, const Block& block, Warpgroup& group) {
  const WgmmaIssue& issue = group.open.front();
  const WgmmaOperands& operands = issue.operands;
  for (std::uint32_t warp = 0; warp < group.readers.size(); ++warp) {
    const Access access{{group.readers[warp]->actor, group.queue->issued + 1},
                        &issue.known[warp],
                        true,
                        false,
                        issue.place};
    check_rows(machine, operands.b_descriptor, 0, operands.n, access);
    if (operands.a_registers == nullptr) {
      check_rows(machine, operands.a_descriptor, 16 * warp, 16, access);
    }
  }
  group.running.push_back(std::move(group.open.front()));
  group.open.pop_front();
  ++group.entered;
  machine.issue(*group.queue, [&group, &block] {
    multiply(group.running.front(), block);
    group.running.pop_front();
  });
}

}  // namespace

RegisterGuard::RegisterGuard() : touched_at_fence_(Machine::current().self().wgmma_fences) {}

RegisterGuard::~RegisterGuard() {
  Machine& machine = Machine::current();
  if (busy_until_ <= machine.self().wgmma_retired) return;
  machine.fail(FaultKind::register_in_flight, "registers are given up while wgmma may use them", "",
               busy_place_);
}

void RegisterGuard::touch(const char* verb, Place place) {
  Machine& machine = Machine::current();
  Thread& thread = machine.self();
  if (busy_until_ > thread.wgmma_retired) {
    machine.fail(FaultKind::register_in_flight,
                 fmt::format("{} a register before the wgmma that uses it was waited for", verb),
                 "registers of wgmma", place,
                 Party{"wgmma of its warpgroup", place_name(busy_place_)});
  }
  touched_at_fence_ = thread.wgmma_fences;
  touched_place_ = place;
}

void RegisterGuard::read(Place place) {
  check_written("reads a register that nobody has written", place);
  touch("reads", place);
}

void RegisterGuard::write(Place place) {
  touch("writes", place);
  is_written_ = true;
}

// Some of the registers are enough: they are not told apart.
void RegisterGuard::check_written(const char* what, Place place) const {
  if (is_written_) return;
  Machine::current().fail(FaultKind::uninitialised_read, what, "registers of wgmma", place);
}

void RegisterGuard::check_fenced(const char* name, Place place) const {
  Machine& machine = Machine::current();
  if (touched_at_fence_ != machine.self().wgmma_fences) return;
  machine.fail(FaultKind::missing_wgmma_fence,
               fmt::format("{} was touched since the latest wgmma.fence", name),
               "registers of wgmma", place,
               Party{machine.name_of_thread(machine.self().id),
                     touched_place_.line() == 0 ? "its declaration" : place_name(touched_place_)});
}

void RegisterGuard::lend(Place place) {
  busy_until_ = Machine::current().self().wgmma_issued + 1;
  busy_place_ = place;
}

void wgmma(const WgmmaOperands& asked, Place place) {
  Machine& machine = Machine::current();
  WgmmaOperands operands = asked;
  if (!machine.admits(place, operands.a_descriptor, operands.b_descriptor, operands.accumulates))
    return;
  Thread& thread = machine.self();
  Warpgroup& group = group_of(machine, thread, place);
  if (operands.n == 0 || operands.n % 8 != 0 || operands.n > kMaxColumns) {
    machine.fail(FaultKind::bad_descriptor, fmt::format("n is {}", operands.n), "", place);
  }
  check_descriptor(machine, operands.b_descriptor, place);
  if (operands.a_registers == nullptr) check_descriptor(machine, operands.a_descriptor, place);
  if (operands.accumulates) {
    operands.d_guard->check_written("adds to an accumulator that nobody has written", place);
  }
  operands.d_guard->check_fenced("the accumulator", place);
  if (operands.a_guard != nullptr) {
    operands.a_guard->check_written("multiplies an A fragment that nobody has written", place);
    operands.a_guard->check_fenced("the A fragment", place);
  }
  const std::uint32_t at = thread.wgmma_issued - group.entered;
  if (at == group.open.size()) {
    WgmmaIssue& first = group.open.emplace_back();
    first.first_thread = thread.id;
    first.operands = operands;
    first.place = place;
  }
  WgmmaIssue& issue = group.open[at];
  if (!is_same(operands, issue.operands) || place.line() != issue.place.line()) {
    machine.fail(FaultKind::divergence, "the threads of a warpgroup are at different wgmma", "",
                 place, machine.party(issue.first_thread, issue.place));
  }
  const std::uint32_t index = thread.index % kWarpgroupThreads;
  const std::uint32_t warp = index / kWarpThreads;
  if (issue.arrived_of_warp[warp]++ == 0) {
    issue.known[warp] = thread.clock;
  } else {
    issue.known[warp].meet(thread.clock);
  }
  if (operands.a_registers != nullptr) {
    std::copy_n(operands.a_registers, 4, issue.a[index].begin());
    operands.a_guard->lend(place);
  }
  issue.d[index] = operands.d;
  operands.d_guard->is_written_ = true;
  operands.d_guard->lend(place);
  thread.wgmma_place = place;
  ++thread.wgmma_issued;
  if (++issue.arrived == kWarpgroupThreads) enter(machine, *thread.block, group);
}

void wgmma_fence(Place place) {
  Machine& machine = Machine::current();
  if (machine.admits(place)) ++machine.self().wgmma_fences;
}

void wgmma_commit(Place place) {
  Machine& machine = Machine::current();
  if (!machine.admits(place)) return;
  Thread& thread = machine.self();
  thread.wgmma_groups.push_back(thread.wgmma_issued);
  machine.yield();
}

void wgmma_wait(std::uint32_t newest_groups, Place place) {
  Machine& machine = Machine::current();
  if (!machine.admits(place, newest_groups)) return;
  Thread& thread = machine.self();
  auto& groups = thread.wgmma_groups;
  if (groups.size() <= newest_groups) return;
  const auto waited = groups.end() - newest_groups;
  const std::uint32_t tick = *(waited - 1);
  groups.erase(groups.begin(), waited);
  if (tick == 0) return;
  Warpgroup& group = group_of(machine, thread, place);
  machine.wait_for(*group.queue, tick, {Waiting::wgmma, 0, 0, place});
  thread.clock.learn({group.readers[thread.index % kWarpgroupThreads / kWarpThreads]->actor, tick});
  thread.wgmma_retired = std::max(thread.wgmma_retired, tick);
}

}  // namespace assay::emulator
