// Shapes; what is masked; sinks; values that are not finite; scales; and some at random.
#include "tests/kernels/sparse_mla_prefill/prefill_matrix.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <utility>

#include "kernels/sparse_mla_prefill/fp8.h"

namespace assay::sparse_mla_prefill {
namespace {

constexpr float kInfinite = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

using Cases = std::vector<MatrixCase>;
using Change = std::function<void(PrefillCase&)>;

MatrixCase one(std::string name, const CaseOptions& options, Change change = {}) {
  return {std::move(name), [options, change = std::move(change)] {
            PrefillCase made(options);
            if (change) change(made);
            return made;
          }};
}

void add_shapes(Cases& cases) {
  cases.push_back(one("d512_h64_topk128", {.d_qk = 512, .topk = 128}));
  cases.push_back(one("d576_h64_topk256", {.topk = 256}));
  cases.push_back(one("d512_h128_topk384", {.h_q = 128, .d_qk = 512, .topk = 384}));
  cases.push_back(one("d576_h192_topk128", {.h_q = 192}));
}

void add_masks(Cases& cases) {
  cases.push_back(one("masked", {.s_q = 4, .topk = 256, .masked_share = 0.6}));
  cases.push_back(one("masked_with_lengths",
                      {.s_q = 4, .topk = 256, .has_lengths = true, .masked_share = 0.6},
                      [](PrefillCase& made) {
                        made.lengths = {256, -3, 77, 300};
                      }));
  cases.push_back(one("every_number_of_tokens",
                      {.s_q = 24, .d_qk = 512, .topk = 128, .has_lengths = true},
                      [](PrefillCase& made) {
                        made.lengths = {0,  1,  2,  3,  5,  6,  7,  11, 12, 13,  15,  47,
                                        48, 49, 50, 53, 95, 96, 97, 98, 99, 101, 127, 128};
                      }));
  cases.push_back(
      one("no_tokens", {.s_q = 3, .has_lengths = true, .has_sink = true}, [](PrefillCase& made) {
        made.sink[0] = kNan;
        made.lengths = {128, 0, 128};
        std::fill_n(made.indices.begin() + 256, 128, -1);
      }));
}

void add_sinks(Cases& cases) {
  for (const bool has_lengths : {false, true}) {
    cases.push_back(one(has_lengths ? "sink_with_lengths" : "sink",
                        {.has_lengths = has_lengths, .has_sink = true}, [](PrefillCase& made) {
                          made.sink[1] = kInfinite;
                          made.sink[2] = -kInfinite;
                          made.sink[3] = 40;
                          made.sink[4] = kNan;
                        }));
  }
}

void add_nans(Cases& cases) {
  cases.push_back(one("nan_in_query_heads", {.topk = 256}, [](PrefillCase& made) {
    made.q[7 * 576 + 575] = 0x7f;
    made.q[(64 + 33) * 576] = 0xff;
  }));
  for (const std::size_t position : {0U, 60U, 100U, 255U}) {
    cases.push_back(one("nan_in_token_" + std::to_string(position), {.s_kv = 600, .topk = 256},
                        [position](PrefillCase& made) {
                          for (std::size_t i = 0; i < 512; ++i)
                            made.indices[i] = static_cast<std::int32_t>(i);
                          made.kv[position * 576 + 100] = 0x7f;  // only the first query chose it
                        }));
  }
  cases.push_back(one("nan_in_a_token_not_chosen", {.has_lengths = true}, [](PrefillCase& made) {
    made.lengths = {100, 100};
    made.indices.assign(256, 3);
    std::fill(made.indices.begin() + 100, made.indices.begin() + 128, 5);
    std::fill_n(made.kv.begin() + 5 * 576, 576, std::uint8_t{0x7f});
  }));
}

void add_scales(Cases& cases) {
  const auto scaled = [&](std::string name, float q, float kv, float sm) {
    cases.push_back(
        one(std::move(name), {.topk = 256, .q_scale = q, .kv_scale = kv, .sm_scale = sm}));
  };
  scaled("scales_far_apart", 0.01F, 100, 0.05F);
  scaled("negative_q_scale", -0.5F, 1.5F, 0.04F);
  scaled("negative_kv_scale", 1, -2, 0.01F);
  scaled("sm_scale_zero", 1, 1, 0);
  scaled("kv_scale_zero", 1, 0, 1);
  scaled("tiny_scales", 0.05F, 0.05F, 1e-6F);
  cases.push_back(one("infinite_scale", {.topk = 256, .q_scale = kInfinite}));
  cases.push_back(one("minus_infinite_scale", {.topk = 256, .q_scale = -kInfinite}));
  cases.push_back(one("nan_scale", {.topk = 256, .q_scale = kNan}));
  cases.push_back(one("one_token_far_above", {.s_kv = 400, .topk = 384, .sm_scale = 0.5F},
                      [](PrefillCase& made) {
                        for (std::size_t i = 0; i < 384; ++i)
                          made.indices[i] = static_cast<std::int32_t>(i);
                        std::fill_n(made.q.begin(), 576, encode_e4m3(4));
                        std::fill_n(made.kv.begin() + 200 * 576, 576, encode_e4m3(4));
                      }));
  cases.back().logit_size = 40;  // they are in the thousands, and float32
}

void add_random(Cases& cases) {
  std::mt19937 random(20261130);
  const auto pick = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
  };
  for (int round = 0; round < 12; ++round) {
    CaseOptions options;
    options.s_q = pick(1, 3);
    options.s_kv = pick(1, 700);
    options.h_q = 64 * pick(1, 2);
    options.d_qk = pick(0, 1) == 0 ? 512 : 576;
    options.topk = 128 * pick(1, 3);
    options.has_lengths = pick(0, 1) == 0;
    options.has_sink = pick(0, 1) == 0;
    options.has_outputs = pick(0, 1) == 0;
    options.masked_share = pick(0, 1) == 0 ? 0.0 : 0.3;
    options.value_scale = pick(0, 1) == 0 ? 1.0F : 0.1F;
    options.seed = static_cast<std::uint32_t>(pick(1, 1 << 30));
    cases.push_back(one("random_" + std::to_string(round), options));
  }
}

}  // namespace

const std::vector<MatrixCase>& prefill_matrix() {
  static const Cases made = [] {
    Cases cases;
    add_shapes(cases);
    add_masks(cases);
    add_sinks(cases);
    add_nans(cases);
    add_scales(cases);
    add_random(cases);
    return cases;
  }();
  return made;
}

PrefillCase matrix_case(std::string_view name) {
  for (const MatrixCase& one : prefill_matrix())
    if (one.name == name) return one.make();
  std::abort();  // a test that asks for what is not there
}

}  // namespace assay::sparse_mla_prefill
