// Validate, make what is missing, share the queries out, add up what the threads counted. CUDA
// tensors part ways after validation (cuda_call.cc).
//
// Threads are started for the call and joined before it returns. Starting one costs some 20 us, a
// query of the timed shape several ms; in exchange there is no pool to own, to size or to lose in a
// fork, no second runtime (OpenMP's) in a Python process that has its own already, and nothing
// global. Threads draw queries from a counter, so that short rows do not leave one idle. A query is
// computed by one thread, always in the same order: results are equal bit for bit.
#include "kernels/sparse_mla_prefill/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include "kernels/sparse_mla_prefill/cpu_attend.h"
#include "kernels/sparse_mla_prefill/cpu_dispatch.h"
#include "kernels/sparse_mla_prefill/cuda_call.h"
#include "kernels/sparse_mla_prefill/validate.h"

namespace assay::sparse_mla_prefill {
namespace {

constexpr std::int64_t kMaxThreads = 1024;

// The value clauses: each kind of fault is one violation, with how often and the first place.
Diagnostics check_values(const PrefillParams& params) {
  Diagnostics violations;
  ValueFaults faults;
  std::string first_index;
  std::string first_length;
  for (std::int64_t query = 0; query < params.s_q; ++query) {
    const std::int64_t count = counted_indices(params, query, faults);
    if (faults.out_of_range_lengths != 0 && first_length.empty()) {
      first_length = fmt::format("{} at [{}]", params.topk_length[query], query);
    }
    for (std::int64_t position = 0; position < count; ++position) {
      const std::int64_t index = params.indices[query * params.topk + position];
      if (index >= -1 && index < params.s_kv) continue;
      ++faults.out_of_range_indices;
      if (first_index.empty())
        first_index = fmt::format("{} at [{}, 0, {}]", index, query, position);
    }
  }
  if (!first_length.empty()) {
    violations.push_back(make_error(
        code::contract_violated, {},
        fmt::format("topk_length values must satisfy 0 <= topk_length <= topk ({})", params.topk),
        fmt::format("{} of them do not; the first is {}.", faults.out_of_range_lengths,
                    first_length)));
  }
  if (!first_index.empty()) {
    violations.push_back(
        make_error(code::contract_violated, {},
                   fmt::format("indices values must satisfy -1 <= index < s_kv ({})", params.s_kv),
                   fmt::format("{} of them do not; the first is {}.", faults.out_of_range_indices,
                               first_index)));
  }
  return violations;
}

template <typename T>
void make_if_missing(T*& output, std::int64_t count, AlignedBuffer& made) {
  if (output != nullptr) return;
  made = AlignedBuffer(static_cast<std::size_t>(count) * sizeof(T));
  output = made.as<T>();
}

struct Worker {
  QueryAttention attention;
  ValueFaults faults;
};

// Runs `work(worker)` for each worker, the first on this thread. A machine that refuses to start
// another thread gets the same result from fewer.
template <typename Work>
void run_on_threads(std::vector<Worker>& workers, const Work& work) {
  std::vector<std::thread> threads;
  threads.reserve(workers.size());
  for (std::size_t i = 1; i < workers.size(); ++i) {
    try {
      threads.emplace_back([&work, &worker = workers[i]] { work(worker); });
    } catch (const std::system_error&) {
      break;
    }
  }
  work(workers.front());
  for (std::thread& thread : threads) thread.join();
}

void compute(const PrefillParams& params, const PrefillOptions& options, PrefillResult& result) {
  const CpuKernels& kernels =
      options.kernels != nullptr ? *options.kernels : *available_cpu_kernels().front();
  const unsigned wanted =
      options.threads != 0 ? options.threads : std::max(1U, std::thread::hardware_concurrency());
  const std::int64_t threads = std::min({std::int64_t{wanted}, params.s_q, kMaxThreads});
  std::vector<Worker> workers;  // all memory is taken before an output is touched
  workers.reserve(static_cast<std::size_t>(threads));
  for (std::int64_t i = 0; i < threads; ++i) {
    workers.push_back({QueryAttention(params, kernels), {}});
  }

  std::atomic<std::int64_t> next_query{0};
  std::atomic<bool> was_cancelled{false};
  run_on_threads(workers, [&](Worker& worker) {
    for (;;) {
      const std::int64_t query = next_query.fetch_add(1, std::memory_order_relaxed);
      if (query >= params.s_q) return;
      if (!worker.attention.attend(query, options.cancellation, worker.faults)) {
        was_cancelled.store(true, std::memory_order_relaxed);
        return;
      }
    }
  });
  for (const Worker& worker : workers) {
    result.faults.out_of_range_indices += worker.faults.out_of_range_indices;
    result.faults.out_of_range_lengths += worker.faults.out_of_range_lengths;
  }
  if (was_cancelled) result.outcome = PrefillOutcome::cancelled;
}

PrefillResult run(const PrefillArguments& arguments, const PrefillOptions& options) {
  PrefillResult result;
  result.violations = validate(arguments, options.contract);
  if (result.violations.empty() && arguments.q.device.type == kCudaDeviceType) {
    queue_on_device(arguments, options, result);
    return result;
  }
  if (result.violations.empty()) {
    PrefillParams params = bind(arguments);
    if (options.checked) result.violations = check_values(params);
    if (result.violations.empty()) {
      const std::int64_t rows = params.s_q * params.h_q;
      make_if_missing(params.out, rows * kValueColumns, result.made.out);
      make_if_missing(params.max_logits, rows, result.made.max_logits);
      make_if_missing(params.lse, rows, result.made.lse);
      compute(params, options, result);
      return result;
    }
  }
  result.outcome = PrefillOutcome::refused;
  return result;
}

}  // namespace

PrefillResult run_prefill(const PrefillArguments& arguments,
                          const PrefillOptions& options) noexcept {
  try {
    return run(arguments, options);
  } catch (const std::bad_alloc&) {
    PrefillResult result;
    result.outcome = PrefillOutcome::out_of_memory;
    return result;
  }
}

}  // namespace assay::sparse_mla_prefill
