// One pass over the indices of a query. An index is compared before it becomes an address.
#include "kernels/sparse_mla_prefill/cpu_gather.h"

#include <algorithm>

namespace assay::sparse_mla_prefill {

std::int64_t counted_indices(const PrefillParams& params, std::int64_t query, ValueFaults& faults) {
  if (params.topk_length == nullptr) return params.topk;
  const std::int64_t length = params.topk_length[query];
  if (length < 0 || length > params.topk) ++faults.out_of_range_lengths;
  return std::clamp<std::int64_t>(length, 0, params.topk);
}

void gather_rows(const PrefillParams& params, std::int64_t query, ValueFaults& faults,
                 std::vector<const std::uint8_t*>& rows) {
  rows.clear();
  const std::int64_t count = counted_indices(params, query, faults);
  const std::int32_t* const indices = params.indices + query * params.topk;
  for (std::int64_t position = 0; position < count; ++position) {
    const std::int64_t index = indices[position];
    if (index >= 0 && index < params.s_kv) {
      rows.push_back(params.kv + index * params.d_qk);
    } else if (index != -1) {
      ++faults.out_of_range_indices;
    }
  }
}

}  // namespace assay::sparse_mla_prefill
