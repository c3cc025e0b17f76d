// The contract of all back ends: what must hold of the arguments' metadata before a byte is
// read. It is the safety profile of rules/kernels/sparse_mla_q8kv8_prefill_fwd.yaml; the engine's
// wrapper asks for more (CUDA tensors, topk_length with attn_sink).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/compile/compiled_contract.h"
#include "engine/evaluate/contract_checker.h"
#include "engine/text/diagnostic.h"
#include "engine/text/source.h"
#include "kernels/generated/sparse_mla_q8kv8_prefill_fwd_contract.h"
#include "kernels/sparse_mla_prefill/device_launch.h"
#include "kernels/sparse_mla_prefill/params.h"

namespace assay::sparse_mla_prefill {

// Every violation, in the order in which the engine's wrapper checks and in its words where it has
// the check; then what it does not check (null pointers, alignment, extents, overlap). Reads
// metadata only. No allocation when nothing is wrong. `loaded`, which may be null, is a contract to
// hold the call against in addition: it can refuse more, never less.
Diagnostics validate(const PrefillArguments& arguments, const CompiledContract* loaded = nullptr);

// The same with what was expected and found. Clauses point into the contract they are of; only
// those of the contract built in have a place, in its sources.
std::vector<ContractViolation> find_violations(const PrefillArguments& arguments,
                                               const CompiledContract* loaded = nullptr);

inline bool has_back_end(Device device) { return device == kCpu || device.type == kCudaDeviceType; }

// The tensors of a call in the contract's order, as `Access` (engine/model/tensor_access.h) reads
// them; null: not given.
template <class Access>
using PrefillTensors = std::array<const typename Access::Tensor*, 10>;
// Whether `find_violations` would find nothing, said quickly. False may also mean that it has to be
// asked.
template <class Access>
bool is_plainly_legal(const PrefillTensors<Access>& t, float sm_scale, std::int64_t d_v) noexcept {
  return t[0] != nullptr && has_back_end(Access::device(*t[0])) &&
         contracts::sparse_mla_q8kv8_prefill_fwd::is_plainly_safe<Access>(
             t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7], t[8], t[9], double{sm_scale}, d_v);
}

struct BuiltInContract {
  SourceSet sources;
  CompiledContract contract;
};
// Compiled when first asked for, then immutable.
const BuiltInContract& built_in_contract();

// By the name that contracts limit clauses to: "cpu", or "sm90" for CUDA tensors.
const char* back_end_of(const PrefillArguments& arguments);

// Plain pointers and the two scales, read. Only for arguments on the CPU that `validate` found
// nothing wrong with; an output that was not supplied is null.
PrefillParams bind(const PrefillArguments& arguments);

// The same for arguments on a CUDA device, whose memory is not read.
cuda::PrefillLaunch bind_on_device(const PrefillArguments& arguments);

}  // namespace assay::sparse_mla_prefill
