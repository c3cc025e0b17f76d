// How fast the CPU back ends of the sparse MLA prefill are, next to what the processor can do.
//
//   prefill_bench [--benchmark_repetitions=5 ...]
//
// For each back end: `peak` runs its multiply-add instruction in registers only, `prefill` a call
// of the timed shape. Rates are GFLOP/s of the two products (2 * s_q * h_q * topk * (d_qk + 512));
// gathering, decoding and the softmax are not counted, so a ratio of 1 cannot be reached. `of_peak`
// is the ratio of two rates taken one after the other, both by processor time of all threads, so
// that it holds on a machine that others use as well; GFLOP/s is by the clock on the wall.
// Inputs are random, never zeros.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "kernels/sparse_mla_prefill/cpu_dispatch.h"
#include "kernels/sparse_mla_prefill/fp8.h"
#include "kernels/sparse_mla_prefill/launch.h"

namespace assay::sparse_mla_prefill {
namespace {

struct Shape {
  std::int64_t s_q, s_kv, h_q, d_qk, topk;
  double operations() const {
    return 2.0 * static_cast<double>(s_q * h_q * topk * (d_qk + kValueColumns));
  }
};

// Tensors of one call, with outputs supplied.
struct Inputs {
  explicit Inputs(const Shape& shape)
      : q_shape{shape.s_q, shape.h_q, shape.d_qk},
        kv_shape{shape.s_kv, 1, shape.d_qk},
        indices_shape{shape.s_q, 1, shape.topk},
        out_shape{shape.s_q, shape.h_q, kValueColumns},
        rows_shape{shape.s_q, shape.h_q} {
    std::mt19937 random(1);
    std::normal_distribution<float> normal;
    const auto fill = [&](std::vector<std::uint8_t>& values, std::int64_t count) {
      values.resize(static_cast<std::size_t>(count));
      for (auto& value : values) value = encode_e4m3(normal(random));
    };
    fill(q, shape.s_q * shape.h_q * shape.d_qk);
    fill(kv, shape.s_kv * shape.d_qk);
    indices.resize(static_cast<std::size_t>(shape.s_q * shape.topk));
    std::uniform_int_distribution<std::int32_t> token(0, static_cast<std::int32_t>(shape.s_kv) - 1);
    for (auto& index : indices) index = token(random);
    out.resize(static_cast<std::size_t>(shape.s_q * shape.h_q * kValueColumns));
    rows.resize(static_cast<std::size_t>(2 * shape.s_q * shape.h_q));
    arguments.q = {q.data(), kFloat8E4m3fn, kCpu, q_shape, {}};
    arguments.kv = {kv.data(), kFloat8E4m3fn, kCpu, kv_shape, {}};
    arguments.indices = {indices.data(), kInt32, kCpu, indices_shape, {}};
    arguments.q_scale = arguments.kv_scale = {&scale, kFloat32, kCpu, {}, {}};
    arguments.sm_scale = static_cast<float>(1 / std::sqrt(static_cast<double>(shape.d_qk)));
    arguments.out = TensorView{out.data(), kBfloat16, kCpu, out_shape, {}};
    arguments.max_logits = TensorView{rows.data(), kFloat32, kCpu, rows_shape, {}};
    arguments.lse = TensorView{rows.data() + rows.size() / 2, kFloat32, kCpu, rows_shape, {}};
  }

  float scale = 1;
  std::vector<std::uint8_t> q, kv;
  std::vector<std::int32_t> indices;
  std::vector<std::uint16_t> out;
  std::vector<float> rows;
  std::int64_t q_shape[3], kv_shape[3], indices_shape[3], out_shape[3], rows_shape[2];
  PrefillArguments arguments;
};

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Operations per processor second; the best of some short runs.
double measure_peak(const CpuKernels& kernels) {
  double best = 0;
  for (int run = 0; run < 5; ++run) {
    const double start = processor_seconds();
    const double operations = kernels.run_at_peak(2'000'000);
    best = std::max(best, operations / (processor_seconds() - start));
  }
  return best;
}

void run_peak(benchmark::State& state, const CpuKernels& kernels) {
  double operations = 0;
  for (auto _ : state) operations += kernels.run_at_peak(1'000'000);
  state.counters["GFLOP/s"] = benchmark::Counter(operations * 1e-9, benchmark::Counter::kIsRate);
}

void run_shape(benchmark::State& state, const CpuKernels& kernels, const Shape& shape,
               unsigned threads) {
  Inputs inputs(shape);
  PrefillOptions options;
  options.kernels = &kernels;
  options.threads = threads;
  const double peak = measure_peak(kernels);
  double best_wall = 1e9;
  double best_processor = 1e9;
  for (auto _ : state) {
    const double wall = wall_seconds();
    const double processor = processor_seconds();
    const PrefillResult result = run_prefill(inputs.arguments, options);
    best_wall = std::min(best_wall, wall_seconds() - wall);
    best_processor = std::min(best_processor, processor_seconds() - processor);
    if (result.outcome != PrefillOutcome::done) state.SkipWithError("the call was refused");
    benchmark::ClobberMemory();
  }
  state.counters["GFLOP/s"] = shape.operations() / best_wall * 1e-9;
  state.counters["of_peak"] = shape.operations() / best_processor / peak;
}

void register_back_end(const CpuKernels& kernels) {
  const std::string name(kernels.name);
  benchmark::RegisterBenchmark(("peak/" + name).c_str(), run_peak, kernels);
  const Shape wide{64, 8192, 128, 576, 2048};
  const Shape narrow{64, 8192, 64, 512, 512};
  const auto add = [&](const std::string& label, const Shape& shape, unsigned threads) {
    benchmark::RegisterBenchmark(
        ("prefill/" + name + "/" + label).c_str(),
        [=, &kernels](benchmark::State& state) { run_shape(state, kernels, shape, threads); })
        ->Unit(benchmark::kMillisecond)
        ->UseRealTime()
        ->MinTime(1.5);
  };
  add("64x8192x128x576x2048/threads:1", wide, 1);
  add("64x8192x64x512x512/threads:1", narrow, 1);
  const unsigned all = std::thread::hardware_concurrency();
  if (all > 1) add("64x8192x128x576x2048/threads:" + std::to_string(all), wide, all);
}

}  // namespace
}  // namespace assay::sparse_mla_prefill

int main(int argc, char** argv) {
  for (const auto* kernels : assay::sparse_mla_prefill::available_cpu_kernels()) {
    assay::sparse_mla_prefill::register_back_end(*kernels);
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
