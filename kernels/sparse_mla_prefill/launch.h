// The entry: checks the contract, then runs the prefill where the tensors are: on this machine's
// processor, or queued on a stream of a Hopper GPU.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/base/cancellation.h"
#include "engine/compile/compiled_contract.h"
#include "engine/text/diagnostic.h"
#include "kernels/sparse_mla_prefill/aligned_buffer.h"
#include "kernels/sparse_mla_prefill/cpu_gather.h"
#include "kernels/sparse_mla_prefill/cpu_kernels.h"
#include "kernels/sparse_mla_prefill/device_launch.h"
#include "kernels/sparse_mla_prefill/params.h"

namespace assay::sparse_mla_prefill {

struct PrefillOptions {
  // Refuse indices outside [-1, s_kv) and lengths outside [0, topk] before any work, at the price
  // of one more pass over them; otherwise they mean "no token" and are counted.
  bool checked = false;
  unsigned threads = 0;  // 0: one for each processor. The result does not depend on it
  const CpuKernels* kernels = nullptr;  // null: the best this processor can run
  // A contract to hold the call against in addition to the one built in; null: none.
  const CompiledContract* contract = nullptr;
  const Cancellation* cancellation = nullptr;  // looked at once for each block of tokens

  // The rest is for CUDA tensors, the above but for `contract` for CPU tensors.
  void* stream = nullptr;  // cudaStream_t of the tensors' device; null: its default stream
  // int32 or uint32 [2] on the same device: set to zero in the order of the stream, then counts
  // indices and lengths out of range. Not given: they are not counted.
  std::optional<TensorView> status;
  cuda::CudaRuntime* cuda = nullptr;  // null: CUDA tensors are refused
};

// Outputs that the caller did not supply, of the shapes and types that params.h gives.
struct MadeOutputs {
  AlignedBuffer out;
  AlignedBuffer max_logits;
  AlignedBuffer lse;
};

enum class PrefillOutcome : std::uint8_t {
  done,           // on a GPU: queued
  refused,        // the contract is broken: `violations` says all of it; no output was touched
  cancelled,      // queries that were done have their outputs, the others are as they were
  out_of_memory,  // no output was touched
  failed,         // CUDA: `violations` says which call and why; no output was touched
};

struct PrefillResult {
  PrefillOutcome outcome = PrefillOutcome::done;
  Diagnostics violations;
  ValueFaults faults;  // complete when `done`; of a GPU `options.status` has them
  MadeOutputs made;
  cuda::DeviceOutputs made_on_device;  // to be freed before the stream is destroyed
};

// Never throws. May be called from many threads at once. On a GPU nothing waits for the device, and
// the call may be captured into a graph; tensors must live until the stream has come so far.
PrefillResult run_prefill(const PrefillArguments& arguments,
                          const PrefillOptions& options = {}) noexcept;

}  // namespace assay::sparse_mla_prefill
