// The AVX-512 intrinsics that cpu_kernel_avx512bf16.cc uses, computed element by element, so that
// the file runs where no processor has AVX512_BF16. It stands in for the compiler's header by
// coming first on the include path of one test target. Semantics are those of the Intel SDM,
// volume 2.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

using __m512 = float __attribute__((vector_size(64)));
using __m512i = long long __attribute__((vector_size(64)));
using __m256i = long long __attribute__((vector_size(32)));
using __m512bh = short __attribute__((vector_size(64)));
using __m256bh = short __attribute__((vector_size(32)));
using __mmask16 = std::uint16_t;
using __mmask32 = std::uint32_t;

enum EmulatedRounding { _MM_FROUND_TO_NEAREST_INT = 0, _MM_FROUND_NO_EXC = 8 };
enum EmulatedComparison { _CMP_EQ_OQ, _CMP_LT_OQ = 17, _CMP_UNORD_Q = 3 };

namespace emulated_avx512 {

template <typename Element>
struct Elements {
  Element at[64 / sizeof(Element)];
};

template <typename Element, typename Vector>
Elements<Element> elements_of(Vector vector) {
  Elements<Element> elements{};
  std::memcpy(&elements, &vector, sizeof vector);  // a half vector fills the lower half
  return elements;
}

template <typename Vector, typename Element>
Vector vector_of(const Elements<Element>& elements) {
  Vector vector;
  std::memcpy(&vector, &elements, sizeof vector);
  return vector;
}

template <typename Vector, typename Element, typename Function>
Vector generate(Function function) {
  Elements<Element> result{};
  for (int i = 0; i < static_cast<int>(64 / sizeof(Element)); ++i) {
    result.at[i] = static_cast<Element>(function(i));
  }
  return vector_of<Vector>(result);
}

template <typename Function>
__m512 floats(Function function) {
  return generate<__m512, float>(function);
}
template <typename Function>
__m512i words16(Function function) {
  return generate<__m512i, std::uint16_t>(function);
}
template <typename Function>
__m512i words32(Function function) {
  return generate<__m512i, std::uint32_t>(function);
}

// VDPBF16PS and VCVTNEPS2BF16 treat subnormals as 0, whatever MXCSR says.
inline float flush(float value) { return std::fabs(value) < 0x1p-126F ? 0.0F : value; }

// The product of two floats is exact in double. (std::fma takes 50 times as long where the compiler
// may not use the instruction; rounding twice differs from it once in a billion times.)
inline float multiply_add(float a, float b, float c) {
  return static_cast<float>(double{a} * double{b} + double{c});
}
inline float from_bf16(std::uint16_t bits) {
  return flush(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16));
}
inline std::uint16_t to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(flush(value));
  if (std::isnan(value)) return static_cast<std::uint16_t>((bits >> 16) | 0x40);
  return static_cast<std::uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

}  // namespace emulated_avx512

namespace assay::sparse_mla_prefill {

using emulated_avx512::elements_of;
using emulated_avx512::floats;
using emulated_avx512::words16;
using emulated_avx512::words32;

template <typename Vector = __m512i>
Vector load_512(const void* from) {
  Vector vector;
  std::memcpy(&vector, from, sizeof vector);
  return vector;
}
inline __m512i _mm512_load_si512(const void* from) { return load_512(from); }
inline __m512i _mm512_loadu_si512(const void* from) { return load_512(from); }
inline __m512 _mm512_load_ps(const void* from) { return load_512<__m512>(from); }
inline void _mm512_store_si512(void* to, __m512i v) { std::memcpy(to, &v, sizeof v); }
inline void _mm512_storeu_si512(void* to, __m512i v) { std::memcpy(to, &v, sizeof v); }
inline void _mm512_store_ps(void* to, __m512 v) { std::memcpy(to, &v, sizeof v); }

inline __m512 _mm512_set1_ps(float x) {
  return floats([=](int) { return x; });
}
inline __m512 _mm512_setzero_ps() { return _mm512_set1_ps(0); }
inline __m512i _mm512_set1_epi16(int x) {
  return words16([=](int) { return x; });
}
inline __m512i _mm512_set1_epi32(std::int32_t x) {
  return words32([=](int) { return x; });
}
inline __m512i _mm512_setzero_si512() { return _mm512_set1_epi32(0); }

inline __m512i _mm512_and_si512(__m512i a, __m512i b) { return a & b; }
inline __m512i _mm512_or_si512(__m512i a, __m512i b) { return a | b; }
inline __m512i _mm512_slli_epi16(__m512i v, int count) {
  const auto in = elements_of<std::uint16_t>(v);
  return words16([&](int i) { return in.at[i] << count; });
}
inline __m512i _mm512_slli_epi32(__m512i v, int count) {
  const auto in = elements_of<std::uint32_t>(v);
  return words32([&](int i) { return in.at[i] << count; });
}
inline __m512i _mm512_cvtepu8_epi16(__m256i v) {
  const auto in = elements_of<std::uint8_t>(v);
  return words16([&](int i) { return in.at[i]; });
}
inline __m512i _mm512_cvtepu16_epi32(__m256i v) {
  const auto in = elements_of<std::uint16_t>(v);
  return words32([&](int i) { return in.at[i]; });
}
inline __m512i _mm512_permutex2var_epi16(__m512i a, __m512i index, __m512i b) {
  const auto first = elements_of<std::uint16_t>(a);
  const auto second = elements_of<std::uint16_t>(b);
  const auto from = elements_of<std::uint16_t>(index);
  return words16([&](int i) {
    const int at = from.at[i] & 31;
    return (from.at[i] & 32) != 0 ? second.at[at] : first.at[at];
  });
}
inline __mmask32 _mm512_test_epi16_mask(__m512i a, __m512i b) {
  const auto in = elements_of<std::uint16_t>(a & b);
  __mmask32 mask = 0;
  for (int i = 0; i < 32; ++i) mask |= in.at[i] != 0 ? 1U << i : 0U;
  return mask;
}
inline __m512i _mm512_mask_blend_epi16(__mmask32 mask, __m512i a, __m512i b) {
  const auto first = elements_of<std::uint16_t>(a);
  const auto second = elements_of<std::uint16_t>(b);
  return words16([&](int i) { return ((mask >> i) & 1) != 0 ? second.at[i] : first.at[i]; });
}

inline __m512 _mm512_add_ps(__m512 a, __m512 b) { return a + b; }
inline __m512 _mm512_sub_ps(__m512 a, __m512 b) { return a - b; }
inline __m512 _mm512_mul_ps(__m512 a, __m512 b) { return a * b; }
inline __m512 _mm512_max_ps(__m512 a, __m512 b) {  // the second if either is NaN
  return floats([&](int i) { return a[i] > b[i] ? a[i] : b[i]; });
}
inline __m512 _mm512_fmadd_ps(__m512 a, __m512 b, __m512 c) {
  return floats([&](int i) { return emulated_avx512::multiply_add(a[i], b[i], c[i]); });
}
inline __m512 _mm512_fnmadd_ps(__m512 a, __m512 b, __m512 c) {
  return floats([&](int i) { return emulated_avx512::multiply_add(-a[i], b[i], c[i]); });
}
inline __m512 _mm512_roundscale_ps(__m512 v, int) {
  return floats([&](int i) { return std::nearbyint(v[i]); });
}
inline __m512 _mm512_scalef_ps(__m512 a, __m512 b) {
  return floats([&](int i) { return a[i] * std::exp2(std::floor(b[i])); });
}
inline __mmask16 _mm512_cmp_ps_mask(__m512 a, __m512 b, int comparison) {
  unsigned mask = 0;
  for (unsigned i = 0; i < 16; ++i) {
    const bool holds = comparison == _CMP_UNORD_Q ? std::isunordered(a[i], b[i])
                       : comparison == _CMP_LT_OQ ? a[i] < b[i]
                                                  : a[i] == b[i];
    mask |= holds ? 1U << i : 0U;
  }
  return static_cast<__mmask16>(mask);
}
inline __m512 _mm512_mask_blend_ps(__mmask16 mask, __m512 a, __m512 b) {
  return floats([&](int i) { return ((mask >> i) & 1) != 0 ? b[i] : a[i]; });
}
inline __m256bh _mm512_cvtneps_pbh(__m512 v) {
  __m256bh result;
  for (int i = 0; i < 16; ++i) {
    result[i] = static_cast<short>(emulated_avx512::to_bf16(v[i]));
  }
  return result;
}
// The odd elements first, then the even ones, each a fused multiply-add.
inline __m512 _mm512_dpbf16_ps(__m512 sum, __m512bh a, __m512bh b) {
  const auto left = elements_of<std::uint16_t>(a);
  const auto right = elements_of<std::uint16_t>(b);
  return floats([&](int i) {
    using emulated_avx512::flush;
    using emulated_avx512::from_bf16;
    using emulated_avx512::multiply_add;
    const int even = 2 * i;
    const float odd_sum =
        flush(multiply_add(from_bf16(left.at[even + 1]), from_bf16(right.at[even + 1]), sum[i]));
    return flush(multiply_add(from_bf16(left.at[even]), from_bf16(right.at[even]), odd_sum));
  });
}

}  // namespace assay::sparse_mla_prefill
