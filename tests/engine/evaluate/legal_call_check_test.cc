// The two halves of checking a call, held against each other on random calls of every contract that
// is shipped, and of one with what those lack: what is recognised as legal breaks nothing by the
// half that words what is wrong, and by shapes, types and places that are lawful no call is missed.
#include "engine/evaluate/legal_call_check.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>

#include "engine/evaluate/contract_checker.h"
#include "engine/evaluate/value_text.h"
#include "engine/model/tensor_text.h"
#include "engine/read/contract_reader.h"
#include "engine/text/file_system.h"
#include "tests/engine/evaluate/prefill_metadata.h"
#include "tests/support/sample.h"

namespace assay {
namespace {

using test::Meta;

// Ranks 1 to 5, an extent that is a number, a scalar and none, several types, what stands first may
// be left out, a boolean scalar, clauses of one back end and profile each.
constexpr const char* kManyForms = R"yaml(
kernel: forms
title: Forms
repository: toy/engine
summary: Takes every form of a tensor.
source: {file: a.py, sha: 0123abcd, raises: AssertionError}
dimensions: {n: n, m: m}
tensors:
  first: {optional: true, dtype: int8, shape: [n, m, 4, width, 1]}
  quad: {dtype: float16, shape: [n, m, 4, width], alignment: 64, device: cuda}
  row: {optional: true, output: true, dtype: float32, shape: [m]}
  either: {dtype: [int32, int64], shape: [n]}
  any: {optional: true, shape: [n, 2 * m]}
  one: {optional: true, dtype: float64, elements: 1, device: cuda}
  few: {optional: true, output: true, dtype: uint8, elements: 16}
scalars: {width: {type: int, default: 8}, flag: {type: bool, default: false}, scale: {type: double}}
clauses:
  - {id: a, profile: safety, require: n % 2 == 0 && m > 0 && m > 1, message: m}
  - {id: b, profile: engine, require: n % 4 == 0, message: m}
  - {id: c, profile: both, back_ends: sm90, require: n == 4, message: m}
  - {id: d, profile: both, require: "m in [2, 3, 64] && (!flag || has(row))", message: m}
  - {id: e, profile: safety, check: device, of: quad, message: m}
  - {id: f, profile: engine, check: no_alias, of: [quad, either], message: m}
)yaml";

struct BothHalves {
  SourceSet sources;
  CompiledContract fast;
  CompiledContract slow;  // the same, of which no call is plainly legal
};

std::unique_ptr<BothHalves> compile_both(const std::string& name, const std::string& text) {
  auto both = std::make_unique<BothHalves>();
  for (CompiledContract* one : {&both->fast, &both->slow}) {
    auto read = read_contract(both->sources, both->sources.add(name, text));
    EXPECT_TRUE(read.has_value()) << name << (read ? "" : ": " + read.error()[0].message);
    if (!read) return nullptr;
    auto compiled = compile_contract(std::move(*read));
    EXPECT_TRUE(compiled.has_value())
        << name << (compiled ? "" : ": " + compiled.error()[0].message);
    if (!compiled) return nullptr;
    *one = std::move(*compiled);
  }
  both->slow.plan.is_integral = false;
  return both;
}

class RandomCall {
 public:
  RandomCall(const CompiledContract& contract, std::uint64_t seed)
      : contract_(contract), random_(seed) {}

  KernelCall draw() {
    draw_numbers();
    metas_.clear();
    for (std::size_t i = 0; i < contract_.plan.tensors.size(); ++i) metas_.push_back(lawful(i));
    for (auto changes = below(2) == 0 ? 0 : 1 + below(3); changes > 0; --changes)
      if (auto& meta = metas_[below(metas_.size())]) change(*meta);
    views_.assign(metas_.size(), {});
    pointers_.assign(metas_.size(), nullptr);
    for (std::size_t i = 0; i < metas_.size(); ++i) {
      if (!metas_[i]) continue;
      const Meta& meta = *metas_[i];
      views_[i] = {reinterpret_cast<const void*>(meta.address),
                   meta.dtype,
                   meta.device,
                   meta.shape,
                   meta.strides,
                   meta.byte_offset};
      pointers_[i] = &views_[i];
    }
    return {pointers_, scalars_, below(2) == 0 ? "cpu" : "sm90"};
  }

 private:
  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
  template <class... Options>
  std::int64_t pick(Options... options) {
    const std::int64_t all[] = {options...};
    return all[below(std::size(all))];
  }

  void draw_numbers() {
    const ContractPlan& plan = contract_.plan;
    slots_.assign(kFastSlots, 0);
    for (std::size_t i = 0; i < plan.first_scalar; ++i)
      slots_[i] = pick(1, 2, 3, 4, 16, 64, 128, 128, 512, 576, 7168);
    scalars_.clear();
    for (std::size_t i = 0; i < contract_.source.scalars.size(); ++i) {
      const ContractScalar& law = contract_.source.scalars[i];
      std::int64_t number = pick(0, 1, 2, 8, 16, 64, 128, 512);
      if (law.type.kind == TypeKind::boolean) number %= 2;
      const bool is_left_out = law.default_value && below(2) == 0;
      if (is_left_out && law.default_value->kind == NodeKind::integer)
        number = law.default_value->integer;
      if (is_left_out && law.default_value->kind == NodeKind::boolean)
        number = law.default_value->boolean;
      slots_[plan.first_scalar + i] = number;
      scalars_.push_back(is_left_out                          ? Value::null()
                         : law.type.kind == TypeKind::boolean ? Value::boolean(number != 0)
                         : law.type.kind == TypeKind::integer ? Value::integer(number)
                                                              : Value::real(1.0));
    }
  }

  std::optional<Meta> lawful(std::size_t index) {
    const ContractTensor& law = contract_.source.tensors[index];
    const PlannedTensor& planned = contract_.plan.tensors[index];
    if (law.is_optional && below(3) == 0) return std::nullopt;
    Meta meta;
    meta.address = (index + 1) << 40U;
    meta.device = {kCudaDeviceType, 0};
    meta.dtype =
        planned.dtypes.empty() ? test::kFloat32 : planned.dtypes[below(planned.dtypes.size())];
    if (law.elements) meta.shape.assign(below(2) + (*law.elements == 1 ? 0 : 1), 1);
    if (law.elements && *law.elements != 1) meta.shape.back() = *law.elements;
    for (const PlannedExtent& extent : planned.extents)
      meta.shape.push_back(
          extent.expression ? extent.expression->run_known(slots_.data()).value_or(1) : 1);
    for (std::size_t axis = 0; axis < planned.extents.size(); ++axis)
      if (planned.extents[axis].is_at_least) meta.shape[axis] += pick(0, 1);
    if (below(3) != 0 || !law.is_contiguous) stride(planned, meta);
    return meta;
  }

  void stride(const PlannedTensor& planned, Meta& meta) {
    meta.strides.assign(meta.shape.size(), 1);
    std::int64_t next = 1;
    for (std::size_t axis = meta.shape.size(); axis-- > 0;) {
      meta.strides[axis] = next;
      if (axis < planned.strides.size() && planned.strides[axis].expression)
        meta.strides[axis] = planned.strides[axis].expression->run_known(slots_.data()).value_or(1);
      if (meta.shape[axis] == 1 && below(2) == 0) meta.strides[axis] = pick(0, -1, 77);
      if (__builtin_mul_overflow(next, meta.shape[axis], &next)) next = 1;
    }
  }

  void change(Meta& meta) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    const std::size_t axis = meta.shape.empty() ? 0 : below(meta.shape.size());
    switch (below(8)) {
      case 0:
        if (!meta.shape.empty())
          meta.shape[axis] = pick(0, 1, 2, -1, 64, std::int64_t{1} << 31, std::int64_t{1} << 62,
                                  kMost, -kMost - 1);
        break;
      case 1:
        if (!meta.strides.empty()) meta.strides[axis] = pick(0, 1, -1, 2, 16, kMost);
        break;
      case 2:
        meta.dtype = below(2) == 0 ? test::kInt32 : test::kFloat32;
        break;
      case 3:
        meta.device = {static_cast<std::int32_t>(pick(1, 2)),
                       static_cast<std::int32_t>(pick(0, 1))};
        break;
      case 4:
        meta.address = static_cast<std::uint64_t>(pick(0, 64, -64, 1LL << 40, 2LL << 40));
        break;
      case 5:
        meta.byte_offset = static_cast<std::uint64_t>(pick(1, 2, 4, 8, 16, 64, -1));
        break;
      case 6:
        meta.shape.push_back(1);
        if (!meta.strides.empty()) meta.strides.push_back(1);
        break;
      default:
        if (!meta.shape.empty()) meta.shape.pop_back();
    }
  }

  const CompiledContract& contract_;
  std::mt19937_64 random_;
  std::vector<std::int64_t> slots_;
  std::vector<Value> scalars_;
  std::vector<std::optional<Meta>> metas_;
  std::vector<TensorView> views_;
  std::vector<const TensorView*> pointers_;
};

std::string text_of(const KernelCall& call) {
  std::string text;
  for (const TensorView* const view : call.tensors)
    text += view == nullptr ? "none; "
                            : fmt::format("{} {} on {} at {:#x} {}; ", dtype_text(view->dtype),
                                          shape_text(view->shape), device_text(view->device),
                                          view->address(), shape_text(view->strides));
  for (const Value& scalar : call.scalars) text += python_repr(scalar) + " ";
  return text;
}

// What the fast half leaves to the other although nothing may be wrong (kernel_call.h): tensors
// without an element, strides that are not given where they are not those of a packed tensor, and
// what only the table refuses, by which the engine does not stop.
bool is_left_to_the_slow_half(const CompiledContract& contract, const KernelCall& call,
                              ContractProfile profile) {
  if (profile == ContractProfile::engine) return true;
  for (std::size_t i = 0; i < call.tensors.size(); ++i) {
    const TensorView* const view = call.tensors[i];
    if (view == nullptr) continue;
    if (has_no_element(*view)) return true;
    if (!contract.source.tensors[i].is_contiguous && view->strides.empty()) return true;
  }
  return false;
}

// How many of `rounds` calls were legal for safety.
std::size_t compare_halves(const BothHalves& both, int rounds, std::uint64_t seed) {
  RandomCall random(both.fast, seed);
  std::size_t legal = 0;
  for (int round = 0; round < rounds; ++round) {
    const KernelCall call = random.draw();
    for (const ContractProfile profile :
         {ContractProfile::safety, ContractProfile::engine, ContractProfile::both}) {
      const bool is_legal = is_plainly_legal(both.fast, call, profile);
      const auto found = check_contract(both.slow, call, profile);
      const bool is_left = found.empty() && is_left_to_the_slow_half(both.fast, call, profile);
      EXPECT_TRUE(is_legal == found.empty() || is_left)
          << both.fast.source.kernel << ", round " << round << ": "
          << (found.empty() ? "not recognised" : found[0].message) << " " << text_of(call);
      if (is_legal != found.empty() && !is_left) return legal;
      legal += profile == ContractProfile::safety && is_legal;
    }
  }
  return legal;
}

TEST(LegalCallCheck, AgreesWithTheSlowHalfOnEveryFormOfATensor) {
  const auto both = compile_both("forms.yaml", kManyForms);
  ASSERT_TRUE(both != nullptr);
  ASSERT_TRUE(both->fast.plan.is_integral);
  const int rounds = 40000 / static_cast<int>(test::sample_step());
  EXPECT_GT(compare_halves(*both, rounds, 5), static_cast<std::size_t>(rounds) / 50);
}

TEST(LegalCallCheck, AsksForTheKindOfDeviceWhereAClauseOfTheSafetyProfileDoes) {
  const auto both = compile_both("device.yaml", R"yaml(
kernel: device
title: Device
repository: toy/engine
summary: Wants a GPU.
source: {file: a.py, sha: 0123abcd}
dimensions: {n: n}
tensors:
  x: {dtype: int32, shape: [n], device: cuda}
clauses:
  - {id: on-gpu, profile: safety, check: device, of: x, message: x must be on a GPU}
)yaml");
  ASSERT_TRUE(both != nullptr);
  const std::array<std::int64_t, 1> shape{4};
  const TensorView view{
      reinterpret_cast<const void*>(64), test::kInt32, {kCpuDeviceType, 0}, shape, {}, 0};
  const std::array<const TensorView*, 1> tensors{&view};
  const auto found = check_contract(both->fast, {tensors, {}, {}}, ContractProfile::safety);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].message, "x must be on a GPU");
}

TEST(LegalCallCheck, AgreesWithTheSlowHalfOnEveryShippedContract) {
  std::size_t contracts = 0;
  std::size_t with_legal_calls = 0;
  for (const auto& file :
       std::filesystem::directory_iterator(std::string(ASSAY_SOURCE_DIR) + "/rules/kernels")) {
    if (file.path().extension() != ".yaml") continue;
    const auto text = DiskFileSystem().read_file(file.path().string(), 1u << 20);
    const auto both = compile_both(file.path().filename().string(), text.value());
    ASSERT_TRUE(both != nullptr);
    ++contracts;
    if (!both->fast.plan.is_integral) continue;
    with_legal_calls += compare_halves(*both, 2000 / static_cast<int>(test::sample_step()), 6) > 0;
  }
  EXPECT_GE(contracts, 20U);
  EXPECT_GE(with_legal_calls, 5U);
}

}  // namespace
}  // namespace assay
