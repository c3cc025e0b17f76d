// All heads of one query: the order of the work, the same for every back end.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/cancellation.h"
#include "kernels/sparse_mla_prefill/aligned_buffer.h"
#include "kernels/sparse_mla_prefill/cpu_gather.h"
#include "kernels/sparse_mla_prefill/cpu_kernels.h"
#include "kernels/sparse_mla_prefill/params.h"

namespace assay::sparse_mla_prefill {

// One thread's memory, reused from query to query: proportional to h_q and topk, not to s_kv or
// s_q (0.8 MB for 128 heads). Throws std::bad_alloc.
class QueryAttention {
 public:
  QueryAttention(const PrefillParams& params, const CpuKernels& kernels);

  // Writes the query's rows of out, max_logits and lse and counts its faulty values. False when
  // `cancellation`, which may be null, was requested meanwhile; the rows are then not written.
  bool attend(std::int64_t query, const Cancellation* cancellation, ValueFaults& faults);

 private:
  void attend_block(std::size_t first_token, std::size_t tokens);
  void attend_panel(std::size_t panel, std::size_t tokens, bool is_first_block);
  void store_panel(std::int64_t query, std::size_t panel);
  void store_empty_rows(std::int64_t query);

  const PrefillParams& params_;
  const CpuKernels& kernels_;
  std::size_t heads_;  // of a panel
  std::size_t panels_;
  std::size_t key_words_;    // of one head or one token
  std::size_t block_steps_;  // words of a whole block of tokens
  std::vector<const std::uint8_t*> rows_;
  AlignedBuffer queries_;  // [panels][key_words][heads] words
  AlignedBuffer keys_;     // [block_tokens][key_words] words
  AlignedBuffer values_;   // [strips][block_steps][16] words
  AlignedBuffer dots_;     // [block_tokens][heads] float
  AlignedBuffer weights_;  // [block_steps][heads] words
  AlignedBuffer sums_;     // [panels][512][heads] float: out, transposed and not normalised
  AlignedBuffer state_;    // max, sum, rescale: [3][panels][heads] float; [heads] ones
};

}  // namespace assay::sparse_mla_prefill
