// The prefill in double precision: what every back end is compared with. Slow and plain.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/sparse_mla_prefill/params.h"

namespace assay::sparse_mla_prefill {

struct ReferenceOutputs {
  std::vector<double> out;                 // [s_q, h_q, 512], not rounded to bfloat16
  std::vector<double> max_logits;          // [s_q, h_q]
  std::vector<double> lse;                 // [s_q, h_q]
  std::uint64_t out_of_range_indices = 0;  // outside [-1, s_kv), among those that count
  std::uint64_t out_of_range_lengths = 0;  // outside [0, topk]
};

// Reads the inputs of `params`; its output pointers may be null.
ReferenceOutputs compute_reference(const PrefillParams& params);

}  // namespace assay::sparse_mla_prefill
