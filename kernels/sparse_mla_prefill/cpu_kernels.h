// The seam between what is the same on every processor (the order of the work, cpu_attend.cc) and
// what is not: four steps that a back end implements with its own vectors.
//
// Vector lanes are heads, everywhere. So a softmax is vertical (no reduction across lanes), and in
// both products one operand is a row of heads loaded as it lies and the other is a broadcast, for
// which decoded KV rows need no transposition.
//
// Operands are made of 4-byte words: one float32, or two bfloat16 that a dot-product instruction
// takes together (neighbouring columns in Q and K, neighbouring tokens in P and V; the first in the
// lower half). A panel holds `panel_heads` heads side by side: word (k, head) at
// k * panel_heads + head.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace assay::sparse_mla_prefill {

// V is stored in strips of 16 columns, one cache line of words per token (or token pair).
inline constexpr std::size_t kStripColumns = 16;

// c[r][head] = start + sum over k of a(r, k) * b[k][head], for the heads of one panel.
struct Product {
  const void* a;  // words; a(r, k) at r * a_row_stride + k * a_step_stride
  std::size_t a_row_stride;
  std::size_t a_step_stride;
  std::size_t rows;
  const void* b;  // a panel of `steps` words per head
  std::size_t steps;
  float* c;                   // [rows][panel_heads]
  const float* start_factor;  // [panel_heads]; start = c * start_factor; null: start = 0
};

// One block of an online softmax, for the heads of one panel.
struct SoftmaxStep {
  const float* dots;   // [tokens][panel_heads]
  std::size_t tokens;  // at least 1
  float logit_scale;
  float* max;      // [panel_heads]: of all blocks so far; -inf at first
  float* sum;      // [panel_heads]: of exp(logit - max); 0 at first
  float* rescale;  // [panel_heads], written: what earlier sums of the row are multiplied by
  void* p;         // written: panel of exp(logit - max), tokens filled up to a whole word by 0
};

struct CpuKernels {
  std::string_view name;
  std::size_t panel_heads;      // divides 64
  std::size_t values_per_word;  // 1: float32, 2: bfloat16
  std::size_t block_tokens;     // gathered and decoded at a time; even. K and V of it stay in L2

  // `heads` rows of `d_qk` e4m3 bytes become panels of d_qk / values_per_word words per head.
  void (*pack_queries)(const std::uint8_t* q, std::size_t heads, std::size_t d_qk, void* panels);

  // Rows of `d_qk` e4m3 bytes become K, [tokens][d_qk / values_per_word] words, and V,
  // [512 / 16 strips][block_tokens / values_per_word][16 columns] words, filled up with 0.
  void (*decode_rows)(const std::uint8_t* const* rows, std::size_t tokens, std::size_t d_qk,
                      void* k, void* v);

  void (*multiply)(const Product& product);
  void (*softmax)(const SoftmaxStep& step);

  // Multiply-adds in registers only, the same instruction as `multiply` uses; returns how many
  // floating-point operations it made. The benchmark's ceiling.
  double (*run_at_peak)(std::size_t rounds);
};

}  // namespace assay::sparse_mla_prefill
