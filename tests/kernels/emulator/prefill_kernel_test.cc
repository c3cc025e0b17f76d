// The Hopper kernel on the emulator, against the reference in double precision.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "kernels/emulator/launch.h"
#include "tests/kernels/emulator/emulated_prefill.h"
#include "tests/kernels/emulator/run_kernel.h"
#include "tests/kernels/sparse_mla_prefill/prefill_case.h"
#include "tests/kernels/sparse_mla_prefill/prefill_matrix.h"

namespace assay::sparse_mla_prefill {
namespace {

using emulator::Emulator;
using emulator::LaunchResult;

constexpr std::uint64_t kFewSeeds = std::min<std::uint64_t>(emulator::kSeeds, 6);

// Runs the case under `seeds` schedules: none has a fault, all give the same bits, and those are
// near the reference.
void expect_right(const CaseOptions& options, std::uint64_t seeds) {
  PrefillCase prefill(options);
  const ReferenceOutputs reference = prefill.reference();
  Emulator emulator;
  std::vector<std::uint16_t> first_out;
  std::vector<float> first_lse;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    cuda::DeviceStatus status;
    const LaunchResult result = run_emulated(prefill, emulator, seed, status);
    ASSERT_FALSE(result.fault) << "seed " << seed << ": " << result.fault->to_string();
    ASSERT_EQ(status.out_of_range_indices, reference.out_of_range_indices);
    ASSERT_EQ(status.out_of_range_lengths, reference.out_of_range_lengths);
    if (seed == 0) {
      first_out = prefill.out;
      first_lse = prefill.lse;
      const Accuracy accuracy = prefill.compare(reference);
      EXPECT_LT(accuracy.out_relative_mean, 0.03);
      EXPECT_LT(accuracy.out_cosine_difference, 1e-3);
      EXPECT_LT(accuracy.lse_difference, 2e-3);
      EXPECT_LT(accuracy.max_logits_difference, 1e-4);
      EXPECT_TRUE(accuracy.same_nonfinite);
      ::testing::Test::RecordProperty("out_relative_mean",
                                      std::to_string(accuracy.out_relative_mean));
      ::testing::Test::RecordProperty("out_cosine", std::to_string(accuracy.out_cosine_difference));
    }
    ASSERT_EQ(prefill.out, first_out) << "seed " << seed;
    ASSERT_TRUE(std::equal(first_lse.begin(), first_lse.end(), prefill.lse.begin(),
                           [](float a, float b) { return a == b || (a != a && b != b); }))
        << "seed " << seed;
  }
}

void expect_near(const PrefillCase& prefill, const ReferenceOutputs& reference) {
  const Accuracy accuracy = prefill.compare(reference);
  EXPECT_TRUE(accuracy.same_nonfinite);
  EXPECT_LT(accuracy.out_relative_mean, 0.03);
  EXPECT_LT(accuracy.lse_difference, 2e-3);
}

CaseOptions small_case(std::int64_t d_qk) {
  CaseOptions options;
  options.s_q = 1;
  options.d_qk = d_qk;
  return options;
}

TEST(prefill_kernel, two_blocks_of_tokens_in_every_schedule) {
  expect_right(small_case(576), emulator::kSeeds);
}

TEST(prefill_kernel, ten_thousand_schedules_of_two_blocks) {
  expect_right(small_case(576), 10'000);
}

TEST(prefill_kernel, without_rope_part) { expect_right(small_case(512), kFewSeeds); }

TEST(prefill_kernel, ring_wraps_and_heads_share_a_query) {
  CaseOptions options = small_case(576);
  options.h_q = 128;
  options.topk = 1152;  // 18 blocks of tokens in 5 slots
  options.has_sink = true;
  options.masked_share = 0.2;
  expect_right(options, 3);
}

// The blocks of a grid take turns: in each case one of them has several tasks, the last of a block
// may be short, empty or of another query than its first.
TEST(prefill_kernel, blocks_take_one_task_after_the_other) {
  CaseOptions options = small_case(512);
  options.s_q = 4;
  options.h_q = 192;
  options.topk = 256;
  options.has_lengths = true;
  options.masked_share = 0.1;
  PrefillCase prefill(options);
  prefill.lengths = {256, 0, 70, 256};
  const ReferenceOutputs reference = prefill.reference();
  std::vector<std::uint16_t> first_out;
  for (const std::uint32_t blocks : {1U, 2U, 5U, 7U, 12U}) {
    Emulator emulator;
    cuda::DeviceStatus status;
    const LaunchResult result = run_emulated(
        prefill, emulator, blocks, status, {},
        [&](cuda::DeviceParams&, emulator::LaunchConfig& config) { config.blocks = blocks; });
    ASSERT_FALSE(result.fault) << blocks << " blocks: " << result.fault->to_string();
    EXPECT_EQ(status.out_of_range_indices, reference.out_of_range_indices);
    expect_near(prefill, reference);
    if (first_out.empty()) first_out = prefill.out;
    EXPECT_EQ(prefill.out, first_out) << blocks << " blocks";
  }
}

TEST(prefill_kernel, small_values_as_the_public_kernels_are_tested_with) {
  CaseOptions options = small_case(576);
  options.value_scale = 0.05F;
  options.topk = 512;
  expect_right(options, 1);
}

class PrefillMatrix : public testing::TestWithParam<MatrixCase> {};

TEST_P(PrefillMatrix, agrees_with_the_reference) {
  PrefillCase prefill = GetParam().make();
  const double logit_size = GetParam().logit_size;
  const ReferenceOutputs reference = prefill.reference();
  Emulator emulator;
  cuda::DeviceStatus status;
  const LaunchResult result = run_emulated(prefill, emulator, 5, status);
  ASSERT_FALSE(result.fault) << result.fault->to_string();
  EXPECT_EQ(status.out_of_range_indices, reference.out_of_range_indices);
  EXPECT_EQ(status.out_of_range_lengths, reference.out_of_range_lengths);
  const Accuracy accuracy = prefill.compare(reference);
  EXPECT_TRUE(accuracy.same_nonfinite);
  EXPECT_LT(accuracy.out_relative_mean, 0.03);
  EXPECT_LT(accuracy.out_cosine_difference, 1e-3);
  EXPECT_LT(accuracy.lse_difference, 2e-3 * logit_size);
  EXPECT_LT(accuracy.max_logits_difference, 1e-4 * logit_size);
}

INSTANTIATE_TEST_SUITE_P(, PrefillMatrix, testing::ValuesIn(prefill_matrix()),
                         [](const auto& tested) { return tested.param.name; });

// Edges that PrefillCase does not draw: the tensors are set before the run.
void expect_right_after(const std::function<void(PrefillCase&)>& change) {
  CaseOptions options = small_case(576);
  options.s_q = 3;
  options.has_lengths = true;
  PrefillCase prefill(options);
  prefill.lengths = {128, 128, 128};
  change(prefill);
  const ReferenceOutputs reference = prefill.reference();
  Emulator emulator;
  cuda::DeviceStatus status;
  const LaunchResult result = run_emulated(prefill, emulator, 3, status);
  ASSERT_FALSE(result.fault) << result.fault->to_string();
  EXPECT_EQ(status.out_of_range_indices, reference.out_of_range_indices);
  EXPECT_EQ(status.out_of_range_lengths, reference.out_of_range_lengths);
  const Accuracy accuracy = prefill.compare(reference);
  EXPECT_TRUE(accuracy.same_nonfinite);
  EXPECT_LT(accuracy.out_relative_mean, 0.03);
  EXPECT_LT(accuracy.lse_difference, 2e-3);
}

TEST(prefill_kernel, queries_without_a_token_give_zero_and_infinities) {
  expect_right_after([](PrefillCase& prefill) {
    prefill.lengths = {0, 128, 1};
    std::fill(prefill.indices.begin() + 128, prefill.indices.begin() + 256, -1);
  });
}

TEST(prefill_kernel, lengths_out_of_range_are_clamped_and_counted) {
  expect_right_after([](PrefillCase& prefill) { prefill.lengths = {-5, 129, 77}; });
}

TEST(prefill_kernel, indices_out_of_range_are_never_loaded) {
  expect_right_after([](PrefillCase& prefill) {
    prefill.indices[5] = static_cast<std::int32_t>(prefill.options.s_kv);
    prefill.indices[6] = -2;
    prefill.indices[130] = 0x7fffffff;
    prefill.indices[131] = -0x7fffffff;
  });
}

// Addresses for more memory than there is; pages are there once they are touched.
class LargeMemory {
 public:
  explicit LargeMemory(std::size_t bytes)
      : bytes_(bytes),
        address_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
  LargeMemory(const LargeMemory&) = delete;
  LargeMemory& operator=(const LargeMemory&) = delete;
  ~LargeMemory() {
    if (is_there()) munmap(address_, bytes_);
  }
  bool is_there() const { return address_ != MAP_FAILED; }
  std::uint8_t* data() const { return static_cast<std::uint8_t*>(address_); }
  std::size_t size() const { return bytes_; }

 private:
  std::size_t bytes_;
  void* address_;
};

TEST(prefill_kernel, rows_at_the_end_of_the_largest_cache_are_found) {
  constexpr std::int64_t kRows = 0x7fffffff;  // the last index is one less
  constexpr std::int64_t kRowBytes = 576;
  const LargeMemory memory(std::size_t{kRows} * kRowBytes);
  if (!memory.is_there()) GTEST_SKIP() << "no addresses for 1.2 TB";
  PrefillCase prefill(small_case(576));
  const ReferenceOutputs reference = prefill.reference();
  const std::int64_t first_row = kRows - prefill.options.s_kv;
  std::copy(prefill.kv.begin(), prefill.kv.end(), memory.data() + first_row * kRowBytes);
  for (std::int32_t& index : prefill.indices) index += static_cast<std::int32_t>(first_row);
  Emulator emulator;
  cuda::DeviceStatus status;
  const LaunchResult result =
      run_emulated(prefill, emulator, 3, status, {},
                   [&](cuda::DeviceParams& params, emulator::LaunchConfig& config) {
                     params.kv = memory.data();
                     params.s_kv = kRows;
                     config.globals.push_back({"large kv", memory.data(), memory.size(), false});
                   });
  ASSERT_FALSE(result.fault) << result.fault->to_string();
  EXPECT_EQ(status.out_of_range_indices, 0U);
  expect_near(prefill, reference);
}

// So that `pointer` is where the tensor's part behind so many bytes begins.
template <class T>
void begin_earlier(T*& pointer, std::int64_t elements) {
  const auto bytes = static_cast<std::uintptr_t>(elements) * sizeof(T);
  pointer = reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(pointer) - bytes);
}

TEST(prefill_kernel, queries_far_beyond_32_bits_of_rows_are_found) {
  constexpr std::uint32_t kQueries = 40'000'000;  // that are not run; rows of `out`: 5.1e9
  CaseOptions options = small_case(576);
  options.h_q = 128;
  PrefillCase prefill(options);
  const ReferenceOutputs reference = prefill.reference();
  Emulator emulator;
  cuda::DeviceStatus status;
  const LaunchResult result =
      run_emulated(prefill, emulator, 4, status, {},
                   [&](cuda::DeviceParams& params, emulator::LaunchConfig& config) {
                     const std::int64_t rows = std::int64_t{kQueries} * options.h_q;
                     begin_earlier(params.q, rows * options.d_qk);
                     begin_earlier(params.indices, std::int64_t{kQueries} * options.topk);
                     begin_earlier(params.out, rows * kValueColumns);
                     begin_earlier(params.max_logits, rows);
                     begin_earlier(params.lse, rows);
                     params.s_q += kQueries;
                     config.first_block = 2 * kQueries;
                     config.blocks = 2 * params.s_q;  // a task for each
                   });
  ASSERT_FALSE(result.fault) << result.fault->to_string();
  expect_near(prefill, reference);
}

TEST(prefill_kernel, nan_stays_in_its_rows) {
  expect_right_after([](PrefillCase& prefill) {
    prefill.q[3 * 576 + 500] = 0x7f;  // one head of the first query
    prefill.kv[static_cast<std::size_t>(prefill.indices[130]) * 576 + 100] = 0xff;
    std::replace(prefill.indices.begin(), prefill.indices.begin() + 128, prefill.indices[130], -1);
  });
}

}  // namespace
}  // namespace assay::sparse_mla_prefill
