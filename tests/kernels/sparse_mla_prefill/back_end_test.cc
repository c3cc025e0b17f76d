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

namespace assay::sparse_mla_prefill {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

void expect_accurate(const Accuracy& accuracy) {
  EXPECT_LT(accuracy.out_relative_mean, 0.003);
  EXPECT_LT(accuracy.out_cosine_difference, 1e-5);
  EXPECT_LT(accuracy.lse_difference, 1e-4);
  EXPECT_LT(accuracy.max_logits_difference, 1e-4);
  EXPECT_TRUE(accuracy.same_nonfinite);
}

class BackEnd : public testing::TestWithParam<const CpuKernels*> {
 protected:
  void expect_like_reference(PrefillCase& prefill) {
    const PrefillResult result = prefill.run(*GetParam());
    ASSERT_EQ(result.outcome, PrefillOutcome::done);
    const ReferenceOutputs expected = prefill.reference();
    expect_accurate(prefill.compare(result, expected));
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

struct Shape {
  std::int64_t d_qk, h_q, topk;
};

TEST_P(BackEnd, agrees_with_the_reference_on_every_shape) {
  for (const Shape shape :
       {Shape{512, 64, 128}, {576, 64, 256}, {512, 128, 384}, {576, 192, 128}}) {
    SCOPED_TRACE(testing::Message() << shape.d_qk << " " << shape.h_q << " " << shape.topk);
    PrefillCase prefill({.h_q = shape.h_q, .d_qk = shape.d_qk, .topk = shape.topk});
    expect_like_reference(prefill);
  }
}

TEST_P(BackEnd, leaves_out_tokens_that_are_masked_or_out_of_range_or_beyond_the_length) {
  for (const bool has_lengths : {false, true}) {
    PrefillCase prefill({.s_q = 4, .topk = 256, .has_lengths = has_lengths, .masked_share = 0.6});
    if (has_lengths) prefill.lengths = {256, -3, 77, 300};
    expect_like_reference(prefill);
  }
}

TEST_P(BackEnd, attends_to_every_number_of_tokens) {
  PrefillCase prefill({.s_q = 24, .d_qk = 512, .topk = 128, .has_lengths = true});
  prefill.lengths = {0,  1,  2,  3,  5,  6,  7,  11, 12, 13,  15,  47,
                     48, 49, 50, 53, 95, 96, 97, 98, 99, 101, 127, 128};
  expect_like_reference(prefill);
}

TEST_P(BackEnd, takes_the_sink_into_the_denominator_only) {
  for (const bool has_lengths : {false, true}) {
    PrefillCase with_sink({.has_lengths = has_lengths, .has_sink = true});
    with_sink.sink[1] = kInfinity;
    with_sink.sink[2] = -kInfinity;
    with_sink.sink[3] = 40;
    with_sink.sink[4] = NAN;
    expect_like_reference(with_sink);
    PrefillCase without_sink({.has_lengths = has_lengths});
    without_sink.run(*GetParam());
    EXPECT_EQ(with_sink.lse, without_sink.lse);
    EXPECT_EQ(with_sink.max_logits, without_sink.max_logits);
    EXPECT_NE(with_sink.out, without_sink.out);
  }
}

TEST_P(BackEnd, writes_zero_and_infinities_for_a_query_without_tokens) {
  PrefillCase prefill({.s_q = 3, .has_lengths = true, .has_sink = true});
  prefill.sink[0] = NAN;
  prefill.lengths = {128, 0, 128};
  std::fill_n(prefill.indices.begin() + 256, 128, -1);
  expect_like_reference(prefill);
  for (std::size_t row = 64; row < 192; ++row) {
    EXPECT_EQ(prefill.max_logits[row], -kInfinity);
    EXPECT_EQ(prefill.lse[row], kInfinity);
    for (std::size_t i = 0; i < 512; ++i) ASSERT_EQ(prefill.out[row * 512 + i], 0);
  }
}

TEST_P(BackEnd, a_nan_in_a_query_head_makes_that_head_nan_and_no_other) {
  PrefillCase prefill({.topk = 256});
  prefill.q[7 * 576 + 575] = 0x7f;
  prefill.q[(64 + 33) * 576] = 0xff;
  expect_like_reference(prefill);
  EXPECT_TRUE(std::isnan(prefill.lse[7]));
  EXPECT_FALSE(std::isnan(prefill.lse[6]));
}

TEST_P(BackEnd, a_nan_in_a_chosen_token_makes_the_query_nan_wherever_it_stands) {
  for (const std::size_t position : {0U, 60U, 100U, 255U}) {
    PrefillCase prefill({.s_kv = 600, .topk = 256});
    for (std::size_t i = 0; i < 512; ++i) prefill.indices[i] = static_cast<std::int32_t>(i);
    prefill.kv[position * 576 + 100] = 0x7f;  // only the first query chose it
    expect_like_reference(prefill);
    EXPECT_TRUE(std::isnan(prefill.max_logits[0]));
    EXPECT_FALSE(std::isnan(prefill.max_logits[64]));
  }
}

TEST_P(BackEnd, a_nan_in_a_token_that_is_not_chosen_does_not_matter) {
  PrefillCase prefill({.has_lengths = true});
  prefill.lengths = {100, 100};
  prefill.indices.assign(256, 3);
  std::fill(prefill.indices.begin() + 100, prefill.indices.begin() + 128, 5);
  std::fill_n(prefill.kv.begin() + 5 * 576, 576, std::uint8_t{0x7f});
  expect_like_reference(prefill);
}

TEST_P(BackEnd, applies_scales_of_either_sign_and_size) {
  struct Scales {
    float q, kv, sm;
  };
  for (const Scales scales : {Scales{0.01F, 100, 0.05F},
                              {-0.5F, 1.5F, 0.04F},
                              {1, -2, 0.01F},
                              {1, 1, 0},
                              {1, 0, 1},
                              {0.05F, 0.05F, 1e-6F}}) {
    PrefillCase prefill(
        {.topk = 256, .q_scale = scales.q, .kv_scale = scales.kv, .sm_scale = scales.sm});
    expect_like_reference(prefill);
  }
}

TEST_P(BackEnd, scales_that_are_not_finite_show_where_the_reference_shows_them) {
  for (const float scale : {kInfinity, -kInfinity, std::numeric_limits<float>::quiet_NaN()}) {
    PrefillCase prefill({.topk = 256, .q_scale = scale});
    expect_like_reference(prefill);
  }
}

TEST_P(BackEnd, one_token_far_above_the_others_decides_alone) {
  PrefillCase prefill({.s_kv = 400, .h_q = 64, .topk = 384, .sm_scale = 0.5F});
  for (std::size_t i = 0; i < 384; ++i) prefill.indices[i] = static_cast<std::int32_t>(i);
  std::fill_n(prefill.q.begin(), 576, encode_e4m3(4));
  std::fill_n(prefill.kv.begin() + 200 * 576, 576, encode_e4m3(4));
  const PrefillResult result = prefill.run(*GetParam());
  const Accuracy accuracy = prefill.compare(result, prefill.reference());
  EXPECT_LT(accuracy.out_relative_mean, 0.003);
  EXPECT_LT(accuracy.lse_difference, 1e-6 * 4000);  // logits are in the thousands
  EXPECT_TRUE(accuracy.same_nonfinite);
}

TEST_P(BackEnd, random_cases_agree_with_the_reference) {
  std::mt19937 random(20261130);
  const auto pick = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  for (int round = 0; round < 12; ++round) {
    PrefillCase prefill({.s_q = pick(1, 3),
                         .s_kv = pick(1, 700),
                         .h_q = 64 * pick(1, 2),
                         .d_qk = pick(0, 1) == 0 ? 512 : 576,
                         .topk = 128 * pick(1, 3),
                         .has_lengths = pick(0, 1) == 0,
                         .has_sink = pick(0, 1) == 0,
                         .has_outputs = pick(0, 1) == 0,
                         .masked_share = pick(0, 1) == 0 ? 0.0 : 0.3,
                         .value_scale = pick(0, 1) == 0 ? 1.0F : 0.1F,
                         .seed = static_cast<std::uint32_t>(pick(1, 1 << 30))});
    SCOPED_TRACE(testing::Message() << "round " << round);
    expect_like_reference(prefill);
  }
}

TEST_P(BackEnd, results_do_not_depend_on_the_number_of_threads) {
  PrefillCase one({.s_q = 9, .has_lengths = true, .masked_share = 0.2});
  PrefillCase many = one;
  const PrefillResult from_one = one.run(*GetParam(), 1);
  for (const unsigned threads : {2U, 3U, 8U, 100U}) {
    const PrefillResult from_many = many.run(*GetParam(), threads);
    EXPECT_EQ(one.out, many.out);
    EXPECT_EQ(one.lse, many.lse);
    EXPECT_EQ(one.max_logits, many.max_logits);
    EXPECT_EQ(from_one.faults.out_of_range_indices, from_many.faults.out_of_range_indices);
  }
}

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
      const PrefillResult result = prefill.run(*GetParam());
      const Accuracy accuracy = prefill.compare(result, prefill.reference());
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
