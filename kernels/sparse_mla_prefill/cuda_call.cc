// What the contract does not speak of (the status, options that a GPU has no use for) is checked
// here; then device_launch.cc does the work, and its fault becomes a diagnostic.
#include "kernels/sparse_mla_prefill/cuda_call.h"

#include <fmt/format.h>

#include <utility>

#include "engine/model/tensor_text.h"
#include "kernels/sparse_mla_prefill/validate.h"

namespace assay::sparse_mla_prefill {
namespace {

constexpr DType kUint32{1, 32, 1};

// What is wrong with the status; nothing: empty.
std::string status_fault(const TensorView& status, Device device) {
  if (status.device != device) {
    return fmt::format("status must be on q's device {}, got {}", device_text(device),
                       device_text(status.device));
  }
  if (status.dtype != kInt32 && status.dtype != kUint32) return "status must be int32 or uint32";
  if (status.shape.size() != 1 || status.shape[0] != 2) return "status must have shape (2,)";
  if (!status.strides.empty() && status.strides[0] != 1) return "status must be contiguous";
  if (status.data == nullptr || status.address() % sizeof(std::uint32_t) != 0)
    return "status must point to memory aligned to 4 bytes";
  return {};
}

Diagnostics options_faults(const PrefillArguments& arguments, const PrefillOptions& options) {
  Diagnostics faults;
  if (options.checked) {
    faults.push_back(make_error(
        code::contract_violated, {}, "values of CUDA tensors cannot be checked before the call",
        "Leave `checked` out and read `status` when the stream is synchronised."));
  }
  if (!options.status) return faults;
  if (std::string fault = status_fault(*options.status, arguments.q.device); !fault.empty())
    faults.push_back(make_error(code::contract_violated, {}, std::move(fault)));
  return faults;
}

}  // namespace

void queue_on_device(const PrefillArguments& arguments, const PrefillOptions& options,
                     PrefillResult& result) {
  result.violations = options_faults(arguments, options);
  if (!result.violations.empty()) {
    result.outcome = PrefillOutcome::refused;
    return;
  }
  if (options.cuda == nullptr) {
    result.outcome = PrefillOutcome::failed;
    result.violations.push_back(
        make_error(code::cannot_run, {}, "this build has no code for GPUs",
                   "Build where nvcc is found (ASSAY_BUILD_CUDA), or hand over CPU tensors."));
    return;
  }
  cuda::PrefillLaunch launch = bind_on_device(arguments);
  launch.stream = options.stream;
  if (options.status) {
    launch.params.status = reinterpret_cast<cuda::DeviceStatus*>(options.status->address());
  }
  auto fault = cuda::launch_prefill(*options.cuda, launch, result.made_on_device);
  if (!fault) return;
  result.outcome = PrefillOutcome::failed;
  result.violations.push_back(
      make_error(code::cannot_run, {}, std::move(fault->message), std::move(fault->help)));
}

}  // namespace assay::sparse_mla_prefill
