// The prefill over the C interface. What is wrong with a call is found before it is run, so that
// its report has what was expected and found; running finds it once more, which costs some 60 ns.
#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/bindings/c/tensor_arguments.h"
#include "kernels/sparse_mla_prefill/cuda_runtime.h"
#include "kernels/sparse_mla_prefill/launch.h"
#include "kernels/sparse_mla_prefill/validate.h"

namespace {

using namespace assay;
using c::guarded;
using c::no_answer;
using c::refusal;
using c::view_of;
namespace prefill = assay::sparse_mla_prefill;

void set(std::optional<TensorView>& view, const DLTensor* tensor) {
  if (tensor != nullptr) view = view_of(*tensor);
}

bool is_given(const DLTensor* tensor) { return tensor != nullptr && c::is_readable(*tensor); }
bool is_given_or_null(const DLTensor* tensor) {
  return tensor == nullptr || c::is_readable(*tensor);
}

bool is_readable(const assay_prefill_call& call) {
  return is_given(call.q) && is_given(call.kv) && is_given(call.indices) &&
         is_given(call.q_scale) && is_given(call.kv_scale) && is_given_or_null(call.topk_length) &&
         is_given_or_null(call.attn_sink) && is_given_or_null(call.out) &&
         is_given_or_null(call.max_logits) && is_given_or_null(call.lse);
}

// Why it is not.
assay_status unreadable(const assay_prefill_call& call, char** message) {
  const std::array<std::pair<const char*, const DLTensor*>, 10> tensors{
      {{"q", call.q},
       {"kv", call.kv},
       {"indices", call.indices},
       {"q_scale", call.q_scale},
       {"kv_scale", call.kv_scale},
       {"topk_length", call.topk_length},
       {"attn_sink", call.attn_sink},
       {"out", call.out},
       {"max_logits", call.max_logits},
       {"lse", call.lse}}};
  constexpr std::size_t kNeeded = 5;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const auto& [name, tensor] = tensors[i];
    if (i < kNeeded && tensor == nullptr)
      return no_answer(fmt::format("`{}` is NULL", name), message);
    if (!is_given_or_null(tensor)) return c::unreadable(name, *tensor, message);
  }
  return ASSAY_NO_ANSWER;
}

// False: `message` says why the call cannot be looked at.
bool read_call(const assay_prefill_call* call, prefill::PrefillArguments& arguments,
               char** message) {
  if (call == nullptr || call->size != sizeof(assay_prefill_call)) {
    no_answer(call == nullptr ? "`call` is NULL" : "`call->size` is not sizeof(assay_prefill_call)",
              message);
    return false;
  }
  if (!is_readable(*call)) {
    unreadable(*call, message);
    return false;
  }
  arguments.q = view_of(*call->q);
  arguments.kv = view_of(*call->kv);
  arguments.indices = view_of(*call->indices);
  arguments.q_scale = view_of(*call->q_scale);
  arguments.kv_scale = view_of(*call->kv_scale);
  set(arguments.topk_length, call->topk_length);
  set(arguments.attn_sink, call->attn_sink);
  set(arguments.out, call->out);
  set(arguments.max_logits, call->max_logits);
  set(arguments.lse, call->lse);
  arguments.sm_scale = static_cast<float>(call->sm_scale);
  arguments.d_v = call->d_v;
  return true;
}

// Quicker than read_call, and of any call: nothing is copied.
bool is_plainly_legal(const assay_prefill_call& call) {
  return prefill::is_plainly_legal<c::DlpackAccess>(
      {call.q, call.kv, call.indices, call.topk_length, call.attn_sink, call.q_scale, call.kv_scale,
       call.out, call.max_logits, call.lse},
      static_cast<float>(call.sm_scale), call.d_v);
}

assay_status refuse_prefill(const std::vector<ContractViolation>& violations, const char* back_end,
                            char** report, char** message) {
  const prefill::BuiltInContract& built_in = prefill::built_in_contract();
  return refusal(
      {&built_in.contract.source, violations, ContractProfile::safety, back_end, &built_in.sources},
      report, message);
}

// What a call with `checked` found in the values, or one on a GPU in its options; a clause of the
// contract begins with the argument that the message begins with.
std::vector<ContractViolation> value_violations(const Diagnostics& found) {
  std::vector<ContractViolation> violations;
  for (const Diagnostic& fault : found) {
    ContractViolation one;
    if (fault.message.starts_with("topk_length")) {
      one.argument = "topk_length";
      one.id = "topk-length-range";
    } else if (fault.message.starts_with("indices")) {
      one.argument = "indices";
      one.id = "indices-range";
    } else {
      one.argument = fault.message.starts_with("status") ? "status" : "checked";
      one.id = "device-call";
    }
    one.expected = fault.message;
    one.found = fault.help;
    one.message = fault.message;
    one.profile = ContractProfile::safety;
    violations.push_back(std::move(one));
  }
  return violations;
}

// A tensor that owns its memory.
template <class Buffer>
struct MadeTensor {
  DLManagedTensor managed;
  Buffer memory;
  std::array<std::int64_t, 3> shape;
  std::array<std::int64_t, 3> strides;
};

struct Free {
  void operator()(DLManagedTensor* tensor) const { tensor->deleter(tensor); }
};
using ManagedTensor = std::unique_ptr<DLManagedTensor, Free>;

template <class Buffer>
ManagedTensor hand_out(Buffer memory, DLDevice device, DLDataType dtype,
                       std::span<const std::int64_t> shape) {
  if (memory.data() == nullptr) return nullptr;
  auto made = std::make_unique<MadeTensor<Buffer>>();
  made->memory = std::move(memory);
  std::int64_t stride = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    made->shape[axis] = shape[axis];
    made->strides[axis] = stride;
    stride *= shape[axis];
  }
  DLTensor& tensor = made->managed.dl_tensor;
  tensor.data = made->memory.data();
  tensor.device = device;
  tensor.ndim = static_cast<std::int32_t>(shape.size());
  tensor.dtype = dtype;
  tensor.shape = made->shape.data();
  tensor.strides = made->strides.data();
  tensor.byte_offset = 0;
  made->managed.manager_ctx = made.get();
  made->managed.deleter = [](DLManagedTensor* self) {
    delete static_cast<MadeTensor<Buffer>*>(self->manager_ctx);
  };
  return ManagedTensor(&made.release()->managed);
}

template <class Outputs>
void hand_out_all(Outputs made, const DLTensor& q, assay_prefill_result& result) {
  const std::array<std::int64_t, 3> shape{q.shape[0], q.shape[1], prefill::kValueColumns};
  const std::span<const std::int64_t> rows(shape.data(), 2);
  ManagedTensor out = hand_out(std::move(made.out), q.device, {kDLBfloat, 16, 1}, shape);
  ManagedTensor max_logits =
      hand_out(std::move(made.max_logits), q.device, {kDLFloat, 32, 1}, rows);
  ManagedTensor lse = hand_out(std::move(made.lse), q.device, {kDLFloat, 32, 1}, rows);
  result.out = out.release();
  result.max_logits = max_logits.release();
  result.lse = lse.release();
}

std::string text_of(const Diagnostic& fault) {
  return fault.help.empty() ? fault.message : fmt::format("{}. {}", fault.message, fault.help);
}

assay_status run(const assay_prefill_call& call, const prefill::PrefillArguments& arguments,
                 const prefill::PrefillOptions& options, assay_prefill_result& result,
                 char** report, char** message) {
  const auto violations = prefill::find_violations(arguments, options.contract);
  const char* const back_end = prefill::back_end_of(arguments);
  if (!violations.empty()) return refuse_prefill(violations, back_end, report, message);
  prefill::PrefillResult done = prefill::run_prefill(arguments, options);
  result.out_of_range_indices = static_cast<std::uint64_t>(done.faults.out_of_range_indices);
  result.out_of_range_lengths = static_cast<std::uint64_t>(done.faults.out_of_range_lengths);
  switch (done.outcome) {
    case prefill::PrefillOutcome::done:
      if (arguments.q.device.type == kCudaDeviceType)
        hand_out_all(std::move(done.made_on_device), *call.q, result);
      else
        hand_out_all(std::move(done.made), *call.q, result);
      return ASSAY_CLEAN;
    case prefill::PrefillOutcome::refused:
      return refuse_prefill(value_violations(done.violations), back_end, report, message);
    case prefill::PrefillOutcome::failed:
      return no_answer(text_of(done.violations.front()), message);
    case prefill::PrefillOutcome::out_of_memory:
      return no_answer("out of memory", message);
    case prefill::PrefillOutcome::cancelled:
      break;
  }
  return ASSAY_CANCELLED;
}

}  // namespace

extern "C" {

assay_status assay_prefill_check(const assay_prefill_call* call, const assay_contract* contract,
                                 char** report, char** message) noexcept {
  return guarded(report, message, [&] {
    if (contract == nullptr && call != nullptr && call->size == sizeof(assay_prefill_call) &&
        is_plainly_legal(*call))
      return ASSAY_CLEAN;
    prefill::PrefillArguments arguments;
    if (!read_call(call, arguments, message)) return ASSAY_NO_ANSWER;
    const auto violations =
        prefill::find_violations(arguments, contract == nullptr ? nullptr : contract->contract);
    return violations.empty()
               ? ASSAY_CLEAN
               : refuse_prefill(violations, prefill::back_end_of(arguments), report, message);
  });
}

assay_status assay_prefill(const assay_prefill_call* call, const assay_prefill_options* options,
                           assay_prefill_result* result, char** report, char** message) noexcept {
  return guarded(report, message, [&] {
    if (result == nullptr || result->size != sizeof(assay_prefill_result))
      return no_answer(result == nullptr ? "`result` is NULL"
                                         : "`result->size` is not sizeof(assay_prefill_result)",
                       message);
    *result = {sizeof(assay_prefill_result), 0, 0, nullptr, nullptr, nullptr};
    if (options != nullptr && options->size != sizeof(assay_prefill_options))
      return no_answer("`options->size` is not sizeof(assay_prefill_options)", message);
    prefill::PrefillArguments arguments;
    if (!read_call(call, arguments, message)) return ASSAY_NO_ANSWER;
    prefill::PrefillOptions chosen;
    chosen.cuda = cuda::linked_cuda_runtime();
    if (options != nullptr) {
      chosen.checked = options->checked != 0;
      chosen.threads = options->threads;
      chosen.stream = options->stream;
      chosen.cancellation = c::wish_of(options->cancellation);
      if (!is_given_or_null(options->status))
        return c::unreadable("status", *options->status, message);
      set(chosen.status, options->status);
      if (options->contract != nullptr) chosen.contract = options->contract->contract;
    }
    return run(*call, arguments, chosen, *result, report, message);
  });
}

}  // extern "C"
