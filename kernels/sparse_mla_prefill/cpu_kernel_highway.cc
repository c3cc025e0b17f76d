// The back ends in float32 by Google Highway: AVX-512, AVX2 and whatever the compiler's baseline
// has. This file is compiled once for each of them.
//
// `multiply` holds a tile of 6 rows by V vectors of heads in registers: V = 2 where there are 16
// registers (12 sums, 2 operands, 1 broadcast), V = 4 where there are 32 (24, 4, 1). A step of the
// tile is 6 * V multiply-adds for 6 + V loads, and its sums are enough to hide the latency of two
// multiply-adds a cycle (4 to 5 cycles each).
//
// `exp` is 2^n * e^r with |r| <= ln(2) / 2 and the Taylor polynomial of degree 6 (relative error
// below 2e-7); below -87 the result is 0.
#include <algorithm>
#include <vector>

#include "engine/base/vector_target.h"
#include "kernels/sparse_mla_prefill/cpu_dispatch.h"
#include "kernels/sparse_mla_prefill/cpu_kernels.h"
#include "kernels/sparse_mla_prefill/params.h"

#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/sparse_mla_prefill/cpu_kernel_highway.cc"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace assay::sparse_mla_prefill::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::ScalableTag<float>;
using Ints = hn::RebindToSigned<Floats>;
using Words = hn::RebindToUnsigned<Floats>;
using Bytes = hn::Rebind<std::uint8_t, Floats>;
using Vector = hn::Vec<Floats>;

constexpr std::size_t kLanes = HWY_LANES(float);
constexpr std::size_t kTileVectors = HWY_TARGET == HWY_AVX3 ? 4 : 2;
constexpr std::size_t kTileRows = 6;
constexpr std::size_t kPanelHeads = kLanes * kTileVectors;
constexpr std::size_t kBlockTokens = 64;
constexpr std::size_t kPrefetchRows = 4;  // ahead of the one being decoded
static_assert(kHeadMultiple % kPanelHeads == 0 && kStripColumns % kLanes == 0);

Vector decode(const std::uint8_t* bytes) {
  const Floats f;
  const Ints i;
  const Words u;
  const auto bits = hn::PromoteTo(u, hn::LoadU(Bytes(), bytes));
  const auto magnitude = hn::And(bits, hn::Set(u, 0x7fU));
  // The exponent's bias goes from 7 to 127. Subnormals are whole multiples of 2^-9; they are not
  // made by multiplying a float32 subnormal, which a caller may have switched off.
  const auto normal = hn::BitCast(f, hn::Add(hn::ShiftLeft<20>(magnitude), hn::Set(u, 120U << 23)));
  const auto subnormal = hn::Mul(hn::ConvertTo(f, hn::BitCast(i, magnitude)), hn::Set(f, 0x1p-9F));
  const auto finite = hn::IfThenElse(
      hn::RebindMask(f, hn::Lt(hn::BitCast(i, magnitude), hn::Set(i, 8))), subnormal, normal);
  const auto value = hn::IfThenElse(hn::RebindMask(f, hn::Eq(magnitude, hn::Set(u, 0x7fU))),
                                    hn::BitCast(f, hn::Set(u, 0x7fc00000U)), finite);
  const auto sign = hn::ShiftLeft<24>(hn::AndNot(hn::Set(u, 0x7fU), bits));
  return hn::BitCast(f, hn::Or(hn::BitCast(u, value), sign));
}

void pack_queries(const std::uint8_t* q, std::size_t heads, std::size_t d_qk, void* panels) {
  const Floats f;
  auto* const packed = static_cast<float*>(panels);
  alignas(64) float values[kLanes];
  for (std::size_t head = 0; head < heads; ++head) {
    float* const column = packed + head / kPanelHeads * kPanelHeads * d_qk + head % kPanelHeads;
    for (std::size_t k = 0; k < d_qk; k += kLanes) {
      hn::Store(decode(q + head * d_qk + k), f, values);
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        column[(k + lane) * kPanelHeads] = values[lane];
      }
    }
  }
}

void decode_rows(const std::uint8_t* const* rows, std::size_t tokens, std::size_t d_qk, void* k,
                 void* v) {
  const Floats f;
  auto* const keys = static_cast<float*>(k);
  auto* const values = static_cast<float*>(v);
  for (std::size_t token = 0; token < tokens; ++token) {
    const std::uint8_t* const row = rows[token];
    const std::uint8_t* const ahead = rows[std::min(token + kPrefetchRows, tokens - 1)];
    for (std::size_t line = 0; line < d_qk; line += 64) hwy::Prefetch(ahead + line);
    float* const key = keys + token * d_qk;
    for (std::size_t column = 0; column < d_qk; column += kLanes) {
      const Vector decoded = decode(row + column);
      hn::Store(decoded, f, key + column);
      if (column >= kValueColumns) continue;
      const std::size_t strip = column / kStripColumns;
      hn::Store(decoded, f,
                values + (strip * kBlockTokens + token) * kStripColumns + column % kStripColumns);
    }
  }
}

template <std::size_t kRows>
void multiply_tile(const Product& product, std::size_t first_row) {
  const Floats f;
  const float* a = static_cast<const float*>(product.a) + first_row * product.a_row_stride;
  const auto* b = static_cast<const float*>(product.b);
  float* const c = product.c + first_row * kPanelHeads;
  Vector sums[kRows][kTileVectors];
#pragma GCC unroll 6
  for (std::size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 6
    for (std::size_t i = 0; i < kTileVectors; ++i) {
      const std::size_t at = i * kLanes;
      sums[r][i] = product.start_factor == nullptr
                       ? hn::Zero(f)
                       : hn::Mul(hn::Load(f, c + r * kPanelHeads + at),
                                 hn::Load(f, product.start_factor + at));
    }
  }
  for (std::size_t step = 0; step < product.steps; ++step) {
    Vector heads[kTileVectors];
#pragma GCC unroll 6
    for (std::size_t i = 0; i < kTileVectors; ++i) heads[i] = hn::Load(f, b + i * kLanes);
#pragma GCC unroll 6
    for (std::size_t r = 0; r < kRows; ++r) {
      const Vector broadcast = hn::Set(f, a[r * product.a_row_stride]);
#pragma GCC unroll 6
      for (std::size_t i = 0; i < kTileVectors; ++i) {
        sums[r][i] = hn::MulAdd(broadcast, heads[i], sums[r][i]);
      }
    }
    a += product.a_step_stride;
    b += kPanelHeads;
  }
#pragma GCC unroll 6
  for (std::size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 6
    for (std::size_t i = 0; i < kTileVectors; ++i) {
      hn::Store(sums[r][i], f, c + r * kPanelHeads + i * kLanes);
    }
  }
}

void multiply(const Product& product) {
  std::size_t row = 0;
  while (row < product.rows) {
    const std::size_t left = product.rows - row;
    // 16 rows, a strip of V, go as 6 + 5 + 5: no tile with too few sums to hide the latency.
    const std::size_t tiles = (left + kTileRows - 1) / kTileRows;
    const std::size_t rows = (left + tiles - 1) / tiles;
    switch (rows) {
      case 6:
        multiply_tile<6>(product, row);
        break;
      case 5:
        multiply_tile<5>(product, row);
        break;
      case 4:
        multiply_tile<4>(product, row);
        break;
      case 3:
        multiply_tile<3>(product, row);
        break;
      case 2:
        multiply_tile<2>(product, row);
        break;
      default:
        multiply_tile<1>(product, row);
        break;
    }
    row += rows;
  }
}

Vector exp_of_nonpositive(Vector x) {
  const Floats f;
  const Ints i;
  const auto n = hn::NearestInt(hn::Mul(x, hn::Set(f, 1.44269504F)));
  const auto n_float = hn::ConvertTo(f, n);
  auto r = hn::NegMulAdd(n_float, hn::Set(f, 0x1.62e4p-1F), x);  // ln 2, upper bits
  r = hn::NegMulAdd(n_float, hn::Set(f, 0x1.7f7d1cp-20F), r);    // and the rest
  auto poly = hn::MulAdd(r, hn::Set(f, 1.0F / 720), hn::Set(f, 1.0F / 120));
  poly = hn::MulAdd(poly, r, hn::Set(f, 1.0F / 24));
  poly = hn::MulAdd(poly, r, hn::Set(f, 1.0F / 6));
  poly = hn::MulAdd(poly, r, hn::Set(f, 0.5F));
  poly = hn::MulAdd(poly, r, hn::Set(f, 1.0F));
  poly = hn::MulAdd(poly, r, hn::Set(f, 1.0F));
  const auto power = hn::BitCast(f, hn::ShiftLeft<23>(hn::Add(n, hn::Set(i, 127))));
  return hn::IfThenZeroElse(hn::Lt(x, hn::Set(f, -87.0F)), hn::Mul(poly, power));
}

void softmax_vector(const SoftmaxStep& step, std::size_t first_head) {
  const Floats f;
  const Vector scale = hn::Set(f, step.logit_scale);
  const Vector minus_infinity = hn::Neg(hn::Inf(f));
  const Vector old_max = hn::Load(f, step.max + first_head);
  const float* const dots = step.dots + first_head;
  Vector max = old_max;
  auto is_nan = hn::IsNaN(old_max);
  for (std::size_t token = 0; token < step.tokens; ++token) {
    const Vector logit = hn::Mul(hn::Load(f, dots + token * kPanelHeads), scale);
    is_nan = hn::Or(is_nan, hn::IsNaN(logit));
    max = hn::Max(logit, max);
  }
  max = hn::IfThenElse(is_nan, hn::NaN(f), max);
  // Where every logit is -inf so far, -inf - 0 keeps the probabilities 0 instead of NaN.
  const Vector base = hn::IfThenZeroElse(hn::Eq(max, minus_infinity), max);
  const Vector rescale = exp_of_nonpositive(hn::Sub(old_max, base));
  Vector sum = hn::Mul(hn::Load(f, step.sum + first_head), rescale);
  float* const p = static_cast<float*>(step.p) + first_head;
  for (std::size_t token = 0; token < step.tokens; ++token) {
    const Vector logit = hn::Mul(hn::Load(f, dots + token * kPanelHeads), scale);
    const Vector weight = exp_of_nonpositive(hn::Sub(logit, base));
    sum = hn::Add(sum, weight);
    hn::Store(weight, f, p + token * kPanelHeads);
  }
  hn::Store(max, f, step.max + first_head);
  hn::Store(sum, f, step.sum + first_head);
  hn::Store(rescale, f, step.rescale + first_head);
}

void softmax(const SoftmaxStep& step) {
  for (std::size_t head = 0; head < kPanelHeads; head += kLanes) softmax_vector(step, head);
}

double run_at_peak(std::size_t rounds) {
  const Floats f;
  constexpr std::size_t kSums = 12;
  Vector sums[kSums];
#pragma GCC unroll 24
  for (std::size_t i = 0; i < kSums; ++i) sums[i] = hn::Set(f, static_cast<float>(i));
  const Vector factor = hn::Set(f, 1.0F);
  for (std::size_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 24
    for (std::size_t i = 0; i < kSums; ++i) sums[i] = hn::MulAdd(factor, factor, sums[i]);
  }
  // Sums that started alike would be merged by the compiler; one unused would be dropped.
#pragma GCC unroll 24
  for (std::size_t i = 1; i < kSums; ++i) sums[0] = hn::Max(sums[0], sums[i]);
  const double counted = hn::GetLane(sums[0]) > 0 ? 1.0 : 0.0;
  return counted * 2.0 * static_cast<double>(rounds * kSums * kLanes);
}

constexpr std::string_view kName = HWY_TARGET == HWY_AVX3   ? "avx512"
                                   : HWY_TARGET == HWY_AVX2 ? "avx2"
                                                            : "portable";
constexpr CpuKernels kKernels{kName,       kPanelHeads, 1,       kBlockTokens, pack_queries,
                              decode_rows, multiply,    softmax, run_at_peak};

}  // namespace assay::sparse_mla_prefill::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assay::sparse_mla_prefill {

// Best first.
std::vector<const CpuKernels*> highway_kernels() {
  std::vector<const CpuKernels*> kernels;
#if HWY_TARGETS & HWY_AVX3
  if (has_avx3()) kernels.push_back(&N_AVX3::kKernels);
#endif
#if HWY_TARGETS & HWY_AVX2
  if (has_avx2()) kernels.push_back(&N_AVX2::kKernels);
#endif
  // What the compiler may use anyway; the same as the last one in a build for a newer processor.
  const CpuKernels& baseline = HWY_STATIC_DISPATCH(kKernels);
  if (kernels.empty() || kernels.back()->name != baseline.name) kernels.push_back(&baseline);
  return kernels;
}

}  // namespace assay::sparse_mla_prefill
#endif
