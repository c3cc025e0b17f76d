// What it costs to hold a legal call of sparse_mla_q8kv8_prefill_fwd, all ten tensors with strides,
// against the safety profile: as C++ made from the contract, as a contract loaded at run time, and
// as the same checks written by hand; then the first two through the C interface, from DLPack's
// structures, as a launch would ask. None of them allocates.
#include <benchmark/benchmark.h>

#include <array>
#include <string>
#include <vector>

#include "engine/bindings/c/assay.h"
#include "engine/evaluate/contract_checker.h"
#include "engine/model/tensor_geometry.h"
#include "engine/read/contract_reader.h"
#include "kernels/generated/sparse_mla_q8kv8_prefill_fwd_contract.h"

namespace assay {
namespace {

namespace built_in = contracts::sparse_mla_q8kv8_prefill_fwd;

constexpr ElementType kInt32{0, 32, 1};
constexpr ElementType kFloat32{2, 32, 1};
constexpr ElementType kBfloat16{4, 16, 1};
constexpr ElementType kFloat8{10, 8, 1};

// The tensors in the contract's order.
struct LegalCall {
  LegalCall() {
    add(0, kFloat8, {64, 128, 576});
    add(1, kFloat8, {8192, 1, 576});
    add(2, kInt32, {64, 1, 2048});
    add(3, kInt32, {64});
    add(4, kFloat32, {128});
    add(5, kFloat32, {1});
    add(6, kFloat32, {1});
    add(7, kBfloat16, {64, 128, 512});
    add(8, kFloat32, {64, 128});
    add(9, kFloat32, {64, 128});
  }

  void add(std::size_t index, ElementType dtype, std::vector<std::int64_t> shape) {
    shapes[index] = std::move(shape);
    strides[index].assign(shapes[index].size(), 1);
    for (std::size_t axis = shapes[index].size(); axis-- > 1;)
      strides[index][axis - 1] = strides[index][axis] * shapes[index][axis];
    views[index] = {reinterpret_cast<const void*>((index + 1) << 32U),
                    dtype,
                    {kCudaDeviceType, 0},
                    shapes[index],
                    strides[index],
                    0};
    pointers[index] = &views[index];
  }

  std::array<std::vector<std::int64_t>, 10> shapes;
  std::array<std::vector<std::int64_t>, 10> strides;
  std::array<TensorView, 10> views;
  std::array<const TensorView*, 10> pointers;
};

// As somebody would write it: one function for a tensor, called ten times.
struct Block {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

template <std::size_t Rank>
bool is_block(const TensorView& tensor, ElementType dtype, Device device,
              const std::array<std::int64_t, Rank>& shape, std::uintptr_t alignment, Block& block) {
  if (tensor.dtype != dtype || tensor.device != device || tensor.shape.size() != Rank) return false;
  if (!tensor.strides.empty() && tensor.strides.size() != Rank) return false;
  std::int64_t elements = 1;
  for (std::size_t axis = Rank; axis-- > 0;) {
    if (tensor.shape[axis] != shape[axis] || shape[axis] < 1 || shape[axis] > kMaxExtent)
      return false;
    if (!tensor.strides.empty() && tensor.strides[axis] != elements && shape[axis] != 1)
      return false;
    if (__builtin_mul_overflow(elements, shape[axis], &elements)) return false;
  }
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(elements, dtype.size_bytes(), &bytes)) return false;
  block.begin = tensor.address();
  block.end = block.begin + static_cast<std::uintptr_t>(bytes);
  return tensor.data != nullptr && block.end > block.begin && block.begin >= tensor.byte_offset &&
         block.begin % alignment == 0;
}

bool is_scale(const TensorView& scale, Device device, Block& block) {
  if (scale.dtype != kFloat32 || scale.device != device || element_count(scale.shape) != 1 ||
      !is_contiguous(scale))
    return false;
  block = {scale.address(), scale.address() + 4};
  return scale.data != nullptr && block.end > block.begin && block.begin >= scale.byte_offset &&
         block.begin % 4 == 0;
}

bool is_safe_by_hand(const std::array<const TensorView*, 10>& t, std::int64_t d_v) {
  if (t[0] == nullptr || t[1] == nullptr || t[2] == nullptr || t[5] == nullptr || t[6] == nullptr)
    return false;
  const TensorView& q = *t[0];
  if (q.shape.size() != 3 || t[1]->shape.size() != 3 || t[2]->shape.size() != 3) return false;
  const std::int64_t s_q = q.shape[0];
  const std::int64_t h_q = q.shape[1];
  const std::int64_t d_qk = q.shape[2];
  const std::int64_t s_kv = t[1]->shape[0];
  const std::int64_t topk = t[2]->shape[2];
  if (s_q < 1 || s_kv < 1 || h_q < 1 || h_q % 64 != 0 || (d_qk != 512 && d_qk != 576) || topk < 1 ||
      topk % 128 != 0 || d_v != 512)
    return false;
  std::array<Block, 10> blocks;
  const Device device = q.device;
  if (!is_block<3>(q, kFloat8, device, {s_q, h_q, d_qk}, 16, blocks[0]) ||
      !is_block<3>(*t[1], kFloat8, device, {s_kv, 1, d_qk}, 16, blocks[1]) ||
      !is_block<3>(*t[2], kInt32, device, {s_q, 1, topk}, 16, blocks[2]))
    return false;
  if (t[3] != nullptr && !is_block<1>(*t[3], kInt32, device, {s_q}, 4, blocks[3])) return false;
  if (t[4] != nullptr && !is_block<1>(*t[4], kFloat32, device, {h_q}, 4, blocks[4])) return false;
  if (!is_scale(*t[5], device, blocks[5]) || !is_scale(*t[6], device, blocks[6])) return false;
  if (t[7] != nullptr && !is_block<3>(*t[7], kBfloat16, device, {s_q, h_q, d_v}, 16, blocks[7]))
    return false;
  for (const std::size_t output : {8U, 9U})
    if (t[output] != nullptr &&
        !is_block<2>(*t[output], kFloat32, device, {s_q, h_q}, 4, blocks[output]))
      return false;
  for (std::size_t output = 7; output < 10; ++output)
    for (std::size_t other = 0; other < output; ++other)
      if (blocks[output].begin < blocks[other].end && blocks[other].begin < blocks[output].end)
        return false;
  return true;
}

void generated(benchmark::State& state) {
  LegalCall call;
  auto& t = call.pointers;
  for (auto _ : state) {
    benchmark::DoNotOptimize(t);
    benchmark::ClobberMemory();
    const bool is_safe = built_in::is_plainly_safe<ViewAccess>(t[0], t[1], t[2], t[3], t[4], t[5],
                                                               t[6], t[7], t[8], t[9], 0.04, 512);
    if (!is_safe) return state.SkipWithError("the call is legal");
  }
}
BENCHMARK(generated);

void written_by_hand(benchmark::State& state) {
  LegalCall call;
  for (auto _ : state) {
    benchmark::DoNotOptimize(call.pointers);
    benchmark::ClobberMemory();
    if (!is_safe_by_hand(call.pointers, 512)) return state.SkipWithError("the call is legal");
  }
}
BENCHMARK(written_by_hand);

void loaded(benchmark::State& state) {
  SourceSet sources;
  auto read = read_contract(
      sources, sources.add("sparse_mla_q8kv8_prefill_fwd.yaml", std::string(built_in::yaml())));
  if (!read) return state.SkipWithError("the contract cannot be read");
  const auto contract = compile_contract(std::move(*read));
  if (!contract) return state.SkipWithError("the contract does not compile");
  LegalCall call;
  const std::array<Value, 2> scalars{Value::real(0.04), Value::integer(512)};
  for (auto _ : state) {
    benchmark::DoNotOptimize(call.pointers);
    benchmark::ClobberMemory();
    const auto violations =
        check_contract(*contract, {call.pointers, scalars, {}}, ContractProfile::safety);
    if (!violations.empty()) return state.SkipWithError("the call is legal");
  }
}
BENCHMARK(loaded);

// The same call as DLPack's structures, on the processor, where the prefill that checks it runs.
struct DlpackCall {
  DlpackCall() {
    for (std::size_t i = 0; i < 10; ++i) {
      const TensorView& view = legal.views[i];
      DLTensor& tensor = tensors[i];
      tensor.data = const_cast<void*>(view.data);
      tensor.device = {kDLCPU, 0};
      tensor.ndim = static_cast<std::int32_t>(view.shape.size());
      tensor.dtype = {view.dtype.code, view.dtype.bits, view.dtype.lanes};
      tensor.shape = legal.shapes[i].data();
      tensor.strides = legal.strides[i].data();
      tensor.byte_offset = 0;
      pointers[i] = &tensor;
    }
  }

  LegalCall legal;
  std::array<DLTensor, 10> tensors{};
  std::array<const DLTensor*, 10> pointers{};
};

void generated_from_c(benchmark::State& state) {
  const DlpackCall call;
  const auto& t = call.pointers;
  const assay_prefill_call prefill{
      sizeof(prefill), t[0], t[1], t[2], t[5], t[6], t[3], t[4], t[7], t[8], t[9], 0.04, 512};
  for (auto _ : state) {
    char* report = nullptr;
    char* message = nullptr;
    benchmark::ClobberMemory();
    if (assay_prefill_check(&prefill, nullptr, &report, &message) != ASSAY_CLEAN)
      return state.SkipWithError("the call is legal");
  }
}
BENCHMARK(generated_from_c);

void loaded_from_c(benchmark::State& state) {
  assay_contract* contract = nullptr;
  const std::string_view yaml = built_in::yaml();
  if (assay_contract_load(yaml.data(), yaml.size(), &contract, nullptr) != ASSAY_CLEAN)
    return state.SkipWithError("the contract cannot be loaded");
  const DlpackCall call;
  std::array<assay_scalar, 2> scalars{};
  scalars[0].kind = ASSAY_REAL;
  scalars[0].value.real = 0.04;
  scalars[1].kind = ASSAY_INTEGER;
  scalars[1].value.integer = 512;
  for (auto _ : state) {
    char* report = nullptr;
    char* message = nullptr;
    benchmark::ClobberMemory();
    if (assay_contract_check(contract, call.pointers.data(), call.pointers.size(), scalars.data(),
                             scalars.size(), ASSAY_PROFILE_SAFETY, "cpu", &report,
                             &message) != ASSAY_CLEAN)
      return state.SkipWithError("the call is legal");
  }
  assay_contract_free(contract);
}
BENCHMARK(loaded_from_c);

}  // namespace
}  // namespace assay

BENCHMARK_MAIN();
