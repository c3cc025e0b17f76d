// The back end for processors with AVX512_BF16, by intrinsics (Highway 1.0.3 has no dot product of
// bfloat16). VDPBF16PS multiplies 32 pairs and adds them into 16 float32 sums: twice the rate of
// float32 multiply-adds, and e4m3 values are exact in bfloat16, so only P loses bits (8 remain).
//
// `multiply` holds 6 rows by 4 vectors of heads: 24 sums, 4 operands, 1 broadcast of 32 registers;
// a step is 24 dot products for 10 loads. Decoding looks magnitudes up in four registers
// (VPERMI2W), exact for every byte and independent of how subnormals are treated.
// Intel SDM volume 2 and the Intrinsics Guide are the source for what each instruction does.
#include <immintrin.h>

#include <algorithm>
#include <cstring>

#include "kernels/sparse_mla_prefill/cpu_dispatch.h"
#include "kernels/sparse_mla_prefill/cpu_kernels.h"
#include "kernels/sparse_mla_prefill/fp8.h"
#include "kernels/sparse_mla_prefill/params.h"

namespace assay::sparse_mla_prefill {
namespace {

constexpr std::size_t kLanes = 16;
constexpr std::size_t kTileVectors = 4;
constexpr std::size_t kTileRows = 6;
constexpr std::size_t kPanelHeads = kLanes * kTileVectors;
constexpr std::size_t kBlockTokens = 96;
constexpr std::size_t kPrefetchRows = 4;     // ahead of those being decoded
constexpr std::size_t kBytesPerVector = 32;  // e4m3 bytes that become one register of bfloat16
static_assert(kHeadMultiple % kPanelHeads == 0 && kStripColumns == kLanes);

__m512bh as_bf16(__m512i words) { return reinterpret_cast<__m512bh>(words); }

struct Decoder {
  __m512i table[4];  // bfloat16 bits of the magnitudes 0 to 127

  Decoder() {
    for (std::size_t part = 0; part < 4; ++part) {
      table[part] = _mm512_loadu_si512(kE4m3AsBf16.data() + part * kBytesPerVector);
    }
  }

  __m512i operator()(const std::uint8_t* bytes) const {
    __m256i packed;
    std::memcpy(&packed, bytes, sizeof packed);
    const __m512i bits = _mm512_cvtepu8_epi16(packed);
    // VPERMI2W takes the lower six bits as the index; bit 6 chooses between two tables of 64.
    const __m512i low = _mm512_permutex2var_epi16(table[0], bits, table[1]);
    const __m512i high = _mm512_permutex2var_epi16(table[2], bits, table[3]);
    const __mmask32 in_high = _mm512_test_epi16_mask(bits, _mm512_set1_epi16(0x40));
    const __m512i sign = _mm512_slli_epi16(_mm512_and_si512(bits, _mm512_set1_epi16(0x80)), 8);
    return _mm512_or_si512(_mm512_mask_blend_epi16(in_high, low, high), sign);
  }
};

void pack_queries(const std::uint8_t* q, std::size_t heads, std::size_t d_qk, void* panels) {
  const Decoder decode;
  const std::size_t words = d_qk / 2;
  auto* const packed = static_cast<std::uint32_t*>(panels);
  alignas(64) std::uint32_t pairs[kLanes];
  for (std::size_t head = 0; head < heads; ++head) {
    std::uint32_t* const column =
        packed + head / kPanelHeads * kPanelHeads * words + head % kPanelHeads;
    for (std::size_t k = 0; k < words; k += kLanes) {
      _mm512_store_si512(pairs, decode(q + head * d_qk + 2 * k));
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        column[(k + lane) * kPanelHeads] = pairs[lane];
      }
    }
  }
}

// Two tokens at a time: their rows as they are for K, their columns interleaved for V.
void decode_rows(const std::uint8_t* const* rows, std::size_t tokens, std::size_t d_qk, void* k,
                 void* v) {
  const Decoder decode;
  const std::size_t words = d_qk / 2;
  auto* const keys = static_cast<std::uint32_t*>(k);
  auto* const values = static_cast<std::uint32_t*>(v);
  // Element i of the first operand and element i of the second (32 onwards), in turn.
  alignas(64) std::uint16_t interleave[2][32];
  for (std::size_t i = 0; i < 32; ++i) {
    const std::size_t column = i / 2;
    interleave[0][i] = static_cast<std::uint16_t>(column + (i % 2) * 32);
    interleave[1][i] = static_cast<std::uint16_t>(column + 16 + (i % 2) * 32);
  }
  const __m512i lower = _mm512_load_si512(interleave[0]);
  const __m512i upper = _mm512_load_si512(interleave[1]);
  constexpr std::size_t kStripWords = kBlockTokens / 2 * kStripColumns;

  for (std::size_t token = 0; token < tokens; token += 2) {
    const bool has_second = token + 1 < tokens;
    for (std::size_t line = 0; line < d_qk; line += 64) {
      __builtin_prefetch(rows[std::min(token + kPrefetchRows, tokens - 1)] + line);
      __builtin_prefetch(rows[std::min(token + kPrefetchRows + 1, tokens - 1)] + line);
    }
    for (std::size_t column = 0; column < d_qk; column += kBytesPerVector) {
      const __m512i first = decode(rows[token] + column);
      const __m512i second = has_second ? decode(rows[token + 1] + column) : _mm512_setzero_si512();
      _mm512_storeu_si512(keys + token * words + column / 2, first);
      if (has_second) _mm512_storeu_si512(keys + (token + 1) * words + column / 2, second);
      if (column >= kValueColumns) continue;
      std::uint32_t* const strip =
          values + column / kStripColumns * kStripWords + token / 2 * kStripColumns;
      _mm512_store_si512(strip, _mm512_permutex2var_epi16(first, lower, second));
      _mm512_store_si512(strip + kStripWords, _mm512_permutex2var_epi16(first, upper, second));
    }
  }
}

template <std::size_t kRows>
void multiply_tile(const Product& product, std::size_t first_row) {
  const auto* a = static_cast<const std::uint32_t*>(product.a) + first_row * product.a_row_stride;
  const auto* b = static_cast<const std::uint32_t*>(product.b);
  float* const c = product.c + first_row * kPanelHeads;
  __m512 sums[kRows][kTileVectors];
#pragma GCC unroll 6
  for (std::size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 6
    for (std::size_t i = 0; i < kTileVectors; ++i) {
      const std::size_t at = i * kLanes;
      sums[r][i] = product.start_factor == nullptr
                       ? _mm512_setzero_ps()
                       : _mm512_mul_ps(_mm512_load_ps(c + r * kPanelHeads + at),
                                       _mm512_load_ps(product.start_factor + at));
    }
  }
  for (std::size_t step = 0; step < product.steps; ++step) {
    __m512bh heads[kTileVectors];
#pragma GCC unroll 6
    for (std::size_t i = 0; i < kTileVectors; ++i) {
      heads[i] = as_bf16(_mm512_load_si512(b + i * kLanes));
    }
#pragma GCC unroll 6
    for (std::size_t r = 0; r < kRows; ++r) {
      std::int32_t pair;
      std::memcpy(&pair, a + r * product.a_row_stride, sizeof pair);
      const __m512bh broadcast = as_bf16(_mm512_set1_epi32(pair));
#pragma GCC unroll 6
      for (std::size_t i = 0; i < kTileVectors; ++i) {
        sums[r][i] = _mm512_dpbf16_ps(sums[r][i], broadcast, heads[i]);
      }
    }
    a += product.a_step_stride;
    b += kPanelHeads;
  }
#pragma GCC unroll 6
  for (std::size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 6
    for (std::size_t i = 0; i < kTileVectors; ++i) {
      _mm512_store_ps(c + r * kPanelHeads + i * kLanes, sums[r][i]);
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

// 2^n * e^r with |r| <= ln(2) / 2, Taylor of degree 6; 0 below -87; NaN stays NaN.
__m512 exp_of_nonpositive(__m512 x) {
  const __mmask16 is_tiny = _mm512_cmp_ps_mask(x, _mm512_set1_ps(-87.0F), _CMP_LT_OQ);
  constexpr int kToNearest = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
  const __m512 n = _mm512_roundscale_ps(_mm512_mul_ps(x, _mm512_set1_ps(1.44269504F)), kToNearest);
  __m512 r = _mm512_fnmadd_ps(n, _mm512_set1_ps(0x1.62e4p-1F), x);  // ln 2, upper bits
  r = _mm512_fnmadd_ps(n, _mm512_set1_ps(0x1.7f7d1cp-20F), r);      // and the rest
  __m512 poly = _mm512_fmadd_ps(r, _mm512_set1_ps(1.0F / 720), _mm512_set1_ps(1.0F / 120));
  poly = _mm512_fmadd_ps(poly, r, _mm512_set1_ps(1.0F / 24));
  poly = _mm512_fmadd_ps(poly, r, _mm512_set1_ps(1.0F / 6));
  poly = _mm512_fmadd_ps(poly, r, _mm512_set1_ps(0.5F));
  poly = _mm512_fmadd_ps(poly, r, _mm512_set1_ps(1.0F));
  poly = _mm512_fmadd_ps(poly, r, _mm512_set1_ps(1.0F));
  return _mm512_mask_blend_ps(is_tiny, _mm512_scalef_ps(poly, n), _mm512_setzero_ps());
}

// Two rows of float32 as one row of bfloat16 pairs, `first` in the lower halves.
__m512i as_pairs(__m512 first, __m512 second) {
  const auto lower = reinterpret_cast<__m256i>(_mm512_cvtneps_pbh(first));
  const auto upper = reinterpret_cast<__m256i>(_mm512_cvtneps_pbh(second));
  return _mm512_or_si512(_mm512_cvtepu16_epi32(lower),
                         _mm512_slli_epi32(_mm512_cvtepu16_epi32(upper), 16));
}

void softmax_vector(const SoftmaxStep& step, std::size_t first_head) {
  const __m512 scale = _mm512_set1_ps(step.logit_scale);
  const __m512 minus_infinity = _mm512_set1_ps(-__builtin_inff());
  const __m512 old_max = _mm512_load_ps(step.max + first_head);
  const float* const dots = step.dots + first_head;
  __m512 max = old_max;
  __mmask16 is_nan = _mm512_cmp_ps_mask(old_max, old_max, _CMP_UNORD_Q);
  for (std::size_t token = 0; token < step.tokens; ++token) {
    const __m512 logit = _mm512_mul_ps(_mm512_load_ps(dots + token * kPanelHeads), scale);
    is_nan = static_cast<__mmask16>(is_nan | _mm512_cmp_ps_mask(logit, logit, _CMP_UNORD_Q));
    max = _mm512_max_ps(logit, max);
  }
  max = _mm512_mask_blend_ps(is_nan, max, _mm512_set1_ps(__builtin_nanf("")));
  // Where every logit is -inf so far, -inf - 0 keeps the probabilities 0 instead of NaN.
  const __mmask16 is_empty = _mm512_cmp_ps_mask(max, minus_infinity, _CMP_EQ_OQ);
  const __m512 base = _mm512_mask_blend_ps(is_empty, max, _mm512_setzero_ps());
  const __m512 rescale = exp_of_nonpositive(_mm512_sub_ps(old_max, base));
  __m512 sum = _mm512_mul_ps(_mm512_load_ps(step.sum + first_head), rescale);
  const auto weight_of = [&](std::size_t token) {
    const __m512 logit = _mm512_mul_ps(_mm512_load_ps(dots + token * kPanelHeads), scale);
    return exp_of_nonpositive(_mm512_sub_ps(logit, base));
  };
  // The sum takes the weights before they are rounded: lse keeps float32's accuracy.
  std::uint32_t* const p = static_cast<std::uint32_t*>(step.p) + first_head;
  for (std::size_t token = 0; token < step.tokens; token += 2) {
    const __m512 first = weight_of(token);
    const __m512 second = token + 1 < step.tokens ? weight_of(token + 1) : _mm512_setzero_ps();
    sum = _mm512_add_ps(sum, _mm512_add_ps(first, second));
    _mm512_store_si512(p + token / 2 * kPanelHeads, as_pairs(first, second));
  }
  _mm512_store_ps(step.max + first_head, max);
  _mm512_store_ps(step.sum + first_head, sum);
  _mm512_store_ps(step.rescale + first_head, rescale);
}

void softmax(const SoftmaxStep& step) {
  for (std::size_t head = 0; head < kPanelHeads; head += kLanes) softmax_vector(step, head);
}

double run_at_peak(std::size_t rounds) {
  constexpr std::size_t kSums = 24;
  __m512 sums[kSums];
#pragma GCC unroll 24
  for (std::size_t i = 0; i < kSums; ++i) sums[i] = _mm512_set1_ps(static_cast<float>(i));
  const __m512bh ones = as_bf16(_mm512_set1_epi16(0x3f80));
  for (std::size_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 24
    for (std::size_t i = 0; i < kSums; ++i) sums[i] = _mm512_dpbf16_ps(sums[i], ones, ones);
  }
  // Sums that started alike would be merged by the compiler; one unused would be dropped.
#pragma GCC unroll 24
  for (std::size_t i = 1; i < kSums; ++i) sums[0] = _mm512_max_ps(sums[0], sums[i]);
  alignas(64) float lanes[kLanes];
  _mm512_store_ps(lanes, sums[0]);
  return (lanes[0] > 0 ? 1.0 : 0.0) * 4.0 * static_cast<double>(rounds * kSums * kLanes);
}

constexpr CpuKernels kKernels{"avx512bf16", kPanelHeads, 2,       kBlockTokens, pack_queries,
                              decode_rows,  multiply,    softmax, run_at_peak};

}  // namespace

const CpuKernels& avx512bf16_kernels() { return kKernels; }

}  // namespace assay::sparse_mla_prefill
