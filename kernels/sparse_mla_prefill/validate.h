// The contract of the CPU back ends: what must hold of the arguments' metadata before a byte is
// read. The GPU wrapper of the engine asks for more (its profile: CUDA tensors, topk_length with
// attn_sink); this is the part without which memory would be misread.
#pragma once

#include "engine/text/diagnostic.h"
#include "kernels/sparse_mla_prefill/params.h"

namespace assay::sparse_mla_prefill {

// Every violation, in the order in which the engine's wrapper checks and in its words where it has
// the check; then what it does not check (null pointers, alignment, extents, overlap). Reads
// metadata only. No allocation when nothing is wrong.
Diagnostics validate(const PrefillArguments& arguments);

// Plain pointers and the two scales, read. Only for arguments that `validate` found nothing wrong
// with; an output that was not supplied is null.
PrefillParams bind(const PrefillArguments& arguments);

}  // namespace assay::sparse_mla_prefill
