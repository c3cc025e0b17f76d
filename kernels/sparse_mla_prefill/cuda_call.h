// The prefill of tensors on a CUDA device.
#pragma once

#include "kernels/sparse_mla_prefill/launch.h"

namespace assay::sparse_mla_prefill {

// Queues a call that `validate` found nothing wrong with, and says in `result` how that went.
// Throws std::bad_alloc.
void queue_on_device(const PrefillArguments& arguments, const PrefillOptions& options,
                     PrefillResult& result);

}  // namespace assay::sparse_mla_prefill
