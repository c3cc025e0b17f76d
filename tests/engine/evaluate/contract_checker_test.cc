#include "engine/evaluate/contract_checker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "engine/read/contract_reader.h"
#include "engine/text/file_system.h"
#include "tests/engine/evaluate/plain_prefill_check.h"
#include "tests/engine/evaluate/random_prefill_call.h"
#include "tests/support/allocations/allocation_count.h"
#include "tests/support/sample.h"

namespace assay {
namespace {

using test::BoundCall;
using test::Meta;
using test::PrefillMetadata;
using testing::ElementsAre;
using testing::IsEmpty;

CompiledContract compile_text(SourceSet& sources, const std::string& name,
                              const std::string& text) {
  auto read = read_contract(sources, sources.add(name, text));
  if (!read) {
    ADD_FAILURE() << read.error()[0].message;
    return {};
  }
  auto compiled = compile_contract(std::move(*read));
  if (!compiled) {
    ADD_FAILURE() << compiled.error()[0].message;
    return {};
  }
  return std::move(*compiled);
}

const CompiledContract& prefill() {
  static SourceSet sources;
  static const CompiledContract contract = [] {
    const std::string path =
        std::string(ASSAY_SOURCE_DIR) + "/rules/kernels/sparse_mla_q8kv8_prefill_fwd.yaml";
    const auto text = DiskFileSystem().read_file(path, 1u << 20);
    return compile_text(sources, path, text.value());
  }();
  return contract;
}

std::vector<ContractViolation> violations(const PrefillMetadata& metadata,
                                          ContractProfile profile = ContractProfile::both) {
  return check_contract(prefill(), BoundCall(metadata).call(), profile);
}

// "id: message" of each, with a star at which the engine would stop.
std::vector<std::string> show(const std::vector<ContractViolation>& all) {
  std::vector<std::string> lines;
  for (const ContractViolation& one : all)
    lines.push_back((one.is_first_in_engine ? "*" : "") + one.id + ": " + one.message);
  return lines;
}

TEST(ContractChecker, ALegalCallBreaksNothingAndAllocatesNothing) {
  const PrefillMetadata metadata = PrefillMetadata::legal();
  const BoundCall bound(metadata);
  const CompiledContract& contract = prefill();
  const std::size_t before = test::allocation_count();
  EXPECT_TRUE(is_plainly_legal(contract, bound.call(), ContractProfile::both));
  const auto found = check_contract(contract, bound.call(), ContractProfile::both);
  const std::size_t after = test::allocation_count();
  EXPECT_THAT(show(found), IsEmpty());
  EXPECT_EQ(after - before, 0U);
}

TEST(ContractChecker, SaysWhatWasExpectedAndFoundWhereAndWhichRecord) {
  PrefillMetadata metadata = PrefillMetadata::legal();
  metadata["kv"].dtype = test::kBfloat16;
  const auto found = violations(metadata);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].id, "kv-dtype");
  EXPECT_EQ(found[0].argument, "kv");
  EXPECT_EQ(found[0].expected, "torch.float8_e4m3fn");
  EXPECT_EQ(found[0].found, "torch.bfloat16");
  EXPECT_EQ(found[0].message, "kv must be torch.float8_e4m3fn, got torch.bfloat16");
  EXPECT_EQ(found[0].error, "f1f5ada3bbfdb861");
  EXPECT_EQ(found[0].raises, "ValueError");
  EXPECT_TRUE(found[0].is_worded);
  EXPECT_TRUE(found[0].span.is_known());
}

TEST(ContractChecker, ReportsEverythingInTheEnginesOrder) {
  PrefillMetadata metadata = PrefillMetadata::legal();
  metadata["indices"].dtype = test::kFloat32;
  metadata["q_scale"].shape = {2};
  metadata["kv_scale"].device = {1, 0};
  metadata["out"].dtype = test::kFloat16;
  metadata["lse"].strides = {1, 4};
  metadata.d_v = 256;
  EXPECT_THAT(
      show(violations(metadata)),
      ElementsAre("*indices-dtype: indices must be int32, got torch.float32",
                  "value-width: sparse_mla_q8kv8_prefill_fwd only supports d_v=512, got 256",
                  "scale-is-scalar: q_scale must be a scalar tensor, got shape (2,)",
                  "scale-on-cuda: kv_scale must be a CUDA tensor",
                  "scale-on-same-device: kv_scale must be on q's device cuda:0, got cpu",
                  "output-shape: out must have shape (4, 128, 256), got (4, 128, 512)",
                  "output-dtype: out must have dtype torch.bfloat16, got torch.float16",
                  "output-contiguous: lse must be contiguous"));
}

TEST(ContractChecker, SafetyNeedsNoCudaAndTheEngineNoByteRanges) {
  PrefillMetadata metadata = PrefillMetadata::legal();
  for (auto& [name, meta] : metadata.tensors) meta->device = {1, 0};
  EXPECT_THAT(violations(metadata, ContractProfile::safety), IsEmpty());
  EXPECT_EQ(violations(metadata, ContractProfile::engine).size(), 7U);

  metadata = PrefillMetadata::legal();
  metadata["lse"].address = metadata["max_logits"].address + 4;
  EXPECT_THAT(violations(metadata, ContractProfile::engine), IsEmpty());
  EXPECT_THAT(show(violations(metadata, ContractProfile::safety)),
              ElementsAre("outputs-distinct: out, max_logits and lse must not alias each other"));
}

TEST(ContractChecker, SaysWhatTheEngineDoesNotCheckInItsOwnWords) {
  PrefillMetadata metadata = PrefillMetadata::legal();
  metadata["q"].byte_offset = 8;
  metadata["kv"].address = 0;
  metadata["out"].address = metadata["indices"].address;
  metadata["lse"].address += 2;
  EXPECT_THAT(show(violations(metadata)),
              ElementsAre("table/aligned: q must be aligned to 16 bytes, got address 0x100000008",
                          "table/null: kv must not be a null pointer",
                          "table/aligned: lse must be aligned to 4 bytes, got address 0xa00000002",
                          "table/overlap: out must not overlap indices"));
}

TEST(ContractChecker, AWrongRankHidesOnlyWhatReadsItsDimensions) {
  PrefillMetadata metadata = PrefillMetadata::legal();
  metadata["q"].shape = {4, 576};
  metadata["topk_length"].dtype = test::kFloat32;
  metadata["kv"].shape = {64, 2, 576};
  EXPECT_THAT(show(violations(metadata)),
              ElementsAre("*q-rank: q must have shape (s_q, h_q, d_qk), got (4, 576)",
                          "one-kv-head: sparse_mla_q8kv8_prefill_fwd requires h_kv=1, got 2",
                          "indices-shape: indices must have shape (s_q, 2, 128), got (4, 1, 128)",
                          "topk-length-form: topk_length must be torch.int32, got torch.float32"));
}

TEST(ContractChecker, ExtentsNearTheEndOfIntegersAreRefused) {
  for (const std::int64_t extent :
       {std::int64_t{-1}, std::int64_t{1} << 31, std::numeric_limits<std::int64_t>::max(),
        std::numeric_limits<std::int64_t>::min()}) {
    PrefillMetadata metadata = PrefillMetadata::legal();
    metadata["kv"].shape[0] = extent;
    EXPECT_FALSE(violations(metadata, ContractProfile::safety).empty()) << extent;
  }
  PrefillMetadata metadata = PrefillMetadata::legal();
  metadata["q"].byte_offset = std::numeric_limits<std::uint64_t>::max() - 15;
  EXPECT_THAT(show(violations(metadata)),
              ElementsAre(testing::StartsWith("table/extents: q must have extents from 0")));
}

TEST(ContractChecker, ATensorThatMustBeGivenIsMissed) {
  PrefillMetadata metadata = PrefillMetadata::legal();
  metadata.tensors["kv"].reset();
  metadata.tensors["q_scale"].reset();
  EXPECT_THAT(show(violations(metadata)),
              ElementsAre("*scale-is-tensor: q_scale must be a torch.Tensor",
                          "table/is_tensor: kv must be given"));
}

// A cache of pages: strides, "at least", computed extents, a double scalar, a back end.
constexpr const char* kPaged = R"yaml(
kernel: paged
title: Paged
repository: toy/engine
summary: Reads pages.
source: {file: a.py, sha: 0123abcd, raises: AssertionError}
dimensions: {pages: pages, rows: rows}
tensors:
  cache: {dtype: [uint8, int8], shape: [pages, rows, 16], strides: [any, 16, 1]}
  table: {dtype: int32, shape: [{at_least: rows + 1}, 2 * width]}
  twin: {optional: true, dtype: int32, shape: [rows]}
scalars: {width: {type: int, default: 4}, scale: {type: double}}
clauses:
  - {id: scale-positive, profile: both, require: scale > 0.0, message: "scale must be positive, got {scale}", raises: TypeError}
  - {id: gpu-only, profile: both, back_ends: sm90, require: pages > 1, message: "pages={pages}"}
  - {id: apart, profile: both, check: no_alias, of: [cache, table], message: cache and table must differ}
)yaml";

class PagedContract : public testing::Test {
 protected:
  PagedContract() : contract_(compile_text(sources_, "paged.yaml", kPaged)) {}

  std::vector<std::string> violations(std::string_view back_end = "cpu") {
    const auto view = [](const Meta& meta) {
      return TensorView{reinterpret_cast<const void*>(meta.address),
                        meta.dtype,
                        meta.device,
                        meta.shape,
                        meta.strides,
                        meta.byte_offset};
    };
    const std::array<TensorView, 2> views{view(cache_), view(table_)};
    const std::array<const TensorView*, 3> pointers{&views[0], &views[1], nullptr};
    return show(check_contract(contract_, {pointers, scalars_, back_end}, ContractProfile::both));
  }

  SourceSet sources_;
  CompiledContract contract_;
  Meta cache_{4096, {1, 8, 1}, {}, {1, 4, 16}, {4096, 16, 1}, 0};
  Meta table_{65536, test::kInt32, {}, {9, 8}, {}, 0};
  std::array<Value, 2> scalars_{Value::null(), Value::real(1.0)};
};

TEST_F(PagedContract, TakesStridesBoundsAndComputedExtents) {
  EXPECT_THAT(violations(), IsEmpty());
  cache_.strides = {};
  EXPECT_THAT(violations(), IsEmpty());
  cache_.strides = {4096, 32, 1};
  table_.shape = {4, 9};
  EXPECT_THAT(
      violations(),
      ElementsAre("table/contiguous: cache must have strides (any, 16, 1), got (4096, 32, 1)",
                  "table/shape: table must have shape (at least 5, 8), got (4, 9)"));
}

TEST_F(PagedContract, RefusesNegativeStridesThatTheTableLeavesOpen) {
  cache_.shape[0] = 2;
  cache_.strides[0] = -4096;
  EXPECT_THAT(violations(), ElementsAre("table/negative_stride: cache must not have a negative "
                                        "stride, got strides (-4096, 16, 1)"));
}

TEST_F(PagedContract, WantsEveryScalarOfItsType) {
  scalars_ = {Value::real(4.0), Value::null()};
  EXPECT_THAT(violations(), ElementsAre("table/scalar: width must be given as int, got 4.0",
                                        "table/scalar: scale must be given as double, got None"));
  scalars_ = {Value::null(), Value::integer(-1)};
  EXPECT_THAT(violations(), ElementsAre("*scale-positive: scale must be positive, got -1.0"));
}

TEST_F(PagedContract, AnExtentThatCannotBeComputedDoesNotHold) {
  scalars_[0] = Value::integer(std::numeric_limits<std::int64_t>::max());
  EXPECT_THAT(violations(), ElementsAre("table/shape: table must have shape (at least 5, 2 * "
                                        "width), got (9, 8)"));
}

TEST_F(PagedContract, LeavesOutClausesOfOtherBackEndsAndInputsMayNotAliasWhereAClauseSaysSo) {
  EXPECT_THAT(violations("cpu"), IsEmpty());
  EXPECT_THAT(violations("sm90"), ElementsAre("*gpu-only: pages=1"));
  table_.address = cache_.address;
  EXPECT_THAT(violations(), ElementsAre("*apart: cache and table must differ"));
}

TEST(ContractChecker, AgreesWithChecksWrittenByHandOnRandomCalls) {
  std::mt19937_64 random(20);
  std::size_t legal = 0;
  std::size_t stopped = 0;
  const int rounds = 20000 / static_cast<int>(test::sample_step());
  for (int round = 0; round < rounds; ++round) {
    const PrefillMetadata metadata = test::random_prefill_call(random);
    const BoundCall bound(metadata);
    const auto found = check_contract(prefill(), bound.call(), ContractProfile::both);
    std::string stop;
    bool is_safe = true;
    for (const ContractViolation& one : found) {
      if (one.is_first_in_engine) stop = one.message;
      if (includes(one.profile, ContractProfile::safety)) is_safe = false;
    }
    ASSERT_EQ(stop, test::engine_stops_with(metadata)) << "round " << round;
    ASSERT_EQ(is_safe, test::is_memory_safe(metadata))
        << "round " << round << ": " << testing::PrintToString(show(found));
    ASSERT_EQ(found.empty(), is_plainly_legal(prefill(), bound.call(), ContractProfile::both))
        << "round " << round << ": " << testing::PrintToString(show(found));
    ASSERT_EQ(is_safe, is_plainly_legal(prefill(), bound.call(), ContractProfile::safety));
    legal += found.empty();
    stopped += !stop.empty();
  }
  EXPECT_GT(legal, static_cast<std::size_t>(rounds) / 4);
  EXPECT_GT(stopped, static_cast<std::size_t>(rounds) / 4);
}

}  // namespace
}  // namespace assay
