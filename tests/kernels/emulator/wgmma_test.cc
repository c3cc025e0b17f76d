// Layouts of wgmma, ldmatrix and stmatrix, held against the tables of the PTX ISA, which are
// written down here once more, and the rules about registers in flight.
#include "kernels/ptx/wgmma.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "kernels/emulator/swizzle.h"
#include "kernels/ptx/barriers.h"
#include "kernels/ptx/bulk_copy.h"
#include "kernels/ptx/mbarrier.h"
#include "kernels/ptx/memory.h"
#include "kernels/ptx/special_registers.h"
#include "kernels/ptx/warp.h"
#include "kernels/sparse_mla_prefill/fp8.h"
#include "tests/kernels/emulator/run_kernel.h"

namespace assay::emulator {
namespace {

using sparse_mla_prefill::decode_e4m3;
using ::testing::HasSubstr;

constexpr std::uint32_t kWidth = 32;  // bytes of K in one wgmma
using Bytes = std::array<std::uint8_t, 64 * kWidth>;

// The swizzles of the PTX ISA's figures, 16-byte pieces by row and column: which piece of the row
// is stored at that column.
constexpr int kSwizzle128[8][8] = {{0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6},
                                   {2, 3, 0, 1, 6, 7, 4, 5}, {3, 2, 1, 0, 7, 6, 5, 4},
                                   {4, 5, 6, 7, 0, 1, 2, 3}, {5, 4, 7, 6, 1, 0, 3, 2},
                                   {6, 7, 4, 5, 2, 3, 0, 1}, {7, 6, 5, 4, 3, 2, 1, 0}};
constexpr int kSwizzle64[8][4] = {{0, 1, 2, 3}, {0, 1, 2, 3}, {1, 0, 3, 2}, {1, 0, 3, 2},
                                  {2, 3, 0, 1}, {2, 3, 0, 1}, {3, 2, 1, 0}, {3, 2, 1, 0}};
constexpr int kSwizzle32[8][2] = {{0, 1}, {0, 1}, {0, 1}, {0, 1}, {1, 0}, {1, 0}, {1, 0}, {1, 0}};

// Where byte k of a row lies in a tile of rows as wide as the swizzle, by the tables.
std::uint32_t tile_offset(Swizzle swizzle, std::uint32_t row, std::uint32_t k) {
  const std::uint32_t width = row_bytes(swizzle);
  const auto find = [&](const int* stored) {
    std::uint32_t column = 0;
    while (static_cast<std::uint32_t>(stored[column]) != k / 16) ++column;
    return column;
  };
  std::uint32_t column = 0;
  if (swizzle == Swizzle::bytes128) column = find(kSwizzle128[row % 8]);
  if (swizzle == Swizzle::bytes64) column = find(kSwizzle64[row % 8]);
  if (swizzle == Swizzle::bytes32) column = find(kSwizzle32[row % 8]);
  return row * width + column * 16 + k % 16;
}

TEST(swizzle, addresses_follow_the_tables) {
  for (const Swizzle swizzle : {Swizzle::bytes128, Swizzle::bytes64, Swizzle::bytes32}) {
    const std::uint32_t width = row_bytes(swizzle);
    const MatrixDescriptor matrix{1024, 16, 8 * width, 0, swizzle};
    for (std::uint32_t row = 0; row < 24; ++row) {
      for (std::uint32_t k = 0; k < width; ++k) {
        EXPECT_EQ(element_address(matrix, row, k), 1024 + tile_offset(swizzle, row, k));
      }
    }
  }
}

TEST(swizzle, without_it_core_matrices_of_8_by_16_bytes_are_strided_both_ways) {
  const MatrixDescriptor matrix{2048, 4096, 256, 0, Swizzle::none};
  EXPECT_EQ(element_address(matrix, 0, 15), 2048U + 15);
  EXPECT_EQ(element_address(matrix, 7, 0), 2048U + 7 * 16);
  EXPECT_EQ(element_address(matrix, 8, 0), 2048U + 256);
  EXPECT_EQ(element_address(matrix, 3, 17), 2048U + 3 * 16 + 4096 + 1);
}

TEST(descriptor, fields_lie_where_the_isa_says) {
  const std::uint64_t bits =
      ptx::make_descriptor(0x12340, 0x400, ptx::Swizzle::bytes64, /*leading_bytes=*/0x80);
  EXPECT_EQ(bits, 0x1234U | std::uint64_t{0x8} << 16U | std::uint64_t{0x40} << 32U |
                      std::uint64_t{2} << 62U);
  const MatrixDescriptor matrix = decode_descriptor(bits);
  EXPECT_EQ(matrix.address, 0x12340U);
  EXPECT_EQ(matrix.leading_bytes, 0x80U);
  EXPECT_EQ(matrix.stride_bytes, 0x400U);
  EXPECT_EQ(matrix.swizzle, Swizzle::bytes64);
}

Bytes random_bytes(std::uint32_t seed) {
  std::mt19937 random(seed);
  Bytes bytes;
  for (auto& byte : bytes) {
    byte = static_cast<std::uint8_t>(random() & 0xffU);
    if ((byte & 0x7fU) == 0x7f) byte = 0x38;  // no NaN
  }
  return bytes;
}

struct Tiles {
  Bytes a = random_bytes(1), b = random_bytes(2);
  std::array<float, 64 * 64> d{}, expected{};

  Tiles() {
    for (std::uint32_t row = 0; row < 64; ++row) {
      for (std::uint32_t column = 0; column < 64; ++column) {
        for (std::uint32_t k = 0; k < kWidth; ++k) {
          expected[row * 64 + column] +=
              decode_e4m3(a[row * kWidth + k]) * decode_e4m3(b[column * kWidth + k]);
        }
      }
    }
  }
  std::string difference(float factor) const {
    for (std::uint32_t row = 0; row < 64; ++row) {
      for (std::uint32_t column = 0; column < 64; ++column) {
        const float want = factor * expected[row * 64 + column];
        const float have = d[row * 64 + column];
        if (std::fabs(have - want) > 1e-4F * std::fabs(want) + 1e-2F) {
          return "element " + std::to_string(row) + ", " + std::to_string(column) + " is " +
                 std::to_string(have) + " and not " + std::to_string(want);
        }
      }
    }
    return "";
  }
};

LaunchConfig warpgroup(Tiles& tiles) {
  LaunchConfig config;
  config.threads = 128;
  config.shared_bytes = 65536;
  config.globals = {{"d", tiles.d.data(), sizeof(tiles.d), true}};
  return config;
}

// Writes a 64 x 32 tile into rows as wide as the swizzle, from byte `k_start` of the rows on.
void store_tile(const Bytes& bytes, std::uint32_t tile, Swizzle swizzle, std::uint32_t k_start) {
  for (std::uint32_t i = ptx::thread_index(); i < bytes.size() / 4; i += 128) {
    std::uint32_t word = 0;
    for (std::uint32_t byte = 0; byte < 4; ++byte)
      word |= std::uint32_t{bytes[4 * i + byte]} << 8 * byte;
    ptx::store_shared(tile + tile_offset(swizzle, i / 8, k_start + i % 8 * 4), word);
  }
}

// PTX ISA, wgmma accumulator D: row 16 warp + lane / 4 + 8 (i / 2 % 2), column 8 (i / 4) + 2 (lane
// % 4) + i % 2.
void store_result(ptx::Accumulator<64>& d, std::array<float, 64 * 64>& out) {
  const std::uint32_t lane = ptx::thread_index() % 32;
  for (std::uint32_t i = 0; i < 32; ++i) {
    const std::uint32_t row = ptx::thread_index() / 32 * 16 + lane / 4 + 8 * (i / 2 % 2);
    const std::uint32_t column = 8 * (i / 4) + 2 * (lane % 4) + i % 2;
    ptx::store_global(&out[row * 64 + column], ptx::bits_of(d.get(static_cast<int>(i))));
  }
}

class wgmma_layout : public ::testing::TestWithParam<ptx::Swizzle> {};

TEST_P(wgmma_layout, product_of_tiles_in_shared_memory) {
  Tiles tiles;
  const auto swizzle = static_cast<Swizzle>(GetParam());
  const std::uint32_t width = row_bytes(swizzle);
  for (const std::uint32_t k_start : {0U, width - kWidth}) {
    EXPECT_EQ(run_seeds(
                  warpgroup(tiles),
                  [&] {
                    const std::uint32_t a = ptx::dynamic_shared_base();
                    const std::uint32_t b = a + 64 * width;
                    store_tile(tiles.a, a, swizzle, k_start);
                    store_tile(tiles.b, b, swizzle, k_start);
                    ptx::fence_proxy_async();
                    ptx::sync_block();
                    ptx::Accumulator<64> d;
                    ptx::wgmma_fence();
                    for (const bool accumulates : {false, true}) {
                      ptx::wgmma_n64(d, ptx::make_descriptor(a + k_start, 8 * width, GetParam()),
                                     ptx::make_descriptor(b + k_start, 8 * width, GetParam()),
                                     accumulates);
                    }
                    ptx::wgmma_commit();
                    ptx::wgmma_wait<0>();
                    store_result(d, tiles.d);
                  },
                  [&] { return tiles.difference(2); }, kSeeds / 6),
              "no fault");
  }
}

INSTANTIATE_TEST_SUITE_P(swizzles, wgmma_layout,
                         ::testing::Values(ptx::Swizzle::bytes128, ptx::Swizzle::bytes64,
                                           ptx::Swizzle::bytes32));

// PTX ISA, wgmma A fragment of m64k32: register w is row 16 warp + lane / 4 + 8 (w % 2), k 4 (lane
// % 4)
// + 16 (w / 2) and the three after it.
void load_fragment(const Bytes& a, ptx::FragmentA& fragment) {
  const std::uint32_t lane = ptx::thread_index() % 32;
  for (std::uint32_t w = 0; w < 4; ++w) {
    const std::uint32_t row = ptx::thread_index() / 32 * 16 + lane / 4 + 8 * (w % 2);
    const std::uint32_t k = 4 * (lane % 4) + 16 * (w / 2);
    std::uint32_t word = 0;
    for (std::uint32_t byte = 0; byte < 4; ++byte) {
      word |= std::uint32_t{a[row * kWidth + k + byte]} << 8 * byte;
    }
    fragment.set(static_cast<int>(w), word);
  }
}

TEST(wgmma, product_with_a_in_registers) {
  Tiles tiles;
  EXPECT_EQ(run_seeds(
                warpgroup(tiles),
                [&] {
                  const std::uint32_t b = ptx::dynamic_shared_base();
                  store_tile(tiles.b, b, Swizzle::bytes32, 0);
                  ptx::fence_proxy_async();
                  ptx::sync_block();
                  ptx::Accumulator<64> d;
                  ptx::FragmentA a;
                  load_fragment(tiles.a, a);
                  ptx::wgmma_fence();
                  ptx::wgmma_n64(d, a, ptx::make_descriptor(b, 256, ptx::Swizzle::bytes32), false);
                  ptx::wgmma_commit();
                  ptx::wgmma_wait<0>();
                  store_result(d, tiles.d);
                },
                [&] { return tiles.difference(1); }),
            "no fault");
}

TEST(wgmma, registers_that_nobody_has_written_are_not_read) {
  LaunchConfig config;
  config.threads = 128;
  config.shared_bytes = 8192;
  const auto kernel = [](bool sets, bool accumulates, bool reads) {
    return [=] {
      for (std::uint32_t i = ptx::thread_index(); i < 1024; i += 128) {
        ptx::store_shared(ptx::dynamic_shared_base() + 4 * i, 0);
      }
      ptx::fence_proxy_async();
      ptx::sync_block();
      ptx::Accumulator<64> d;
      ptx::FragmentA a;
      for (int i = 0; sets && i < 4; ++i) a.set(i, 0);
      if (reads) static_cast<void>(d.get(0));
      ptx::wgmma_fence();
      ptx::wgmma_n64(d, a,
                     ptx::make_descriptor(ptx::dynamic_shared_base(), 512, ptx::Swizzle::bytes64),
                     accumulates);
      ptx::wgmma_commit();
      ptx::wgmma_wait<0>();
      static_cast<void>(d.get(0));
    };
  };
  EXPECT_EQ(run_seeds(config, kernel(true, false, false)), "no fault");
  EXPECT_EQ(fault_of(config, kernel(false, false, false)), FaultKind::uninitialised_read);
  EXPECT_EQ(fault_of(config, kernel(true, true, false)), FaultKind::uninitialised_read);
  EXPECT_EQ(fault_of(config, kernel(true, false, true)), FaultKind::uninitialised_read);
}

TEST(wgmma, crooked_descriptors_are_faults) {
  Tiles tiles;
  EXPECT_EQ(fault_of(warpgroup(tiles),
                     [] {
                       const std::uint32_t start = ptx::dynamic_shared_base() + 64;  // row 1
                       ptx::Accumulator<64> d;
                       ptx::wgmma_fence();
                       const auto matrix = ptx::make_descriptor(start, 512, ptx::Swizzle::bytes64);
                       ptx::wgmma_n64(d, matrix, matrix, false);
                       ptx::wgmma_commit();
                       ptx::wgmma_wait<0>();
                     }),
            FaultKind::bad_descriptor);
}

// Four 8 x 8 matrices of 16-bit elements, value 64 m + 8 row + column, stored row by row.
void store_matrices() {
  const std::uint32_t base = ptx::dynamic_shared_base();
  for (std::uint32_t pair = ptx::thread_index(); pair < 128; pair += 32) {
    ptx::store_shared(base + 4 * pair, 2 * pair | (2 * pair + 1) << 16U);
  }
  ptx::sync_warp();
}

TEST(ldmatrix, registers_hold_what_the_isa_says) {
  LaunchConfig config;
  config.threads = 32;
  config.shared_bytes = 4096;
  std::array<std::array<std::uint32_t, 8>, 32> seen{};
  config.globals = {{"seen", seen.data(), sizeof(seen), true}};
  EXPECT_EQ(run_seeds(config,
                      [&] {
                        store_matrices();
                        const std::uint32_t lane = ptx::thread_index();
                        const std::uint32_t row = ptx::dynamic_shared_base() + 16 * lane;
                        std::uint32_t plain[4];
                        std::uint32_t transposed[4];
                        ptx::load_matrix_x4(row, plain);
                        ptx::load_matrix_x4_transposed(row, transposed);
                        for (std::uint32_t m = 0; m < 4; ++m) {
                          ptx::store_global(&seen[lane][m], plain[m]);
                          ptx::store_global(&seen[lane][4 + m], transposed[m]);
                        }
                      }),
            "no fault");
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    for (std::uint32_t m = 0; m < 4; ++m) {
      const auto element = [m](std::uint32_t row, std::uint32_t column) {
        return 64 * m + 8 * row + column;
      };
      const std::uint32_t major = lane / 4;
      const std::uint32_t minor = lane % 4 * 2;
      EXPECT_EQ(seen[lane][m], element(major, minor) | element(major, minor + 1) << 16U);
      EXPECT_EQ(seen[lane][4 + m], element(minor, major) | element(minor + 1, major) << 16U);
    }
  }
}

TEST(stmatrix, is_the_reverse_of_ldmatrix) {
  LaunchConfig config;
  config.threads = 32;
  config.shared_bytes = 4096;
  std::array<std::uint32_t, 256> seen{};
  config.globals = {{"seen", seen.data(), sizeof(seen), true}};
  EXPECT_EQ(run_seeds(config,
                      [&] {
                        store_matrices();
                        const std::uint32_t lane = ptx::thread_index();
                        const std::uint32_t row = ptx::dynamic_shared_base() + 16 * lane;
                        std::uint32_t value[4];
                        ptx::load_matrix_x4(row, value);
                        ptx::store_matrix_x4(row + 1024, value);
                        ptx::load_matrix_x4_transposed(row, value);
                        ptx::store_matrix_x4_transposed(row + 2048, value);
                        ptx::sync_warp();
                        for (std::uint32_t i = lane; i < 256; i += 32) {
                          const std::uint32_t at = (i < 128 ? 1024 : 2048 - 512) + 4 * i;
                          ptx::store_global(&seen[i],
                                            ptx::load_shared(ptx::dynamic_shared_base() + at));
                        }
                      }),
            "no fault");
  for (std::uint32_t pair = 0; pair < 128; ++pair) {
    EXPECT_EQ(seen[pair], 2 * pair | (2 * pair + 1) << 16U);
    EXPECT_EQ(seen[128 + pair], 2 * pair | (2 * pair + 1) << 16U);
  }
}

TEST(tensor_copy, swizzles_by_the_tables_and_fills_the_outside_with_zeros) {
  for (const Swizzle swizzle : {Swizzle::bytes128, Swizzle::bytes64, Swizzle::bytes32}) {
    const std::uint32_t width = row_bytes(swizzle);
    std::vector<std::uint8_t> tensor(std::size_t{width} * 2 * 12);
    for (std::size_t i = 0; i < tensor.size(); ++i) {
      tensor[i] = static_cast<std::uint8_t>(1 + i % 251);
    }
    std::vector<std::uint32_t> seen(std::size_t{width} * 16 / 4);
    LaunchConfig config;
    config.threads = 32;
    config.shared_bytes = 8192;
    config.globals = {{"tensor", tensor.data(), tensor.size(), false},
                      {"seen", seen.data(), seen.size() * 4, true}};
    const ptx::TensorMap map{tensor.data(), 2 * width, 12, 2 * width, width, 16, width};
    EXPECT_EQ(run_seeds(config,
                        [&] {
                          const std::uint32_t base = ptx::dynamic_shared_base();
                          const std::uint32_t barrier = base + 4096;
                          if (ptx::thread_index() == 0) {
                            ptx::mbarrier_init(barrier, 1);
                            ptx::fence_mbarrier_init();
                            ptx::mbarrier_arrive_expect(barrier, width * 16);
                            ptx::tensor_load(base, map, static_cast<std::int32_t>(width), 2,
                                             barrier);
                          }
                          ptx::sync_block();
                          ptx::mbarrier_wait(barrier, 0);
                          for (std::uint32_t i = ptx::thread_index(); i < seen.size(); i += 32) {
                            ptx::store_global(&seen[i], ptx::load_shared(base + 4 * i));
                          }
                        }),
              "no fault");
    for (std::uint32_t row = 0; row < 16; ++row) {
      for (std::uint32_t k = 0; k < width; ++k) {
        const std::uint32_t at = tile_offset(swizzle, row, k);
        const std::uint32_t have = seen[at / 4] >> 8 * (at % 4) & 0xffU;
        const std::uint32_t want = row < 10 ? tensor[(row + 2) * 2 * width + width + k] : 0;
        ASSERT_EQ(have, want) << "width " << width << " row " << row << " byte " << k;
      }
    }
  }
}

}  // namespace
}  // namespace assay::emulator
