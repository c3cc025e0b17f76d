// What the GPU reaches at best, in the same run as the kernel: wgmma as the kernel issues it
// (m64n64k32, A in registers, two warpgroups), reads that hit L2, reads of memory. And random data.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "kernels/ptx/special_registers.h"
#include "kernels/ptx/wgmma.h"
#include "tests/kernels/gpu/device_memory.h"
#include "tests/kernels/gpu/parts.h"

namespace assay::gpu_check {
namespace {

constexpr int kSteps = 2000;
constexpr int kTiles = 4;

__global__ void __launch_bounds__(256, 1) multiply(float* out) {
  const std::uint32_t base = ptx::dynamic_shared_base();
  ptx::Accumulator<64> d[kTiles];
  ptx::FragmentA a[kTiles];
#pragma unroll
  for (int t = 0; t < kTiles; ++t) {
#pragma unroll
    for (int i = 0; i < 32; ++i) d[t].set(i, 0.0F);
#pragma unroll
    for (int i = 0; i < 4; ++i) a[t].set(i, 0x38383838U + threadIdx.x);
  }
  const std::uint64_t b = ptx::make_descriptor(base, 8 * 64, ptx::Swizzle::bytes64);
  for (int step = 0; step < kSteps; ++step) {
    ptx::wgmma_fence();
#pragma unroll
    for (int t = 0; t < kTiles; ++t) ptx::wgmma_n64(d[t], a[t], b, true);
    ptx::wgmma_commit();
    ptx::wgmma_wait<0>();
  }
  float sum = 0;
#pragma unroll
  for (int t = 0; t < kTiles; ++t) {
#pragma unroll
    for (int i = 0; i < 32; ++i) sum += d[t].get(i);
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// Reads `count` vectors, a power of two, `rounds` times, each time from another one on.
__global__ void read_all(const uint4* from, std::size_t count, std::size_t rounds,
                         std::uint32_t* out) {
  std::uint32_t sum = 0;
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  const std::size_t first = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (std::size_t round = 0; round < rounds; ++round) {
#pragma unroll 8
    for (std::size_t i = first; i < count; i += stride) {
      const uint4 value = __ldcg(from + ((i + std::size_t{7919 * 32} * round) & (count - 1)));
      sum += value.x ^ value.y ^ value.z ^ value.w;
    }
  }
  if (sum == 0x12345678U) out[0] = sum;
}

__device__ std::uint32_t mix(std::uint32_t x) {  // lowbias32
  x ^= x >> 16U;
  x *= 0x7feb352dU;
  x ^= x >> 15U;
  x *= 0x846ca68bU;
  return x ^ x >> 16U;
}

__global__ void fill_values_kernel(std::uint8_t* to, std::size_t count, std::uint32_t seed) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    const std::uint32_t bits = mix(static_cast<std::uint32_t>(i) ^ mix(seed));
    // A sign, and magnitudes from 2^-5 to 1.9 in equal shares by exponent.
    to[i] = static_cast<std::uint8_t>((bits & 0x80U) | (0x10U + (bits >> 8U) % 0x30U));
  }
}

__global__ void fill_indices_kernel(std::int32_t* to, std::size_t count, std::uint32_t bound,
                                    std::uint32_t seed) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride)
    to[i] = static_cast<std::int32_t>(mix(static_cast<std::uint32_t>(i) ^ mix(seed)) % bound);
}

// The median of a few runs.
template <class Launch>
double seconds_of(const Launch& launch) {
  cudaEvent_t start, stop;
  require(cudaEventCreate(&start), "cudaEventCreate");
  require(cudaEventCreate(&stop), "cudaEventCreate");
  std::vector<float> milliseconds(9);
  launch();
  for (float& one : milliseconds) {
    require(cudaEventRecord(start), "cudaEventRecord");
    launch();
    require(cudaEventRecord(stop), "cudaEventRecord");
    require(cudaEventSynchronize(stop), "cudaEventSynchronize");
    require(cudaEventElapsedTime(&one, start, stop), "cudaEventElapsedTime");
  }
  require(cudaGetLastError(), "a ceiling's kernel");
  std::sort(milliseconds.begin(), milliseconds.end());
  return milliseconds[milliseconds.size() / 2] / 1e3;
}

}  // namespace

void fill_values(std::uint8_t* to, std::size_t count, std::uint32_t seed) {
  fill_values_kernel<<<2048, 256>>>(to, count, seed);
  require(cudaGetLastError(), "fill_values");
}

void fill_indices(std::int32_t* to, std::size_t count, std::int32_t bound, std::uint32_t seed) {
  fill_indices_kernel<<<2048, 256>>>(to, count, static_cast<std::uint32_t>(bound), seed);
  require(cudaGetLastError(), "fill_indices");
}

void measure_ceilings() {
  int sms = 0;
  require(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0),
          "cudaDeviceGetAttribute");
  const DeviceArray<float> sums(static_cast<std::size_t>(sms) * 256);
  const double wgmma = seconds_of([&] { multiply<<<sms, 256, 16384>>>(sums.data()); });
  const double flop = 2.0 * 64 * 64 * 32 * kTiles * kSteps * 2 * sms;

  constexpr std::size_t kCached = std::size_t{16} << 20U;
  constexpr std::size_t kLarge = std::size_t{4} << 30U;
  constexpr std::size_t kRounds = 64;
  const DeviceArray<std::uint8_t> memory(kLarge);
  fill_values(memory.data(), kLarge, 1);
  const DeviceArray<std::uint32_t> out(1);
  const auto* const vectors = reinterpret_cast<const uint4*>(memory.data());
  const double cached = seconds_of(
      [&] { read_all<<<sms * 4, 512>>>(vectors, kCached / sizeof(uint4), kRounds, out.data()); });
  const double large = seconds_of(
      [&] { read_all<<<sms * 4, 512>>>(vectors, kLarge / sizeof(uint4), 1, out.data()); });
  std::printf(
      "{\"sms\": %d, \"wgmma_m64n64k32_tflops\": %.1f, \"l2_read_tb_s\": %.3f, "
      "\"hbm_read_tb_s\": %.3f}\n",
      sms, flop / wgmma / 1e12, static_cast<double>(kCached * kRounds) / cached / 1e12,
      static_cast<double>(kLarge) / large / 1e12);
}

}  // namespace assay::gpu_check
