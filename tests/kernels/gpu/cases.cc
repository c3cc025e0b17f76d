// Bounds: those of the emulator for `out`; wider ones for logits, whose sums have some 14 bits in
// the hardware and float32's in the emulator (tools/bench/accumulation_model.py: off by 2e-3 at
// most).
#include <algorithm>
#include <cstdio>
#include <vector>

#include "kernels/sparse_mla_prefill/device_launch.h"
#include "tests/kernels/gpu/device_memory.h"
#include "tests/kernels/gpu/parts.h"
#include "tests/kernels/sparse_mla_prefill/prefill_matrix.h"

namespace assay::gpu_check {
namespace {

using sparse_mla_prefill::Accuracy;
using sparse_mla_prefill::CaseOptions;
using sparse_mla_prefill::PrefillCase;
using sparse_mla_prefill::ReferenceOutputs;

// A case's tensors on the device.
struct DeviceCase {
  explicit DeviceCase(const PrefillCase& prefill)
      : q(prefill.q),
        kv(prefill.kv),
        out(prefill.out),
        indices(prefill.indices),
        lengths(prefill.lengths),
        sink(prefill.sink),
        max_logits(prefill.max_logits),
        lse(prefill.lse),
        scales(std::vector<float>{prefill.q_scale, prefill.kv_scale}),
        status(2) {
    const CaseOptions& o = prefill.options;
    cuda::DeviceParams& params = launch.params;
    params.q = q.data();
    params.kv = kv.data();
    params.indices = indices.data();
    params.q_scale = scales.data();
    params.kv_scale = scales.data() + 1;
    params.topk_length = o.has_lengths ? lengths.data() : nullptr;
    params.attn_sink = o.has_sink ? sink.data() : nullptr;
    params.out = out.data();
    params.max_logits = max_logits.data();
    params.lse = lse.data();
    params.status = reinterpret_cast<cuda::DeviceStatus*>(status.data());
    params.s_kv = o.s_kv;
    params.h_q = static_cast<std::uint32_t>(o.h_q);
    params.topk = static_cast<std::uint32_t>(o.topk);
    params.sm_scale = o.sm_scale;
    launch.s_q = o.s_q;
    launch.d_qk = o.d_qk;
  }

  void run(void* stream = nullptr) {
    launch.stream = stream;
    cuda::DeviceOutputs made;
    const auto fault = cuda::launch_prefill(*cuda::linked_cuda_runtime(), launch, made);
    if (!fault) return;
    std::fprintf(stderr, "%s. %s\n", fault->message.c_str(), fault->help.c_str());
    std::exit(3);
  }

  void fetch(PrefillCase& prefill) const {
    require(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    out.copy_to(prefill.out);
    max_logits.copy_to(prefill.max_logits);
    lse.copy_to(prefill.lse);
  }

  DeviceArray<std::uint8_t> q, kv;
  DeviceArray<std::uint16_t> out;
  DeviceArray<std::int32_t> indices, lengths;
  DeviceArray<float> sink, max_logits, lse, scales;
  DeviceArray<std::uint32_t> status;
  cuda::PrefillLaunch launch;
};

class Report {
 public:
  Report() { std::printf("["); }
  ~Report() { std::printf("\n]\n"); }

  void add(const std::string& name, bool is_right, const std::string& figures = {}) {
    std::printf("%s\n  {\"name\": \"%s\", \"right\": %s%s}", is_first_ ? "" : ",", name.c_str(),
                is_right ? "true" : "false", figures.c_str());
    std::fflush(stdout);
    is_first_ = false;
    all_right_ = all_right_ && is_right;
  }
  bool all_right() const { return all_right_; }

 private:
  bool is_first_ = true;
  bool all_right_ = true;
};

void check_against_reference(const sparse_mla_prefill::MatrixCase& one, Report& report) {
  PrefillCase prefill = one.make();
  DeviceCase on_device(prefill);
  on_device.run();
  on_device.fetch(prefill);
  std::vector<std::uint32_t> status(2);
  on_device.status.copy_to(status);
  const ReferenceOutputs reference = prefill.reference();
  const Accuracy found = prefill.compare(reference);
  const bool is_right =
      found.same_nonfinite && found.out_relative_mean < 0.03 &&
      found.out_cosine_difference < 1e-3 && found.lse_difference < 1e-2 * one.logit_size &&
      found.max_logits_difference < 1e-2 * one.logit_size &&
      status[0] == reference.out_of_range_indices && status[1] == reference.out_of_range_lengths;
  char figures[256];
  std::snprintf(figures, sizeof figures,
                ", \"out_relative_mean\": %.3e, \"out_cosine_difference\": %.3e, "
                "\"lse_difference\": %.3e, \"max_logits_difference\": %.3e, \"same_nonfinite\": %s",
                found.out_relative_mean, found.out_cosine_difference, found.lse_difference,
                found.max_logits_difference, found.same_nonfinite ? "true" : "false");
  report.add(one.name, is_right, figures);
}

// All queries alike: every row of the last query is a row of the first.
void check_large_call(Report& report) {
  constexpr std::int64_t kQueries = 66'000;
  constexpr std::size_t kRow = 512;
  PrefillCase small({.s_q = 1, .d_qk = 512});
  DeviceCase one(small);
  const std::size_t q_bytes = small.q.size();
  const DeviceArray<std::uint8_t> q(kQueries * q_bytes);
  const DeviceArray<std::int32_t> indices(kQueries * small.indices.size());
  const DeviceArray<std::uint16_t> out(kQueries * 64 * kRow);
  const DeviceArray<float> rows(2 * kQueries * 64);
  require(cudaMemset(q.data(), 0x38, q.size()), "cudaMemset");
  require(cudaMemset(indices.data(), 0, indices.size() * sizeof(std::int32_t)), "cudaMemset");
  one.launch.s_q = kQueries;
  one.launch.params.q = q.data();
  one.launch.params.indices = indices.data();
  one.launch.params.out = out.data();
  one.launch.params.max_logits = rows.data();
  one.launch.params.lse = rows.data() + kQueries * 64;
  one.run();
  require(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  std::vector<std::uint16_t> first(kRow), last(kRow);
  out.copy_to(first);
  out.copy_to(last, (kQueries * 64 - 1) * kRow);
  const bool has_values = std::any_of(first.begin(), first.end(), [](auto bits) { return bits; });
  report.add("call_of_66000_tasks", first == last && has_values);
}

// A launch captured on a stream of its own and replayed gives the bits of a plain one.
void check_graph(Report& report) {
  PrefillCase plain({.s_q = 3, .h_q = 128, .topk = 768, .has_sink = true, .masked_share = 0.2});
  PrefillCase replayed = plain;
  DeviceCase on_device(plain);
  on_device.run();
  on_device.fetch(plain);
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t program = nullptr;
  require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  require(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "cudaStreamBeginCapture");
  on_device.run(stream);
  require(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
  require(cudaGraphInstantiate(&program, graph, 0), "cudaGraphInstantiate");
  bool is_equal = true;
  for (int replay = 0; replay < 20; ++replay) {
    require(cudaMemsetAsync(on_device.out.data(), 0xa5, on_device.out.size() * 2, stream),
            "cudaMemsetAsync");
    require(cudaGraphLaunch(program, stream), "cudaGraphLaunch");
    on_device.fetch(replayed);
    is_equal = is_equal && replayed.out == plain.out && replayed.lse == plain.lse;
  }
  require(cudaGraphExecDestroy(program), "cudaGraphExecDestroy");
  require(cudaGraphDestroy(graph), "cudaGraphDestroy");
  require(cudaStreamDestroy(stream), "cudaStreamDestroy");
  report.add("graph_replayed_20_times", is_equal);
}

}  // namespace

bool check_cases(const std::vector<std::string>& only) {
  Report report;
  for (const auto& one : sparse_mla_prefill::prefill_matrix()) {
    if (only.empty() || std::find(only.begin(), only.end(), one.name) != only.end())
      check_against_reference(one, report);
  }
  if (only.empty()) {
    check_large_call(report);
    check_graph(report);
  }
  return report.all_right();
}

}  // namespace assay::gpu_check
