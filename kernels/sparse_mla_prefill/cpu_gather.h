// Which KV rows a query attends to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/sparse_mla_prefill/params.h"

namespace assay::sparse_mla_prefill {

// How often values broke the contract's value clauses; such a value means "no token", and a length
// is clamped. -1 is the ordinary way to say "no token" and is not counted.
struct ValueFaults {
  std::uint64_t out_of_range_indices = 0;  // outside [-1, s_kv), among those that count
  std::uint64_t out_of_range_lengths = 0;  // outside [0, topk]
};

// How many of a query's indices count: its topk_length, clamped to [0, topk].
std::int64_t counted_indices(const PrefillParams& params, std::int64_t query, ValueFaults& faults);

// Replaces `rows` by pointers to the chosen KV rows, in the order of the indices, without those
// that mean "no token". A softmax does not depend on positions, so nothing has to be masked later.
void gather_rows(const PrefillParams& params, std::int64_t query, ValueFaults& faults,
                 std::vector<const std::uint8_t*>& rows);

}  // namespace assay::sparse_mla_prefill
