// What the expressions of a contract read about one call: integers for IntegerExpression, values
// for everything else. Made only when something is wrong with a call.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/compile/compiled_contract.h"
#include "engine/evaluate/kernel_call.h"
#include "engine/model/value.h"

namespace assay {

class CallValues {
 public:
  // Keeps references to both.
  CallValues(const CompiledContract& contract, const KernelCall& call);

  const std::vector<IntegerResult>& integers() const { return integers_; }

  // An integer that the contract computes: an extent or a stride.
  IntegerResult compute(const std::optional<IntegerExpression>& fast, const Predicate& predicate);
  // A clause's `require`: true, false, or why it cannot be said.
  struct Verdict {
    IntegerResult::State state = IntegerResult::State::value;
    bool holds = false;
    std::string fault;
  };
  Verdict judge(const std::optional<IntegerExpression>& fast, const Predicate& predicate);

  std::string text_of(std::uint32_t slot) const;  // a value by slot of contract.names

  // The extent of a shape as the call fixes it.
  IntegerResult expected_extent(std::size_t tensor, std::size_t axis);
  std::string expected_shape(std::size_t tensor);  // "(4, 128, 512)"; "(4, ?)" if one is unknown
  bool knows_shape(std::size_t tensor);

  // The message for the tensor a clause is judged for (nullptr: for none); nothing if part of it
  // is not known.
  std::optional<std::string> render(const MessageTemplate& message, const std::size_t* tensor);

 private:
  void bind_dimensions();
  void set(std::string_view name, Value value);
  void set_tensor(const std::string& name, const TensorView& view);

  const CompiledContract& contract_;
  const KernelCall& call_;
  Arena memory_;
  std::vector<IntegerResult> integers_;
  std::vector<Value> values_;  // by slot of contract.names
};

// "torch.float16 or torch.bfloat16"
std::string dtypes_text(const std::vector<DType>& dtypes);

}  // namespace assay
