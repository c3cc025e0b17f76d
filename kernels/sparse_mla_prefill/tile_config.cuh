// Sizes of the Hopper kernel and its plan of shared memory.
//
// A block of 384 threads works on 64 heads of one query at a time: two math warpgroups, then one
// that loads. Tokens come in blocks of 64, two of them, a pair, at a time. Q and each slot of the
// ring are tiles of 64 rows by 64 bytes in the 64-byte swizzle; the ninth tile of a slot holds the
// rope part of K until its products with Q are done, and then, like the ninth tile of a slot for
// d_qk 512, the block's probabilities P.
#pragma once

#include <cstdint>

#include "kernels/ptx/target.h"
#include "kernels/ptx/wgmma.h"
#include "kernels/sparse_mla_prefill/device_params.h"

namespace assay::cuda {

template <std::uint32_t kDepth>  // d_qk
struct TileConfig {
  static_assert(kDepth == 512 || kDepth == 576);
  static constexpr std::uint32_t kThreads = 384;
  static constexpr std::uint32_t kMathThreads = 256;
  static constexpr std::uint32_t kMathWarps = kMathThreads / 32;
  static constexpr std::uint32_t kLoadThreads = 128;
  static constexpr std::uint32_t kMathRegisters = 240;  // 2 * 240 + 24 is what 3 * 168 gives
  static constexpr std::uint32_t kLoadRegisters = 24;

  static constexpr std::uint32_t kHeads = kTaskHeads;
  static constexpr std::uint32_t kTokens = 64;  // in a block
  static constexpr std::uint32_t kValueColumns = 512;
  static constexpr std::uint32_t kQueryDepth = kDepth;
  static constexpr std::uint32_t kTiles = kDepth / 64;

  static constexpr std::uint32_t kTileBytes = 64 * 64;
  static constexpr std::uint32_t kGroupBytes = 8 * 64;  // 8 rows: the stride of the descriptors
  static constexpr std::uint32_t kSlots = 5;
  static constexpr std::uint32_t kSlotBytes = 9 * kTileBytes;
  static constexpr std::uint32_t kProbabilityTile = 8;

  // Offsets in shared memory.
  static constexpr std::uint32_t kQuery = 0;
  static constexpr std::uint32_t kRing = kQuery + kTiles * kTileBytes;
  static constexpr std::uint32_t kMaxima = kRing + kSlots * kSlotBytes;  // [warpgroup][head], float
  static constexpr std::uint32_t kFactors = kMaxima + 2 * kHeads * 4;    // [warpgroup][head], float
  static constexpr std::uint32_t kSums = kFactors + 2 * kHeads * 4;      // [warpgroup][head], float
  static constexpr std::uint32_t kValid = kSums + 2 * kHeads * 4;        // [slot][8], ballots
  static constexpr std::uint32_t kFull = kValid + kSlots * 32;           // [slot], mbarrier
  static constexpr std::uint32_t kEmpty = kFull + kSlots * 8;            // [slot], mbarrier
  static constexpr std::uint32_t kQueryFull = kEmpty + kSlots * 8;       // mbarrier
  static constexpr std::uint32_t kQueryEmpty = kQueryFull + 8;           // mbarrier
  static constexpr std::uint32_t kSharedBytes = kQueryEmpty + 8;
  static_assert(kRing % 1024 == 0 && kSharedBytes <= 227 * 1024);
};

// The 16 bytes `piece` (0 to 3) of a row of a tile: PTX ISA, 64-byte swizzling.
ASSAY_DEVICE ptx::SharedAddress piece_address(ptx::SharedAddress tile, std::uint32_t row,
                                              std::uint32_t piece) {
  return tile + row * 64 + (piece ^ (row / 2 % 4)) * 16;
}

// The operand of wgmma that begins at byte `k` of the rows of a tile.
ASSAY_DEVICE std::uint64_t tile_operand(ptx::SharedAddress tile, std::uint32_t k) {
  return ptx::make_descriptor(tile + k, 8 * 64, ptx::Swizzle::bytes64);
}

}  // namespace assay::cuda
