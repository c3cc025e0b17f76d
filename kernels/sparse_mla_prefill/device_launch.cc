// Device, architecture, outputs, status, kernel: in this order, so that what can be refused is
// refused before anything is queued. Each call of the run time that fails becomes a fault that
// names it.
#include "kernels/sparse_mla_prefill/device_launch.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "kernels/sparse_mla_prefill/tile_config.cuh"

namespace assay::cuda {
namespace {

using MaybeFault = std::optional<LaunchFault>;

constexpr std::int64_t kMaxQueries = 0x7fffffff;

// A multiprocessor holds one block, which takes one task after the other.
template <class Config>
GridShape grid_of(std::uint32_t blocks) {
  return {blocks, Config::kThreads, Config::kSharedBytes};
}

std::string device_name(int device) { return "cuda:" + std::to_string(device); }

// Faults of kernels that ran before: the run time reports them at whichever call comes next, and at
// each one after it. cudaErrorIllegalAddress, LaunchTimeout, Assert; HardwareStackError to
// LaunchFailure.
bool is_of_an_earlier_kernel(int error) {
  return error == 700 || error == 702 || error == 710 || (error >= 714 && error <= 719);
}

LaunchFault failed(CudaRuntime& runtime, std::string_view call, int error, std::string help = {}) {
  runtime.forget_error();
  if (is_of_an_earlier_kernel(error)) {
    help =
        "A kernel that was queued before failed; this process can use the device no more. "
        "compute-sanitizer or CUDA_LAUNCH_BLOCKING=1 shows which one.";
  }
  std::string message(call);
  message += ": ";
  message += runtime.error_name(error);
  message += " (";
  message += runtime.error_text(error);
  message += ")";
  return {std::move(message), std::move(help)};
}

// The calling thread's current device, put back at the end.
class CurrentDevice {
 public:
  explicit CurrentDevice(CudaRuntime& runtime) : runtime_(runtime) {}
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;
  ~CurrentDevice() {
    if (is_changed_) static_cast<void>(runtime_.set_device(before_));
  }

  MaybeFault change(int device) {
    if (const int error = runtime_.current_device(before_))
      return failed(runtime_, "cudaGetDevice", error);
    if (before_ == device) return std::nullopt;
    if (const int error = runtime_.set_device(device))
      return failed(runtime_, "cudaSetDevice", error);
    is_changed_ = true;
    return std::nullopt;
  }

 private:
  CudaRuntime& runtime_;
  int before_ = 0;
  bool is_changed_ = false;
};

MaybeFault check_device(CudaRuntime& runtime, int device) {
  int count = 0;
  if (const int error = runtime.device_count(count)) {
    return failed(runtime, "cudaGetDeviceCount", error,
                  "CUDA tensors need an NVIDIA driver and a GPU; CPU tensors run here.");
  }
  if (device < 0 || device >= count) {
    return LaunchFault{"there is no " + device_name(device) + ": this process sees " +
                           std::to_string(count) + " CUDA device(s)",
                       "CUDA_VISIBLE_DEVICES decides which GPUs a process sees."};
  }
  ComputeCapability found;
  if (const int error = runtime.compute_capability(device, found))
    return failed(runtime, "cudaDeviceGetAttribute", error);
  if (found.major != 9 || found.minor != 0) {
    return LaunchFault{
        "the prefill is compiled for compute capability 9.0 (sm_90a, Hopper), and " +
            device_name(device) + " has " + std::to_string(found.major) + "." +
            std::to_string(found.minor),
        "Instructions of sm_90a run on no other architecture; CPU tensors run here."};
  }
  return std::nullopt;
}

MaybeFault make(CudaRuntime& runtime, const PrefillLaunch& launch, const char* name,
                std::uint64_t bytes, DeviceBuffer& made) {
  void* memory = nullptr;
  const int error = runtime.allocate(memory, bytes, launch.stream);
  if (error == 0) {
    made = DeviceBuffer(runtime, memory, launch.device, launch.stream);
    return std::nullopt;
  }
  std::string help = name;
  help += " needs " + std::to_string(bytes) + " bytes on " + device_name(launch.device);
  std::size_t free_bytes = 0;
  if (runtime.free_memory(free_bytes) == 0)
    help += ", where " + std::to_string(free_bytes) + " are free";
  return failed(runtime, "cudaMallocAsync", error, help + ".");
}

MaybeFault make_missing_outputs(CudaRuntime& runtime, PrefillLaunch& launch, DeviceOutputs& made) {
  DeviceParams& params = launch.params;
  if (params.out != nullptr && params.max_logits != nullptr && params.lse != nullptr)
    return std::nullopt;
  bool is_capturing = false;
  if (const int error = runtime.is_capturing(launch.stream, is_capturing))
    return failed(runtime, "cudaStreamIsCapturing", error);
  if (is_capturing) {
    return LaunchFault{"outputs cannot be made while the stream is captured into a graph",
                       "Supply out, max_logits and lse: each replay writes to the same memory."};
  }
  const std::uint64_t rows = static_cast<std::uint64_t>(launch.s_q) * params.h_q;
  MaybeFault fault;
  if (params.out == nullptr) {
    fault = make(runtime, launch, "out", rows * TileConfig<576>::kValueColumns * 2, made.out);
    params.out = static_cast<std::uint16_t*>(made.out.data());
  }
  if (!fault && params.max_logits == nullptr) {
    fault = make(runtime, launch, "max_logits", rows * sizeof(float), made.max_logits);
    params.max_logits = static_cast<float*>(made.max_logits.data());
  }
  if (!fault && params.lse == nullptr) {
    fault = make(runtime, launch, "lse", rows * sizeof(float), made.lse);
    params.lse = static_cast<float*>(made.lse.data());
  }
  return fault;
}

MaybeFault queue(CudaRuntime& runtime, PrefillLaunch& launch) {
  int multiprocessors = 0;
  if (const int error = runtime.multiprocessors(launch.device, multiprocessors))
    return failed(runtime, "cudaDeviceGetAttribute", error);
  const auto most = static_cast<std::uint64_t>(std::max(multiprocessors, 1));
  const auto blocks = static_cast<std::uint32_t>(std::min(count_tasks(launch.params), most));
  share_out(launch.params, blocks);
  const GridShape grid =
      launch.d_qk == 576 ? grid_of<TileConfig<576>>(blocks) : grid_of<TileConfig<512>>(blocks);
  const void* const kernel = runtime.prefill_kernel(launch.d_qk);
  if (const int error = runtime.allow_shared(kernel, grid.shared_bytes))
    return failed(runtime, "cudaFuncSetAttribute", error);
  if (launch.params.status != nullptr) {
    const int error = runtime.set_zero(launch.params.status, sizeof(DeviceStatus), launch.stream);
    if (error != 0) return failed(runtime, "cudaMemsetAsync", error);
  }
  void* arguments[] = {&launch.params};
  if (const int error = runtime.launch(kernel, grid, arguments, launch.stream))
    return failed(runtime, "cudaLaunchKernel", error);
  return std::nullopt;
}

}  // namespace

DeviceBuffer::~DeviceBuffer() {
  if (memory_ == nullptr) return;
  CurrentDevice current(*runtime_);
  if (!current.change(device_)) static_cast<void>(runtime_->release(memory_, stream_));
}

void DeviceBuffer::swap(DeviceBuffer& other) noexcept {
  std::swap(runtime_, other.runtime_);
  std::swap(memory_, other.memory_);
  std::swap(device_, other.device_);
  std::swap(stream_, other.stream_);
}

std::optional<LaunchFault> launch_prefill(CudaRuntime& runtime, PrefillLaunch launch,
                                          DeviceOutputs& made) {
  if (MaybeFault fault = check_device(runtime, launch.device)) return fault;
  if (launch.s_q > kMaxQueries) {
    return LaunchFault{"the call has " + std::to_string(launch.s_q) +
                           " queries, and the kernel counts up to " + std::to_string(kMaxQueries),
                       "Split the queries."};
  }
  launch.params.s_q = static_cast<std::uint32_t>(launch.s_q);
  CurrentDevice current(runtime);
  if (MaybeFault fault = current.change(launch.device)) return fault;
  DeviceOutputs mine;
  if (MaybeFault fault = make_missing_outputs(runtime, launch, mine)) return fault;
  if (MaybeFault fault = queue(runtime, launch)) return fault;
  made = std::move(mine);
  return std::nullopt;
}

}  // namespace assay::cuda
