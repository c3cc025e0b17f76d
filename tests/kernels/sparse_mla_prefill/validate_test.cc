#include "kernels/sparse_mla_prefill/validate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "engine/evaluate/kernel_call.h"
#include "engine/read/contract_reader.h"
#include "kernels/generated/sparse_mla_q8kv8_prefill_fwd_contract.h"
#include "tests/engine/evaluate/plain_prefill_check.h"
#include "tests/engine/evaluate/random_prefill_call.h"
#include "tests/kernels/sparse_mla_prefill/prefill_case.h"
#include "tests/support/allocations/allocation_count.h"
#include "tests/support/sample.h"

namespace assay::sparse_mla_prefill {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr DType kFloat16{2, 16, 1};
constexpr DType kInt64{0, 64, 1};
constexpr Device kCuda1{2, 1};

std::vector<std::string> messages_of(const Diagnostics& violations) {
  std::vector<std::string> messages;
  for (const Diagnostic& violation : violations) {
    EXPECT_EQ(violation.code, code::contract_violated);
    messages.push_back(violation.message);
  }
  return messages;
}

// A legal call with everything optional supplied; a test changes one thing.
class Validate : public testing::Test {
 protected:
  Validate()
      : prefill_({.s_q = 4, .s_kv = 64, .h_q = 128, .has_lengths = true, .has_sink = true}),
        arguments_(prefill_.arguments()) {}

  std::vector<std::string> violations() { return messages_of(validate(arguments_)); }

  // A shape that lives as long as the test.
  std::span<const std::int64_t> shape(std::vector<std::int64_t> extents) {
    shapes_.push_back(std::make_unique<std::vector<std::int64_t>>(std::move(extents)));
    return *shapes_.back();
  }

  PrefillCase prefill_;
  PrefillArguments arguments_;
  std::vector<std::unique_ptr<std::vector<std::int64_t>>> shapes_;
};

TEST_F(Validate, a_legal_call_has_no_violation) {
  EXPECT_THAT(violations(), IsEmpty());
  arguments_.topk_length.reset();  // the sink alone is legal here
  EXPECT_THAT(violations(), IsEmpty());
  arguments_.attn_sink.reset();
  arguments_.out.reset();
  arguments_.max_logits.reset();
  arguments_.lse.reset();
  EXPECT_THAT(violations(), IsEmpty());
}

TEST_F(Validate, strides_of_a_contiguous_tensor_are_legal_whatever_an_extent_of_one_has) {
  arguments_.kv.strides = shape({576, -99, 1});
  arguments_.q.strides = shape({128 * 576, 576, 1});
  EXPECT_THAT(violations(), IsEmpty());
}

TEST_F(Validate, scales_of_rank_zero_and_of_one_element_are_legal) {
  arguments_.q_scale.shape = shape({1});
  arguments_.kv_scale.shape = shape({1, 1});
  EXPECT_THAT(violations(), IsEmpty());
}

TEST_F(Validate, ranks) {
  arguments_.q.shape = shape({4, 576});
  EXPECT_THAT(violations(), ElementsAre("q must have shape (s_q, h_q, d_qk), got (4, 576)"));
  arguments_ = prefill_.arguments();
  arguments_.kv.shape = shape({64});
  EXPECT_THAT(violations(), ElementsAre("kv must have shape (s_kv, h_kv, d_qk), got (64,)"));
  arguments_ = prefill_.arguments();
  arguments_.indices.shape = {};
  EXPECT_THAT(violations(), ElementsAre("indices must have shape (s_q, h_kv, topk), got ()"));
}

TEST_F(Validate, dtypes) {
  arguments_.q.dtype = kBfloat16;
  arguments_.kv.dtype = {12, 8, 1};
  arguments_.indices.dtype = kInt64;
  arguments_.q_scale.dtype = kFloat16;
  EXPECT_THAT(violations(), ElementsAre("q must be torch.float8_e4m3fn, got torch.bfloat16",
                                        "kv must be torch.float8_e4m3fn, got torch.float8_e5m2",
                                        "indices must be int32, got torch.int64",
                                        "q_scale must be float32, got torch.float16"));
}

TEST_F(Validate, a_dtype_without_a_name_is_shown_by_its_numbers) {
  arguments_.q.dtype = {10, 8, 4};
  EXPECT_THAT(violations(),
              ElementsAre("q must be torch.float8_e4m3fn, got DLPack dtype (code 10, bits 8, lanes "
                          "4)"));
}

TEST_F(Validate, devices) {
  arguments_.kv.device = kCuda1;
  arguments_.topk_length->device = kCuda1;
  arguments_.kv_scale.device = kCuda1;
  arguments_.lse->device = {10, 0};
  EXPECT_THAT(violations(), ElementsAre("kv must be on q's device cpu, got cuda:1",
                                        "topk_length must be on q's device cpu, got cuda:1",
                                        "kv_scale must be on q's device cpu, got cuda:1",
                                        "lse must be on device cpu, got DLPack device 10:0"));
}

TEST_F(Validate, a_call_all_on_one_gpu_is_legal_and_one_on_another_kind_of_device_has_no_back_end) {
  const auto move_all_to = [this](Device device) {
    for (TensorView* tensor :
         {&arguments_.q, &arguments_.kv, &arguments_.indices, &arguments_.q_scale,
          &arguments_.kv_scale, &*arguments_.topk_length, &*arguments_.attn_sink, &*arguments_.out,
          &*arguments_.max_logits, &*arguments_.lse}) {
      tensor->device = device;
    }
  };
  move_all_to(kCuda1);
  EXPECT_THAT(violations(), IsEmpty());
  EXPECT_STREQ(back_end_of(arguments_), "sm90");
  move_all_to({10, 1});
  EXPECT_THAT(violations(), ElementsAre("q must be a CPU or CUDA tensor, got DLPack device 10:1"));
}

TEST_F(Validate, contiguity) {
  arguments_.q.strides = shape({2 * 128 * 576, 576, 1});
  arguments_.kv.strides = shape({-576, 576, 1});
  arguments_.indices.strides = shape({128, 1});
  arguments_.attn_sink->strides = shape({0});
  arguments_.out->strides = shape({512, 512 * 4, 1});
  EXPECT_THAT(violations(), ElementsAre("q must be contiguous", "kv must be contiguous",
                                        "indices must be contiguous",
                                        "attn_sink must be contiguous", "out must be contiguous"));
}

TEST_F(Validate, dimensions) {
  arguments_.q.shape = shape({4, 96, 192});
  arguments_.kv.shape = shape({64, 2, 576});
  arguments_.indices.shape = shape({5, 1, 100});
  arguments_.attn_sink->shape = shape({96});
  arguments_.out.reset();
  arguments_.max_logits.reset();
  arguments_.lse.reset();
  EXPECT_THAT(
      violations(),
      ElementsAre("kv d_qk must match q d_qk=192, got 576",
                  "sparse_mla_q8kv8_prefill_fwd requires h_q padded to a positive multiple of 64, "
                  "got 96",
                  "sparse_mla_q8kv8_prefill_fwd requires h_kv=1, got 2",
                  "sparse_mla_q8kv8_prefill_fwd supports d_qk=512/576, got 192",
                  "indices must have shape (4, 2, topk), got (5, 1, 100)",
                  "Q8KV8 sparse-prefill topk width must be a positive multiple of 128, got 100"));
}

TEST_F(Validate, optional_inputs_and_scalars) {
  arguments_.topk_length->shape = shape({3});
  arguments_.attn_sink->dtype = kBfloat16;
  arguments_.kv_scale.shape = shape({2});
  arguments_.d_v = 256;
  EXPECT_THAT(violations(),
              ElementsAre("topk_length must be int32 with shape (4,), got (3,)/torch.int32",
                          "sparse_mla_q8kv8_prefill_fwd only supports d_v=512, got 256",
                          "attn_sink must be float32 with shape (128,), got (128,)/torch.bfloat16",
                          "kv_scale must be a scalar tensor, got shape (2,)",
                          "out must have shape (4, 128, 256), got (4, 128, 512)"));
}

TEST_F(Validate, outputs) {
  arguments_.out->shape = shape({4, 128, 576});
  arguments_.out->dtype = kFloat16;
  arguments_.lse->shape = shape({128, 4});
  EXPECT_THAT(violations(), ElementsAre("out must have shape (4, 128, 512), got (4, 128, 576)",
                                        "out must have dtype torch.bfloat16, got torch.float16",
                                        "lse must have shape (4, 128), got (128, 4)"));
}

TEST_F(Validate, outputs_that_share_any_byte) {
  const std::size_t count = prefill_.lse.size();
  std::vector<float> both(2 * count);
  arguments_.max_logits->data = both.data();
  arguments_.lse->data = both.data() + count - 1;
  EXPECT_THAT(violations(), ElementsAre("out, max_logits and lse must not alias each other"));
  arguments_.lse->data = both.data() + count;  // adjacent
  EXPECT_THAT(violations(), IsEmpty());
}

TEST_F(Validate, an_output_over_an_input) {
  // An output is larger than the input it lies on and may reach what the heap has behind it.
  arguments_.out->data = prefill_.q.data() + 16;
  EXPECT_THAT(violations(), Contains("out must not overlap q"));
  arguments_ = prefill_.arguments();
  arguments_.max_logits->data = prefill_.sink.data();
  EXPECT_THAT(violations(), Contains("max_logits must not overlap attn_sink"));
}

TEST_F(Validate, null_and_misaligned_pointers) {
  arguments_.q.data = nullptr;
  arguments_.kv.data = prefill_.kv.data() + 8;
  arguments_.q_scale.data = reinterpret_cast<const std::byte*>(&prefill_.q_scale) + 1;
  EXPECT_THAT(violations(),
              ElementsAre("q must not be a null pointer",
                          HasSubstr("kv must be aligned to 16 bytes, got address 0x"),
                          HasSubstr("q_scale must be aligned to 4 bytes, got address 0x")));
}

TEST_F(Validate, zero_negative_and_overflowing_extents) {
  arguments_.kv.shape = shape({0, 1, 576});
  const std::string no_row = "q and kv must have at least one row, got s_q=4 and s_kv=";
  EXPECT_THAT(violations(), ElementsAre(no_row + "0"));
  arguments_.kv.shape = shape({-64, 1, 576});
  EXPECT_THAT(violations(),
              ElementsAre(no_row + "-64", HasSubstr("kv must have extents from 0 to 2147483647")));
  arguments_.kv.shape = shape({std::int64_t{1} << 31, 1, 576});
  EXPECT_THAT(violations(), ElementsAre(HasSubstr("got shape (2147483648, 1, 576)")));
  arguments_.kv.shape = shape({std::numeric_limits<std::int64_t>::max(), 1, 576});
  EXPECT_THAT(violations(), ElementsAre(HasSubstr("kv must have extents")));
}

TEST_F(Validate, a_byte_offset_counts_as_part_of_the_address) {
  const auto* const q = static_cast<const std::byte*>(arguments_.q.data);
  arguments_.q.data = q - 48;
  arguments_.q.byte_offset = 48;
  EXPECT_THAT(violations(), IsEmpty());
  EXPECT_EQ(static_cast<const void*>(bind(arguments_).q), q);
  arguments_.q.byte_offset = 47;
  EXPECT_THAT(violations(), ElementsAre(HasSubstr("q must be aligned to 16 bytes")));
}

// A contract of a pack that somebody loads.
CompiledContract loaded_contract(const std::string& tensors, const std::string& clauses) {
  SourceSet sources;
  auto read =
      read_contract(sources, sources.add("k.yaml",
                                         "kernel: k\ntitle: t\nrepository: a/b\nsummary: s\n"
                                         "source: {file: a.py, sha: 0123abcd}\ndimensions: {n: n}\n"
                                         "tensors:\n" +
                                             tensors + "clauses:\n" + clauses));
  auto compiled = compile_contract(std::move(read.value()));
  return std::move(compiled.value());
}

TEST_F(Validate, a_loaded_contract_tightens) {
  const CompiledContract strict = loaded_contract(
      "  kv: {dtype: float8_e4m3fn, shape: [n, 1, 576]}\n",
      "  - {id: few, profile: safety, require: n < 10, message: \"at most 9 rows, got {n}\"}\n");
  EXPECT_THAT(messages_of(validate(arguments_, &strict)), ElementsAre("at most 9 rows, got 64"));
  const CompiledContract foreign = loaded_contract("  x: {dtype: int8, shape: [n]}\n", "  []\n");
  EXPECT_THAT(messages_of(validate(arguments_, &foreign)), ElementsAre("x must be given"));
}

TEST_F(Validate, a_legal_call_allocates_nothing_even_held_against_a_loaded_contract) {
  SourceSet sources;
  auto read = read_contract(
      sources, sources.add("sparse_mla_q8kv8_prefill_fwd.yaml",
                           std::string(contracts::sparse_mla_q8kv8_prefill_fwd::yaml())));
  const auto loaded = compile_contract(std::move(read.value()));
  const std::size_t before = test::allocation_count();
  const Diagnostics alone = validate(arguments_);
  const Diagnostics with_loaded = validate(arguments_, &*loaded);
  const std::size_t after = test::allocation_count();
  EXPECT_TRUE(alone.empty() && with_loaded.empty());
  EXPECT_EQ(after - before, 0U);
}

TEST_F(Validate, a_loaded_contract_that_demands_nothing_loosens_nothing) {
  const CompiledContract hostile =
      loaded_contract("  q: {shape: [n, {at_least: 0}, {at_least: 0}]}\n",
                      "  - {id: fine, profile: both, require: \"true\", message: fine}\n");
  EXPECT_THAT(messages_of(validate(arguments_, &hostile)), IsEmpty());
  arguments_.q.dtype = kFloat16;
  arguments_.lse->data = arguments_.out->data;
  arguments_.kv.data = nullptr;
  EXPECT_THAT(messages_of(validate(arguments_, &hostile)), testing::ElementsAreArray(violations()));
  EXPECT_EQ(violations().size(), 3U);
}

TEST(GeneratedContract, agrees_with_the_loaded_one_and_with_checks_written_by_hand) {
  SourceSet sources;
  auto read = read_contract(
      sources, sources.add("sparse_mla_q8kv8_prefill_fwd.yaml",
                           std::string(contracts::sparse_mla_q8kv8_prefill_fwd::yaml())));
  const auto contract = compile_contract(std::move(read.value()));
  std::mt19937_64 random(3);
  std::size_t safe = 0;
  const int rounds = 20000 / static_cast<int>(test::sample_step());
  for (int round = 0; round < rounds; ++round) {
    const test::PrefillMetadata metadata = test::random_prefill_call(random);
    const test::BoundCall bound(metadata);
    const auto& t = bound.pointers;
    const bool is_safe = contracts::sparse_mla_q8kv8_prefill_fwd::is_plainly_safe<ViewAccess>(
        t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7], t[8], t[9], 0.04,
        metadata.d_v.value_or(512));
    ASSERT_EQ(is_safe, test::is_memory_safe(metadata)) << round;
    ASSERT_EQ(is_safe, is_plainly_legal(*contract, bound.call(), ContractProfile::safety));
    safe += is_safe;
  }
  EXPECT_GT(safe, static_cast<std::size_t>(rounds) / 4);
}

TEST_F(Validate, everything_wrong_is_said_at_once) {
  arguments_.q.dtype = kFloat16;
  arguments_.topk_length->dtype = kInt64;
  arguments_.lse->data = arguments_.out->data;
  arguments_.kv.data = nullptr;
  EXPECT_EQ(violations().size(), 4U);
}

// Metadata from nowhere: no crash, no overflow, and no tensor but a contiguous one of the right
// type and shape is accepted.
TEST_F(Validate, random_metadata_is_refused_without_harm) {
  const std::int64_t extents[] = {0,
                                  1,
                                  -1,
                                  2,
                                  64,
                                  128,
                                  512,
                                  576,
                                  std::int64_t{1} << 31,
                                  std::numeric_limits<std::int64_t>::max(),
                                  std::numeric_limits<std::int64_t>::min()};
  std::mt19937_64 random(5);
  const auto pick = [&](std::size_t bound) { return static_cast<std::size_t>(random() % bound); };
  std::size_t accepted = 0;
  const int rounds = 20000 / static_cast<int>(test::sample_step());
  for (int round = 0; round < rounds; ++round) {
    arguments_ = prefill_.arguments();
    TensorView* const tensors[] = {&arguments_.q,           &arguments_.kv,
                                   &arguments_.indices,     &arguments_.q_scale,
                                   &arguments_.kv_scale,    &*arguments_.topk_length,
                                   &*arguments_.attn_sink,  &*arguments_.out,
                                   &*arguments_.max_logits, &*arguments_.lse};
    const std::size_t changed = pick(std::size(tensors));
    TensorView& tensor = *tensors[changed];
    const TensorView legal = tensor;
    std::vector<std::int64_t> numbers(pick(5));
    for (auto& number : numbers) number = extents[pick(std::size(extents))];
    (pick(2) == 0 ? tensor.shape : tensor.strides) = numbers;
    if (pick(4) == 0) tensor.data = reinterpret_cast<const void*>(random());
    if (pick(8) == 0) tensor.dtype.bits = static_cast<std::uint8_t>(random());
    if (!validate(arguments_).empty()) continue;
    ++accepted;
    EXPECT_EQ(tensor.dtype, legal.dtype);
    // A scale may be of any rank, kv of any length; all else has one shape.
    const bool is_free = &tensor == &arguments_.kv || legal.shape.empty();
    EXPECT_TRUE(is_free || std::ranges::equal(tensor.shape, legal.shape)) << changed;
  }
  EXPECT_GT(accepted, 0U);
}

}  // namespace
}  // namespace assay::sparse_mla_prefill
