// Kernel contracts over the C interface. A legal call is recognised from DLPack's structures as
// they are; views of the tensors are made when it has to be said what is wrong.
#include <fmt/format.h>

#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/bindings/c/tensor_arguments.h"
#include "engine/evaluate/contract_checker.h"
#include "engine/evaluate/legal_call_check.h"
#include "engine/read/contract_reader.h"

namespace {

using namespace assay;
using c::guarded;
using c::no_answer;

constexpr std::size_t kMaxContractBytes = 1u << 20;

// What assay_contract_load makes: the contract and all it looks at.
struct LoadedContract : assay_contract {
  SourceSet own_sources;
  CompiledContract own_contract;
};

std::optional<Value> value_of(const assay_scalar& scalar) {
  switch (scalar.kind) {
    case ASSAY_NOT_GIVEN:
      return Value::null();
    case ASSAY_INTEGER:
      return Value::integer(scalar.value.integer);
    case ASSAY_REAL:
      return Value::real(scalar.value.real);
    case ASSAY_BOOLEAN:
      return Value::boolean(scalar.value.integer != 0);
    default:
      return std::nullopt;
  }
}

struct CallToCheck {
  std::span<const DLTensor* const> tensors;
  std::span<const assay_scalar> scalars;
  ContractProfile profile{};
  std::string_view back_end;
};

assay_status wrong_count(const TensorContract& contract, const CallToCheck& call, char** message) {
  return no_answer(fmt::format("{} takes {} tensors and {} scalars, got {} and {}", contract.kernel,
                               contract.tensors.size(), contract.scalars.size(),
                               call.tensors.size(), call.scalars.size()),
                   message);
}

// What is wrong with a call that is not plainly legal.
assay_status explain(const assay_contract& known, const CallToCheck& call, char** report,
                     char** message) {
  const TensorContract& contract = known.contract->source;
  std::vector<TensorView> views(call.tensors.size());
  std::vector<const TensorView*> tensors(call.tensors.size(), nullptr);
  for (std::size_t i = 0; i < call.tensors.size(); ++i) {
    const DLTensor* const given = call.tensors[i];
    if (given == nullptr) continue;
    if (!c::is_readable(*given)) return c::unreadable(contract.tensors[i].name, *given, message);
    views[i] = c::view_of(*given);
    tensors[i] = &views[i];
  }
  std::vector<Value> scalars;
  for (const assay_scalar& given : call.scalars) {
    const auto value = value_of(given);
    if (!value)
      return no_answer(fmt::format("`{}` is of kind {}, which is none of a scalar",
                                   contract.scalars[scalars.size()].name, given.kind),
                       message);
    scalars.push_back(*value);
  }
  const auto violations =
      check_contract(*known.contract, {tensors, scalars, call.back_end}, call.profile);
  if (violations.empty()) return ASSAY_CLEAN;
  return c::refusal({&contract, violations, call.profile, call.back_end, known.sources}, report,
                    message);
}

assay_status check(const assay_contract& known, const CallToCheck& call, char** report,
                   char** message) {
  const TensorContract& contract = known.contract->source;
  if (call.tensors.size() != contract.tensors.size() ||
      call.scalars.size() != contract.scalars.size())
    return wrong_count(contract, call, message);
  // Only as many as there are get a value: 64 would be half the time of a check.
  alignas(Value) std::array<std::byte, sizeof(Value) * kMaxContractNames> scalar_room;
  auto* const scalars = reinterpret_cast<Value*>(scalar_room.data());
  for (std::size_t i = 0; i < call.scalars.size(); ++i) {
    const auto value = value_of(call.scalars[i]);
    if (!value) return explain(known, call, report, message);
    std::construct_at(scalars + i, *value);
  }
  const bool is_legal =
      LegalCallCheck<c::DlpackAccess>(*known.contract, call.tensors, {scalars, call.scalars.size()},
                                      call.back_end, call.profile)
          .run();
  return is_legal ? ASSAY_CLEAN : explain(known, call, report, message);
}

}  // namespace

extern "C" {

assay_status assay_contract_load(const char* yaml, size_t size, assay_contract** contract,
                                 char** message) noexcept {
  return guarded(nullptr, message, [&] {
    if (contract == nullptr) return no_answer("`contract` is NULL", message);
    *contract = nullptr;
    if (yaml == nullptr) return no_answer("`yaml` is NULL", message);
    if (size > kMaxContractBytes) return no_answer("the contract is larger than 1 MiB", message);
    auto loaded = std::make_unique<LoadedContract>();
    const SourceId source = loaded->own_sources.add("<contract>", std::string(yaml, size));
    auto read = read_contract(loaded->own_sources, source);
    if (!read) return no_answer(read.error(), loaded->own_sources, message);
    auto compiled = compile_contract(std::move(*read));
    if (!compiled) return no_answer(compiled.error(), loaded->own_sources, message);
    loaded->own_contract = std::move(*compiled);
    loaded->contract = &loaded->own_contract;
    loaded->sources = &loaded->own_sources;
    *contract = loaded.release();
    return ASSAY_CLEAN;
  });
}

// Only what assay_contract_load made comes here.
void assay_contract_free(assay_contract* contract) noexcept {
  delete static_cast<LoadedContract*>(contract);
}

const assay_contract* assay_knowledge_contract(const assay_knowledge* knowledge,
                                               const char* kernel) noexcept {
  if (knowledge == nullptr || kernel == nullptr) return nullptr;
  for (const assay_contract& one : knowledge->contracts)
    if (one.contract->source.kernel == kernel) return &one;
  return nullptr;
}

const char* assay_contract_tensor_name(const assay_contract* contract, size_t index) noexcept {
  if (contract == nullptr || index >= contract->contract->source.tensors.size()) return nullptr;
  return contract->contract->source.tensors[index].name.c_str();
}

const char* assay_contract_scalar_name(const assay_contract* contract, size_t index) noexcept {
  if (contract == nullptr || index >= contract->contract->source.scalars.size()) return nullptr;
  return contract->contract->source.scalars[index].name.c_str();
}

assay_status assay_contract_check(const assay_contract* contract, const DLTensor* const* tensors,
                                  size_t tensor_count, const assay_scalar* scalars,
                                  size_t scalar_count, assay_profile profile, const char* back_end,
                                  char** report, char** message) noexcept {
  return guarded(report, message, [&] {
    if (contract == nullptr) return no_answer("`contract` is NULL", message);
    if (tensors == nullptr && tensor_count > 0) return no_answer("`tensors` is NULL", message);
    if (scalars == nullptr && scalar_count > 0) return no_answer("`scalars` is NULL", message);
    std::underlying_type_t<assay_profile> number = 0;
    std::memcpy(&number, &profile, sizeof(number));  // may hold a number that the enum lacks
    if (number < ASSAY_PROFILE_SAFETY || number > ASSAY_PROFILE_BOTH)
      return no_answer(fmt::format("`profile` is {}, which is none", number), message);
    return check(*contract,
                 {{tensors, tensor_count},
                  {scalars, scalar_count},
                  static_cast<ContractProfile>(number),
                  back_end == nullptr ? "" : back_end},
                 report, message);
  });
}

}  // extern "C"
