// Every back end that this processor can run (and the emulated one) against the reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>

#include "kernels/sparse_mla_prefill/aligned_buffer.h"
#include "kernels/sparse_mla_prefill/bf16.h"
#include "kernels/sparse_mla_prefill/fp8.h"
#include "tests/kernels/sparse_mla_prefill/back_ends.h"
#include "tests/kernels/sparse_mla_prefill/prefill_case.h"
#include "tests/kernels/sparse_mla_prefill/prefill_matrix.h"

namespace assay::sparse_mla_prefill {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

void expect_accurate(const Accuracy& accuracy, double logit_size = 1) {
  EXPECT_LT(accuracy.out_relative_mean, 0.003);
  EXPECT_LT(accuracy.out_cosine_difference, 1e-5);
  EXPECT_LT(accuracy.lse_difference, 1e-4 * logit_size);
  EXPECT_LT(accuracy.max_logits_difference, 1e-4 * logit_size);
  EXPECT_TRUE(accuracy.same_nonfinite);
}

class BackEnd : public testing::TestWithParam<const CpuKernels*> {
 protected:
  void expect_like_reference(PrefillCase& prefill, double logit_size) {
    const PrefillResult result = run_on(*GetParam(), prefill);
    ASSERT_EQ(result.outcome, PrefillOutcome::done);
    const ReferenceOutputs expected = prefill.reference();
    expect_accurate(prefill.compare(expected), logit_size);
    EXPECT_EQ(result.faults.out_of_range_indices, expected.out_of_range_indices);
    EXPECT_EQ(result.faults.out_of_range_lengths, expected.out_of_range_lengths);
  }
};

INSTANTIATE_TEST_SUITE_P(, BackEnd, testing::ValuesIn(tested_back_ends()),
                         [](const auto& tested) { return std::string(tested.param->name); });

TEST_P(BackEnd, decodes_every_byte_into_keys_and_values) {
  const CpuKernels& kernels = *GetParam();
  std::vector<std::uint8_t> rows[3];
  const std::uint8_t* pointers[3];
  for (unsigned token = 0; token < 3; ++token) {
    for (unsigned column = 0; column < 576; ++column) {
      rows[token].push_back(static_cast<std::uint8_t>(column + 85 * token));
    }
    pointers[token] = rows[token].data();
  }
  const AlignedBuffer keys(kernels.block_tokens * 576 * 4);
  const AlignedBuffer values(kernels.block_tokens * 512 * 4);
  kernels.decode_rows(pointers, 3, 576, keys.data(), values.data());

  const std::size_t per_word = kernels.values_per_word;
  const auto value_at = [&](const AlignedBuffer& buffer, std::size_t word, std::size_t part) {
    return per_word == 1 ? buffer.as<float>()[word]
                         : bf16_to_float(buffer.as<std::uint16_t>()[2 * word + part]);
  };
  const auto expect_equal = [](float got, float expected) {
    EXPECT_TRUE(got == expected || (std::isnan(got) && std::isnan(expected)));
    EXPECT_TRUE(std::signbit(got) == std::signbit(expected) || std::isnan(expected));
  };
  for (std::size_t token = 0; token < 3; ++token) {
    for (std::size_t column = 0; column < 576; ++column) {
      const float expected = decode_e4m3(rows[token][column]);
      expect_equal(value_at(keys, (token * 576 + column) / per_word, column % per_word), expected);
      if (column >= 512) continue;
      const std::size_t step = column / 16 * (kernels.block_tokens / per_word) + token / per_word;
      expect_equal(value_at(values, step * 16 + column % 16, token % per_word), expected);
    }
  }
}

TEST_P(BackEnd, agrees_with_the_reference_on_every_case_of_the_matrix) {
  for (const MatrixCase& one : prefill_matrix()) {
    SCOPED_TRACE(one.name);
    PrefillCase prefill = one.make();
    expect_like_reference(prefill, one.logit_size);
  }
}

TEST_P(BackEnd, takes_the_sink_into_the_denominator_only) {
  for (const bool has_lengths : {false, true}) {
    PrefillCase with_sink = matrix_case(has_lengths ? "sink_with_lengths" : "sink");
    run_on(*GetParam(), with_sink);
    PrefillCase without_sink({.has_lengths = has_lengths});
    run_on(*GetParam(), without_sink);
    EXPECT_EQ(with_sink.lse, without_sink.lse);
    EXPECT_EQ(with_sink.max_logits, without_sink.max_logits);
    EXPECT_NE(with_sink.out, without_sink.out);
  }
}

TEST_P(BackEnd, writes_zero_and_infinities_for_a_query_without_tokens) {
  PrefillCase prefill = matrix_case("no_tokens");
  run_on(*GetParam(), prefill);
  for (std::size_t row = 64; row < 192; ++row) {
    EXPECT_EQ(prefill.max_logits[row], -kInfinity);
    EXPECT_EQ(prefill.lse[row], kInfinity);
    for (std::size_t i = 0; i < 512; ++i) ASSERT_EQ(prefill.out[row * 512 + i], 0);
  }
}

TEST_P(BackEnd, a_nan_in_a_query_head_makes_that_head_nan_and_no_other) {
  PrefillCase prefill = matrix_case("nan_in_query_heads");
  run_on(*GetParam(), prefill);
  EXPECT_TRUE(std::isnan(prefill.lse[7]));
  EXPECT_FALSE(std::isnan(prefill.lse[6]));
}

TEST_P(BackEnd, a_nan_in_a_chosen_token_makes_the_query_nan_wherever_it_stands) {
  for (const char* name :
       {"nan_in_token_0", "nan_in_token_60", "nan_in_token_100", "nan_in_token_255"}) {
    PrefillCase prefill = matrix_case(name);
    run_on(*GetParam(), prefill);
    EXPECT_TRUE(std::isnan(prefill.max_logits[0]));
    EXPECT_FALSE(std::isnan(prefill.max_logits[64]));
  }
}

TEST_P(BackEnd, results_do_not_depend_on_the_number_of_threads) {
  PrefillCase one({.s_q = 9, .has_lengths = true, .masked_share = 0.2});
  PrefillCase many = one;
  const PrefillResult from_one = run_on(*GetParam(), one, 1);
  for (const unsigned threads : {2U, 3U, 8U, 100U}) {
    const PrefillResult from_many = run_on(*GetParam(), many, threads);
    EXPECT_EQ(one.out, many.out);
    EXPECT_EQ(one.lse, many.lse);
    EXPECT_EQ(one.max_logits, many.max_logits);
    EXPECT_EQ(from_one.faults.out_of_range_indices, from_many.faults.out_of_range_indices);
  }
}

struct Shape {
  std::int64_t d_qk, h_q, topk;
};

// The table in kernels/README.md: run with --gtest_filter='*accuracy_table*'.
TEST_P(BackEnd, keeps_the_bounds_of_the_accuracy_table) {
  for (const float value_scale : {1.0F, 0.05F}) {
    for (const Shape shape : {Shape{576, 128, 2048}, Shape{512, 64, 512}}) {
      PrefillCase prefill({.s_q = 1,
                           .s_kv = 8192,
                           .h_q = shape.h_q,
                           .d_qk = shape.d_qk,
                           .topk = shape.topk,
                           .value_scale = value_scale,
                           .q_scale = 1,
                           .kv_scale = 1});
      run_on(*GetParam(), prefill);
      const Accuracy accuracy = prefill.compare(prefill.reference());
      expect_accurate(accuracy);
      std::printf("| %s | (8192, %d, %d, %d) | %.2f | %.3f %% | %.1e | %.1e | %.1e |\n",
                  GetParam()->name.data(), static_cast<int>(shape.h_q),
                  static_cast<int>(shape.d_qk), static_cast<int>(shape.topk), double{value_scale},
                  accuracy.out_relative_mean * 100, accuracy.out_cosine_difference,
                  accuracy.lse_difference, accuracy.max_logits_difference);
    }
  }
}

}  // namespace
}  // namespace assay::sparse_mla_prefill
