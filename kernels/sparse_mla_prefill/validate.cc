// The verdict on a legal call is the code that the build makes from the contract; its words, for a
// call that is not, come from the contract itself, which is compiled at the first refusal. A loaded
// contract is asked in addition: nothing it says can turn a refusal into a pass.
#include "kernels/sparse_mla_prefill/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/evaluate/contract_checker.h"
#include "engine/model/tensor_text.h"
#include "engine/read/contract_reader.h"

namespace assay::sparse_mla_prefill {
namespace {

namespace built_in = contracts::sparse_mla_q8kv8_prefill_fwd;

const TensorView* pointer(const std::optional<TensorView>& tensor) {
  return tensor ? &*tensor : nullptr;
}

using NamedTensor = std::pair<std::string_view, const TensorView*>;

std::array<NamedTensor, 10> named_tensors(const PrefillArguments& arguments) {
  return {{{"q", &arguments.q},
           {"kv", &arguments.kv},
           {"indices", &arguments.indices},
           {"topk_length", pointer(arguments.topk_length)},
           {"attn_sink", pointer(arguments.attn_sink)},
           {"q_scale", &arguments.q_scale},
           {"kv_scale", &arguments.kv_scale},
           {"out", pointer(arguments.out)},
           {"max_logits", pointer(arguments.max_logits)},
           {"lse", pointer(arguments.lse)}}};
}

void add(std::vector<ContractViolation>& violations, ContractViolation one) {
  const bool is_said =
      std::any_of(violations.begin(), violations.end(),
                  [&](const ContractViolation& said) { return said.message == one.message; });
  if (!is_said) violations.push_back(std::move(one));
}

// Holds the arguments against the safety profile of `contract`, which binds them by name.
std::vector<ContractViolation> check(const CompiledContract& contract,
                                     const PrefillArguments& arguments) {
  const auto known = named_tensors(arguments);
  const std::vector<ContractTensor>& laws = contract.source.tensors;
  std::array<const TensorView*, kMaxContractTensors> tensors;
  for (std::size_t i = 0; i < laws.size(); ++i) {
    const auto* const found = std::find_if(known.begin(), known.end(), [&](const NamedTensor& one) {
      return one.first == laws[i].name;
    });
    tensors[i] = found == known.end() ? nullptr : found->second;
  }
  const std::vector<ContractScalar>& scalar_laws = contract.source.scalars;
  std::array<Value, kMaxContractNames> scalars;
  for (std::size_t i = 0; i < scalar_laws.size(); ++i) {
    if (scalar_laws[i].name == "sm_scale") scalars[i] = Value::real(double{arguments.sm_scale});
    if (scalar_laws[i].name == "d_v") scalars[i] = Value::integer(arguments.d_v);
  }
  const KernelCall call{
      {tensors.data(), laws.size()}, {scalars.data(), scalar_laws.size()}, back_end_of(arguments)};
  return check_contract(contract, call, ContractProfile::safety);
}

ContractViolation foreign_device(Device device) {
  ContractViolation violation;
  violation.id = "no-back-end";
  violation.argument = "q";
  violation.expected = "cpu or cuda";
  violation.found = device_text(device);
  violation.message = fmt::format("q must be a CPU or CUDA tensor, got {}", violation.found);
  violation.profile = ContractProfile::safety;
  return violation;
}

bool is_plainly_legal_here(const PrefillArguments& arguments) {
  const auto named = named_tensors(arguments);
  PrefillTensors<ViewAccess> views{};
  for (std::size_t i = 0; i < views.size(); ++i) views[i] = named[i].second;
  return is_plainly_legal<ViewAccess>(views, arguments.sm_scale, arguments.d_v);
}

const void* first_byte(const TensorView& tensor) {
  return static_cast<const std::byte*>(tensor.data) + tensor.byte_offset;
}

template <typename T>
T* data_of(const std::optional<TensorView>& tensor) {
  // Outputs come as views, whose pointer is to const; the contract says that they are written.
  return tensor ? static_cast<T*>(const_cast<void*>(first_byte(*tensor))) : nullptr;
}

}  // namespace

const BuiltInContract& built_in_contract() {
  static const BuiltInContract made = [] {
    BuiltInContract result;
    const SourceId source =
        result.sources.add("sparse_mla_q8kv8_prefill_fwd.yaml", std::string(built_in::yaml()));
    auto read = read_contract(result.sources, source);
    ASSAY_CHECK(read.has_value(), "the contract of the build can be read");
    auto compiled = compile_contract(std::move(*read));
    ASSAY_CHECK(compiled.has_value(), "the contract of the build compiles");
    result.contract = std::move(*compiled);
    return result;
  }();
  return made;
}

std::vector<ContractViolation> find_violations(const PrefillArguments& arguments,
                                               const CompiledContract* loaded) {
  std::vector<ContractViolation> violations;
  if (!is_plainly_legal_here(arguments)) {
    if (!has_back_end(arguments.q.device)) add(violations, foreign_device(arguments.q.device));
    for (ContractViolation& one : check(built_in_contract().contract, arguments))
      add(violations, std::move(one));
  }
  if (loaded == nullptr) return violations;
  for (ContractViolation& one : check(*loaded, arguments)) {
    one.span = {};
    add(violations, std::move(one));
  }
  return violations;
}

Diagnostics validate(const PrefillArguments& arguments, const CompiledContract* loaded) {
  Diagnostics violations;
  for (ContractViolation& one : find_violations(arguments, loaded))
    violations.push_back(make_error(code::contract_violated, {}, std::move(one.message)));
  return violations;
}

const char* back_end_of(const PrefillArguments& arguments) {
  return arguments.q.device.type == kCudaDeviceType ? "sm90" : "cpu";
}

cuda::PrefillLaunch bind_on_device(const PrefillArguments& arguments) {
  cuda::DeviceParams params;
  params.q = static_cast<const std::uint8_t*>(first_byte(arguments.q));
  params.kv = static_cast<const std::uint8_t*>(first_byte(arguments.kv));
  params.indices = static_cast<const std::int32_t*>(first_byte(arguments.indices));
  params.q_scale = static_cast<const float*>(first_byte(arguments.q_scale));
  params.kv_scale = static_cast<const float*>(first_byte(arguments.kv_scale));
  params.topk_length = data_of<const std::int32_t>(arguments.topk_length);
  params.attn_sink = data_of<const float>(arguments.attn_sink);
  params.out = data_of<std::uint16_t>(arguments.out);
  params.max_logits = data_of<float>(arguments.max_logits);
  params.lse = data_of<float>(arguments.lse);
  params.s_kv = arguments.kv.shape[0];
  params.h_q = static_cast<std::uint32_t>(arguments.q.shape[1]);
  params.topk = static_cast<std::uint32_t>(arguments.indices.shape[2]);
  params.sm_scale = arguments.sm_scale;
  return {params, arguments.q.shape[0], arguments.q.shape[2], arguments.q.device.id, nullptr};
}

PrefillParams bind(const PrefillArguments& arguments) {
  return {.s_q = arguments.q.shape[0],
          .h_q = arguments.q.shape[1],
          .d_qk = arguments.q.shape[2],
          .s_kv = arguments.kv.shape[0],
          .topk = arguments.indices.shape[2],
          .q_scale = *static_cast<const float*>(first_byte(arguments.q_scale)),
          .kv_scale = *static_cast<const float*>(first_byte(arguments.kv_scale)),
          .sm_scale = arguments.sm_scale,
          .q = static_cast<const std::uint8_t*>(first_byte(arguments.q)),
          .kv = static_cast<const std::uint8_t*>(first_byte(arguments.kv)),
          .indices = static_cast<const std::int32_t*>(first_byte(arguments.indices)),
          .topk_length = data_of<const std::int32_t>(arguments.topk_length),
          .attn_sink = data_of<const float>(arguments.attn_sink),
          .out = data_of<std::uint16_t>(arguments.out),
          .max_logits = data_of<float>(arguments.max_logits),
          .lse = data_of<float>(arguments.lse)};
}

}  // namespace assay::sparse_mla_prefill
