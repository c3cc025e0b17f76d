// The contract of the CPU back ends: what must hold of the arguments' metadata before a byte is
// read. It is the safety profile of rules/kernels/sparse_mla_q8kv8_prefill_fwd.yaml; the engine's
// wrapper asks for more (CUDA tensors, topk_length with attn_sink).
#pragma once

#include "engine/compile/compiled_contract.h"
#include "engine/text/diagnostic.h"
#include "kernels/sparse_mla_prefill/params.h"

namespace assay::sparse_mla_prefill {

// Every violation, in the order in which the engine's wrapper checks and in its words where it has
// the check; then what it does not check (null pointers, alignment, extents, overlap). Reads
// metadata only. No allocation when nothing is wrong. `loaded`, which may be null, is a contract to
// hold the call against in addition: it can refuse more, never less.
Diagnostics validate(const PrefillArguments& arguments, const CompiledContract* loaded = nullptr);

// Plain pointers and the two scales, read. Only for arguments that `validate` found nothing wrong
// with; an output that was not supplied is null.
PrefillParams bind(const PrefillArguments& arguments);

}  // namespace assay::sparse_mla_prefill
