// Each launch takes the next of several input sets, so that none finds its inputs in L2. A shape's
// figure is the median; the spread is printed with it.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "kernels/sparse_mla_prefill/device_launch.h"
#include "tests/kernels/gpu/device_memory.h"
#include "tests/kernels/gpu/parts.h"

namespace assay::gpu_check {
namespace {

struct Shape {
  std::int64_t s_q, s_kv, h_q, d_qk, topk;
};
constexpr Shape kShapes[] = {{4096, 8192, 128, 576, 2048},
                             {4096, 32768, 128, 576, 2048},
                             {4096, 65536, 128, 576, 2048},
                             {4096, 8192, 64, 512, 512},
                             {4096, 32768, 64, 512, 512}};
constexpr int kSets = 3;
constexpr int kWarmUp = 6;
constexpr int kLaunches = 60;

struct InputSet {
  InputSet(const Shape& shape, std::uint32_t seed, const DeviceArray<float>& scales)
      : q(static_cast<std::size_t>(shape.s_q * shape.h_q * shape.d_qk)),
        kv(static_cast<std::size_t>(shape.s_kv * shape.d_qk)),
        indices(static_cast<std::size_t>(shape.s_q * shape.topk)),
        out(static_cast<std::size_t>(shape.s_q * shape.h_q * 512)),
        rows(static_cast<std::size_t>(2 * shape.s_q * shape.h_q)) {
    fill_values(q.data(), q.size(), seed);
    fill_values(kv.data(), kv.size(), seed + 1);
    fill_indices(indices.data(), indices.size(), static_cast<std::int32_t>(shape.s_kv), seed + 2);
    cuda::DeviceParams& params = launch.params;
    params.q = q.data();
    params.kv = kv.data();
    params.indices = indices.data();
    params.q_scale = params.kv_scale = scales.data();
    params.out = out.data();
    params.max_logits = rows.data();
    params.lse = rows.data() + shape.s_q * shape.h_q;
    params.s_kv = shape.s_kv;
    params.h_q = static_cast<std::uint32_t>(shape.h_q);
    params.topk = static_cast<std::uint32_t>(shape.topk);
    params.sm_scale = 1.0F / 24;
    launch.s_q = shape.s_q;
    launch.d_qk = shape.d_qk;
  }

  DeviceArray<std::uint8_t> q, kv;
  DeviceArray<std::int32_t> indices;
  DeviceArray<std::uint16_t> out;
  DeviceArray<float> rows;
  cuda::PrefillLaunch launch;
};

void run(const InputSet& inputs) {
  cuda::DeviceOutputs made;
  const auto fault = cuda::launch_prefill(*cuda::linked_cuda_runtime(), inputs.launch, made);
  if (!fault) return;
  std::fprintf(stderr, "%s. %s\n", fault->message.c_str(), fault->help.c_str());
  std::exit(3);
}

std::vector<float> times_of(const Shape& shape) {
  const DeviceArray<float> scales(std::vector<float>{1.0F});
  std::vector<InputSet> sets;
  sets.reserve(kSets);
  for (std::uint32_t set = 0; set < kSets; ++set) sets.emplace_back(shape, 10 * set, scales);
  std::vector<cudaEvent_t> events(kLaunches + 1);
  for (cudaEvent_t& event : events) require(cudaEventCreate(&event), "cudaEventCreate");
  for (int i = 0; i < kWarmUp; ++i) run(sets[static_cast<std::size_t>(i % kSets)]);
  require(cudaEventRecord(events.front()), "cudaEventRecord");
  for (std::size_t i = 0; i < kLaunches; ++i) {
    run(sets[i % kSets]);
    require(cudaEventRecord(events[i + 1]), "cudaEventRecord");
  }
  require(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  std::vector<float> milliseconds(kLaunches);
  for (std::size_t i = 0; i < kLaunches; ++i) {
    require(cudaEventElapsedTime(&milliseconds[i], events[i], events[i + 1]),
            "cudaEventElapsedTime");
  }
  for (const cudaEvent_t event : events) require(cudaEventDestroy(event), "cudaEventDestroy");
  std::sort(milliseconds.begin(), milliseconds.end());
  return milliseconds;
}

}  // namespace

void time_shapes() {
  std::printf("[");
  bool is_first = true;
  for (const Shape& shape : kShapes) {
    const std::vector<float> sorted = times_of(shape);
    const double flop = 2.0 * static_cast<double>(shape.s_q * shape.h_q * shape.topk) *
                        static_cast<double>(shape.d_qk + 512);
    const double median = double{sorted[sorted.size() / 2]};
    std::printf(
        "%s\n  {\"shape\": [%lld, %lld, %lld, %lld, %lld], \"median_ms\": %.4f, \"p10_ms\": %.4f, "
        "\"p90_ms\": %.4f, \"launches\": %d, \"tflops\": %.1f}",
        is_first ? "" : ",", static_cast<long long>(shape.s_q), static_cast<long long>(shape.s_kv),
        static_cast<long long>(shape.h_q), static_cast<long long>(shape.d_qk),
        static_cast<long long>(shape.topk), median, double{sorted[sorted.size() / 10]},
        double{sorted[sorted.size() * 9 / 10]}, kLaunches, flop / median / 1e9);
    std::fflush(stdout);
    is_first = false;
  }
  std::printf("\n]\n");
}

}  // namespace assay::gpu_check
