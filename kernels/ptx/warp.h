// Instructions that the 32 lanes of a warp execute together. All lanes take part, at one place in
// the source.
#pragma once

#include "kernels/ptx/target.h"

namespace assay::ptx {

inline constexpr std::uint32_t kAllLanes = 0xffffffffU;

#ifndef __CUDACC__
inline std::uint32_t meet_warp(emulator::WarpInstruction instruction, std::uint32_t first,
                               std::uint32_t second, Place place) {
  return emulator::meet_warp(instruction, {first, second, 0, 0, 0}, place)[0];
}
#endif

// PTX ISA, bar.warp.sync: the lanes wait for each other and see each other's writes. A warp.
// Clobber: it orders memory.
ASSAY_DEVICE void sync_warp([[maybe_unused]] Place place = Place::current()) {
#ifdef __CUDACC__
  __syncwarp();
#else
  meet_warp(emulator::WarpInstruction::sync, 0, 0, place);
#endif
}

// PTX ISA, elect.sync: true in one lane, always the same one, but any. A warp. No clobber: orders
// no memory; volatile, since it must not move into a branch.
ASSAY_DEVICE bool elect_lane([[maybe_unused]] Place place = Place::current()) {
#ifdef __CUDACC__
  std::uint32_t is_elected;
  asm volatile("{\n\t.reg .pred p;\n\telect.sync _|p, %1;\n\tselp.u32 %0, 1, 0, p;\n\t}"
               : "=r"(is_elected)
               : "r"(kAllLanes));
  return is_elected != 0;
#else
  return meet_warp(emulator::WarpInstruction::elect, 0, 0, place) != 0;
#endif
}

// PTX ISA, shfl.sync.bfly: the value of the lane whose number differs in the bits of `mask`. A
// warp. No clobber: orders no memory.
ASSAY_DEVICE std::uint32_t shuffle_xor(std::uint32_t value, std::uint32_t mask,
                                       [[maybe_unused]] Place place = Place::current()) {
#ifdef __CUDACC__
  return __shfl_xor_sync(kAllLanes, value, static_cast<int>(mask));
#else
  return meet_warp(emulator::WarpInstruction::shuffle_xor, value, mask, place);
#endif
}

// PTX ISA, shfl.sync.idx: the value of lane `lane` % 32. A warp. No clobber: orders no memory.
ASSAY_DEVICE std::uint32_t shuffle_from(std::uint32_t value, std::uint32_t lane,
                                        [[maybe_unused]] Place place = Place::current()) {
#ifdef __CUDACC__
  return __shfl_sync(kAllLanes, value, static_cast<int>(lane));
#else
  return meet_warp(emulator::WarpInstruction::shuffle_index, value, lane, place);
#endif
}

// PTX ISA, vote.sync.ballot: bit i is lane i's predicate. A warp. No clobber: orders no memory.
ASSAY_DEVICE std::uint32_t vote_ballot(bool predicate,
                                       [[maybe_unused]] Place place = Place::current()) {
#ifdef __CUDACC__
  return __ballot_sync(kAllLanes, predicate ? 1 : 0);
#else
  return meet_warp(emulator::WarpInstruction::ballot, predicate ? 1U : 0U, 0, place);
#endif
}

// PTX ISA, ldmatrix.sync.aligned.m8n8.x4.shared.b16: four matrices of 8 rows of 16 bytes; lane
// 8m + r gives the address of row r of matrix m. In register m, lane l gets the 16-bit elements
// 2 (l % 4) and the next of row l / 4. A warp. Clobber: reads what others have written.
ASSAY_DEVICE void load_matrix_x4(SharedAddress row, std::uint32_t (&value)[4],
                                 Place place = Place::current()) {
#ifdef __CUDACC__
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(value[0]), "=r"(value[1]), "=r"(value[2]), "=r"(value[3])
               : "r"(row)
               : "memory");
#else
  const auto words =
      emulator::meet_warp(emulator::WarpInstruction::matrix_load, {row, 0, 0, 0, 0}, place);
  for (std::size_t i = 0; i < 4; ++i) value[i] = words[i];
#endif
}

// PTX ISA, ldmatrix with .trans: as load_matrix_x4, but lane l gets, of column l / 4, the elements
// in rows 2 (l % 4) and the next. A warp. Clobber: reads what others have written.
ASSAY_DEVICE void load_matrix_x4_transposed(SharedAddress row, std::uint32_t (&value)[4],
                                            Place place = Place::current()) {
#ifdef __CUDACC__
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(value[0]), "=r"(value[1]), "=r"(value[2]), "=r"(value[3])
               : "r"(row)
               : "memory");
#else
  const auto words = emulator::meet_warp(emulator::WarpInstruction::matrix_load_transposed,
                                         {row, 0, 0, 0, 0}, place);
  for (std::size_t i = 0; i < 4; ++i) value[i] = words[i];
#endif
}

// PTX ISA, stmatrix.sync.aligned.m8n8.x4.shared.b16: the reverse of load_matrix_x4. A warp.
// Clobber: a write that others see.
ASSAY_DEVICE void store_matrix_x4(SharedAddress row, const std::uint32_t (&value)[4],
                                  Place place = Place::current()) {
#ifdef __CUDACC__
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(row),
               "r"(value[0]), "r"(value[1]), "r"(value[2]), "r"(value[3])
               : "memory");
#else
  emulator::meet_warp(emulator::WarpInstruction::matrix_store,
                      {row, value[0], value[1], value[2], value[3]}, place);
#endif
}

// PTX ISA, stmatrix with .trans: the reverse of load_matrix_x4_transposed. A warp. Clobber: a write
// that others see.
ASSAY_DEVICE void store_matrix_x4_transposed(SharedAddress row, const std::uint32_t (&value)[4],
                                             Place place = Place::current()) {
#ifdef __CUDACC__
  asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(row),
               "r"(value[0]), "r"(value[1]), "r"(value[2]), "r"(value[3])
               : "memory");
#else
  emulator::meet_warp(emulator::WarpInstruction::matrix_store_transposed,
                      {row, value[0], value[1], value[2], value[3]}, place);
#endif
}

// PTX ISA, setmaxnreg.inc.sync.aligned: waits until the block has the registers, then each thread
// of the warp may use kCount. All warps of a warpgroup call it with one kCount. No clobber: no
// memory; volatile, since it must not move.
template <std::uint32_t kCount>
ASSAY_DEVICE void take_registers([[maybe_unused]] Place place = Place::current()) {
#ifdef __CUDACC__
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kCount));
#else
  meet_warp(emulator::WarpInstruction::more_registers, kCount, 0, place);
#endif
}

// PTX ISA, setmaxnreg.dec.sync.aligned: gives registers back, keeps kCount. A warpgroup, as above.
// No clobber: no memory; volatile, since it must not move.
template <std::uint32_t kCount>
ASSAY_DEVICE void give_registers([[maybe_unused]] Place place = Place::current()) {
#ifdef __CUDACC__
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kCount));
#else
  meet_warp(emulator::WarpInstruction::fewer_registers, kCount, 0, place);
#endif
}

}  // namespace assay::ptx
