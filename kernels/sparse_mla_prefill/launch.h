// The entry: checks the contract, then runs the prefill on this machine's processor.
#pragma once

#include <cstdint>
#include <stop_token>

#include "engine/compile/compiled_contract.h"
#include "engine/text/diagnostic.h"
#include "kernels/sparse_mla_prefill/aligned_buffer.h"
#include "kernels/sparse_mla_prefill/cpu_gather.h"
#include "kernels/sparse_mla_prefill/cpu_kernels.h"
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
  std::stop_token stop;  // looked at once for each block of tokens
};

// Outputs that the caller did not supply, of the shapes and types that params.h gives.
struct MadeOutputs {
  AlignedBuffer out;
  AlignedBuffer max_logits;
  AlignedBuffer lse;
};

enum class PrefillOutcome : std::uint8_t {
  done,
  refused,        // the contract is broken: `violations` says all of it; no output was touched
  cancelled,      // some queries have their outputs, the others are as they were
  out_of_memory,  // no output was touched
};

struct PrefillResult {
  PrefillOutcome outcome = PrefillOutcome::done;
  Diagnostics violations;
  ValueFaults faults;  // complete when `done`
  MadeOutputs made;
};

// Never throws. May be called from many threads at once.
PrefillResult run_prefill(const PrefillArguments& arguments,
                          const PrefillOptions& options = {}) noexcept;

}  // namespace assay::sparse_mla_prefill
