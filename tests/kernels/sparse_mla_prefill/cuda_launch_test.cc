// Calls on CUDA tensors, as far as they go without a GPU: what is refused and in which words, what
// is queued in which order, on which stream, device and grid. The tensors are never read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "kernels/sparse_mla_prefill/block_task.cuh"
#include "kernels/sparse_mla_prefill/launch.h"
#include "kernels/sparse_mla_prefill/tile_config.cuh"
#include "tests/kernels/sparse_mla_prefill/fake_cuda_runtime.h"
#include "tests/kernels/sparse_mla_prefill/prefill_case.h"

namespace assay::sparse_mla_prefill {
namespace {

using cuda::FakeCudaRuntime;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr Device kGpu{kCudaDeviceType, 1};

void* stream_number(std::uintptr_t number) { return reinterpret_cast<void*>(number); }

// A legal call with everything supplied, on cuda:1, queued on stream 7.
class CudaLaunch : public testing::Test {
 protected:
  explicit CudaLaunch(
      CaseOptions options = {.s_q = 4, .h_q = 128, .has_lengths = true, .has_sink = true})
      : prefill_(options), arguments_(prefill_.arguments()) {
    options_.cuda = &runtime_;
    options_.stream = stream_number(7);
    move_to(kGpu);
  }

  void move_to(Device device) {
    for (TensorView* tensor : {&arguments_.q, &arguments_.kv, &arguments_.indices,
                               &arguments_.q_scale, &arguments_.kv_scale}) {
      tensor->device = device;
    }
    for (auto* tensor : {&arguments_.topk_length, &arguments_.attn_sink, &arguments_.out,
                         &arguments_.max_logits, &arguments_.lse}) {
      if (*tensor) (*tensor)->device = device;
    }
    status_view_.device = device;
  }

  void supply_no_outputs() {
    arguments_.out.reset();
    arguments_.max_logits.reset();
    arguments_.lse.reset();
  }

  PrefillResult run() { return run_prefill(arguments_, options_); }

  // The one fault of a call that launched nothing and left neither memory, device nor error behind.
  Diagnostic fault_of(PrefillOutcome outcome = PrefillOutcome::failed) {
    PrefillResult result = run();
    EXPECT_EQ(result.outcome, outcome);
    EXPECT_THAT(runtime_.launches, IsEmpty());
    EXPECT_THAT(runtime_.allocated, IsEmpty());
    EXPECT_EQ(runtime_.current, 0);
    EXPECT_FALSE(runtime_.has_error);
    EXPECT_EQ(result.violations.size(), 1U);
    return result.violations.empty() ? Diagnostic{} : result.violations.front();
  }

  FakeCudaRuntime runtime_;
  PrefillCase prefill_;
  PrefillArguments arguments_;
  PrefillOptions options_;
  std::array<std::uint32_t, 2> status_{};
  std::array<std::int64_t, 1> status_shape_{2};
  TensorView status_view_{status_.data(), kInt32, {}, status_shape_, {}};
};

TEST_F(CudaLaunch, queues_one_kernel_on_the_callers_stream_and_device) {
  EXPECT_EQ(run().outcome, PrefillOutcome::done);
  EXPECT_THAT(runtime_.calls, ElementsAre("launch on 7"));
  ASSERT_EQ(runtime_.launches.size(), 1U);
  const FakeCudaRuntime::Launch& launch = runtime_.launches.front();
  EXPECT_EQ(launch.device, 1);
  EXPECT_EQ(runtime_.current, 0);  // as before the call
  EXPECT_EQ(launch.kernel, FakeCudaRuntime::kernel_of(576));
  EXPECT_EQ(launch.grid.blocks, 4U * 128 / 64);
  EXPECT_EQ(launch.grid.threads, 384U);
  EXPECT_EQ(launch.grid.shared_bytes, cuda::TileConfig<576>::kSharedBytes);
  EXPECT_EQ(runtime_.shared_bytes.at(launch.kernel), launch.grid.shared_bytes);
}

TEST_F(CudaLaunch, hands_the_kernel_the_tensors_and_nothing_that_was_read_from_them) {
  arguments_.q_scale.data = stream_number(0x1000);  // no memory of ours
  arguments_.kv_scale.data = stream_number(0x2000);
  arguments_.kv_scale.byte_offset = 4;
  ASSERT_EQ(run().outcome, PrefillOutcome::done);
  const cuda::DeviceParams& params = runtime_.launches.front().params;
  EXPECT_EQ(params.q, prefill_.q.data());
  EXPECT_EQ(params.kv, prefill_.kv.data());
  EXPECT_EQ(params.indices, prefill_.indices.data());
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(params.q_scale), 0x1000U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(params.kv_scale), 0x2004U);
  EXPECT_EQ(params.topk_length, prefill_.lengths.data());
  EXPECT_EQ(params.attn_sink, prefill_.sink.data());
  EXPECT_EQ(params.out, prefill_.out.data());
  EXPECT_EQ(params.max_logits, prefill_.max_logits.data());
  EXPECT_EQ(params.lse, prefill_.lse.data());
  EXPECT_EQ(params.status, nullptr);
  EXPECT_EQ(params.s_kv, 300);
  EXPECT_EQ(params.h_q, 128U);
  EXPECT_EQ(params.topk, 128U);
  EXPECT_EQ(params.sm_scale, prefill_.options.sm_scale);
}

TEST_F(CudaLaunch, takes_the_kernel_of_the_rows_width) {
  PrefillCase narrow({.d_qk = 512});
  arguments_ = narrow.arguments();
  move_to(kGpu);
  ASSERT_EQ(run().outcome, PrefillOutcome::done);
  const FakeCudaRuntime::Launch& launch = runtime_.launches.front();
  EXPECT_EQ(launch.kernel, FakeCudaRuntime::kernel_of(512));
  EXPECT_EQ(launch.grid.shared_bytes, cuda::TileConfig<512>::kSharedBytes);
}

TEST_F(CudaLaunch, the_status_is_set_to_zero_on_the_stream_before_the_kernel) {
  options_.status = status_view_;
  ASSERT_EQ(run().outcome, PrefillOutcome::done);
  EXPECT_THAT(runtime_.calls, ElementsAre("set_zero on 7", "launch on 7"));
  EXPECT_EQ(static_cast<const void*>(runtime_.launches.front().params.status), status_.data());
}

TEST_F(CudaLaunch, outputs_that_are_missing_are_made_and_freed_in_the_order_of_the_stream) {
  supply_no_outputs();
  {
    const PrefillResult result = run();
    ASSERT_EQ(result.outcome, PrefillOutcome::done);
    EXPECT_EQ(runtime_.allocated.at(result.made_on_device.out.data()), 4U * 128 * 512 * 2);
    EXPECT_EQ(runtime_.allocated.at(result.made_on_device.max_logits.data()), 4U * 128 * 4);
    EXPECT_EQ(runtime_.allocated.at(result.made_on_device.lse.data()), 4U * 128 * 4);
    EXPECT_EQ(runtime_.launches.front().params.out, result.made_on_device.out.data());
    EXPECT_EQ(result.made.out.data(), nullptr);
  }
  EXPECT_THAT(runtime_.allocated, IsEmpty());
  EXPECT_THAT(runtime_.calls,
              ElementsAre("allocate on 7", "allocate on 7", "allocate on 7", "launch on 7",
                          "release on 7", "release on 7", "release on 7"));
  EXPECT_EQ(runtime_.current, 0);
}

TEST_F(CudaLaunch, only_the_missing_output_is_made) {
  arguments_.lse.reset();
  const PrefillResult result = run();
  EXPECT_EQ(result.made_on_device.out.data(), nullptr);
  EXPECT_NE(result.made_on_device.lse.data(), nullptr);
}

TEST_F(CudaLaunch, a_captured_stream_takes_the_same_calls_but_makes_no_outputs) {
  runtime_.capturing = true;
  options_.status = status_view_;
  EXPECT_EQ(run().outcome, PrefillOutcome::done);
  EXPECT_THAT(runtime_.calls, ElementsAre("set_zero on 7", "launch on 7"));
  runtime_.launches.clear();
  arguments_.lse.reset();
  EXPECT_EQ(fault_of().message, "outputs cannot be made while the stream is captured into a graph");
}

TEST_F(CudaLaunch, an_output_that_does_not_fit_says_how_much_it_needs_and_frees_the_others) {
  supply_no_outputs();
  runtime_.memory_bytes = 4 * 128 * 512 * 2 + 4 * 128 * 4 + 100;
  const Diagnostic fault = fault_of();
  EXPECT_EQ(fault.code, code::cannot_run);
  EXPECT_EQ(fault.message, "cudaMallocAsync: cudaErrorMemoryAllocation (out of memory)");
  EXPECT_EQ(fault.help, "lse needs 2048 bytes on cuda:1, where 100 are free.");
}

TEST_F(CudaLaunch, a_device_that_is_not_hopper_is_refused_before_anything_is_queued) {
  for (const cuda::ComputeCapability other :
       {cuda::ComputeCapability{8, 0}, {8, 9}, {9, 1}, {10, 0}, {12, 0}}) {
    runtime_.capability = other;
    supply_no_outputs();
    EXPECT_EQ(
        fault_of().message,
        "the prefill is compiled for compute capability 9.0 (sm_90a, Hopper), and cuda:1 has " +
            std::to_string(other.major) + "." + std::to_string(other.minor));
    EXPECT_THAT(runtime_.calls, IsEmpty());
  }
}

TEST_F(CudaLaunch, a_device_that_is_not_there_is_refused) {
  runtime_.devices = 1;
  EXPECT_EQ(fault_of().message, "there is no cuda:1: this process sees 1 CUDA device(s)");
  move_to({kCudaDeviceType, -1});
  EXPECT_THAT(fault_of().message, HasSubstr("there is no cuda:-1"));
}

TEST_F(CudaLaunch, a_failing_call_of_the_run_time_is_named) {
  arguments_.lse.reset();
  options_.status = status_view_;
  for (const char* call : {"cudaGetDeviceCount", "cudaDeviceGetAttribute", "cudaGetDevice",
                           "cudaSetDevice", "cudaStreamIsCapturing", "cudaMallocAsync",
                           "cudaFuncSetAttribute", "cudaMemsetAsync", "cudaLaunchKernel"}) {
    runtime_.errors = {{call, 999}};
    EXPECT_EQ(fault_of().message, std::string(call) + ": cudaErrorFake (a fake error)");
  }
}

TEST_F(CudaLaunch, a_kernel_that_failed_before_is_told_from_this_call) {
  for (const int error : {700, 702, 710, 714, 719}) {
    runtime_.errors = {{"cudaFuncSetAttribute", error}};
    EXPECT_THAT(fault_of().help, HasSubstr("A kernel that was queued before failed"));
  }
  for (const int error : {1, 2, 701, 713, 720, 999}) {
    runtime_.errors = {{"cudaFuncSetAttribute", error}};
    EXPECT_EQ(fault_of().help, "");
  }
}

TEST_F(CudaLaunch, a_build_without_device_code_says_so) {
  options_.cuda = nullptr;
  EXPECT_EQ(fault_of().message, "this build has no code for GPUs");
}

TEST_F(CudaLaunch, what_the_contract_refuses_is_refused_before_the_run_time_is_asked) {
  arguments_.kv.dtype = kBfloat16;
  runtime_.errors = {{"cudaGetDeviceCount", 1}};
  EXPECT_EQ(fault_of(PrefillOutcome::refused).message,
            "kv must be torch.float8_e4m3fn, got torch.bfloat16");
}

TEST_F(CudaLaunch, values_are_not_checked_before_a_call_on_a_gpu) {
  options_.checked = true;
  EXPECT_EQ(fault_of(PrefillOutcome::refused).message,
            "values of CUDA tensors cannot be checked before the call");
}

TEST_F(CudaLaunch, a_status_that_the_kernel_could_not_write_is_refused) {
  const auto words = [this](TensorView status) {
    options_.status = status;
    return fault_of(PrefillOutcome::refused).message;
  };
  TensorView wrong = status_view_;
  wrong.device = {};
  EXPECT_EQ(words(wrong), "status must be on q's device cuda:1, got cpu");
  wrong = status_view_;
  wrong.dtype = kFloat32;
  EXPECT_EQ(words(wrong), "status must be int32 or uint32");
  wrong = status_view_;
  const std::array<std::int64_t, 1> three{3};
  wrong.shape = three;
  EXPECT_EQ(words(wrong), "status must have shape (2,)");
  wrong = status_view_;
  wrong.strides = three;
  EXPECT_EQ(words(wrong), "status must be contiguous");
  wrong = status_view_;
  wrong.byte_offset = 2;
  EXPECT_EQ(words(wrong), "status must point to memory aligned to 4 bytes");
  wrong = status_view_;
  wrong.data = nullptr;
  EXPECT_EQ(words(wrong), "status must point to memory aligned to 4 bytes");
}

// Metadata alone: nobody has so much memory here.
cuda::PrefillLaunch launch_of_queries(std::int64_t s_q) {
  cuda::PrefillLaunch launch;
  launch.params.h_q = 128;
  launch.params.out = reinterpret_cast<std::uint16_t*>(16);
  launch.params.max_logits = launch.params.lse = reinterpret_cast<float*>(16);
  launch.s_q = s_q;
  launch.d_qk = 576;
  return launch;
}

TEST(CudaLaunchGrid, has_a_block_for_each_multiprocessor_unless_there_are_fewer_tasks) {
  FakeCudaRuntime runtime;
  cuda::DeviceOutputs made;
  for (const std::int64_t s_q : {1L, 65L, 66L, 67L, 32'768L, 65'536L, 0x7fffffffL}) {
    EXPECT_FALSE(cuda::launch_prefill(runtime, launch_of_queries(s_q), made));
    EXPECT_EQ(runtime.launches.back().grid.blocks, std::min<std::int64_t>(2 * s_q, 132));
    EXPECT_EQ(runtime.launches.back().params.s_q, s_q);
  }
}

// As the kernel walks: all tasks, each once.
TEST(CudaLaunchGrid, blocks_share_all_tasks_out) {
  for (const std::uint32_t h_q : {64U, 128U, 192U, 448U}) {
    for (const std::uint32_t blocks : {1U, 2U, 5U, 7U, 20U}) {
      cuda::DeviceParams params;
      params.h_q = h_q;
      params.s_q = 20;
      cuda::share_out(params, blocks);
      std::vector<int> taken(cuda::count_tasks(params));
      for (std::uint32_t block = 0; block < blocks; ++block) {
        const std::uint32_t head_blocks = h_q / cuda::kTaskHeads;
        cuda::TaskPosition position{block / head_blocks, block % head_blocks * cuda::kTaskHeads};
        do {
          ++taken.at(static_cast<std::size_t>(position.first_row(params)) / cuda::kTaskHeads);
        } while (position.advance(params));
      }
      EXPECT_THAT(taken, testing::Each(1)) << h_q << " heads, " << blocks << " blocks";
    }
  }
}

TEST(CudaLaunchGrid, more_queries_than_the_kernel_counts_are_refused) {
  FakeCudaRuntime runtime;
  cuda::DeviceOutputs made;
  const auto fault = cuda::launch_prefill(runtime, launch_of_queries(0x80000000), made);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->message,
            "the call has 2147483648 queries, and the kernel counts up to 2147483647");
  EXPECT_THAT(runtime.launches, IsEmpty());
}

}  // namespace
}  // namespace assay::sparse_mla_prefill
