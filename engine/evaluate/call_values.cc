// A dimension is bound by the first tensor given that has it alone as an extent; when that tensor
// has another rank the dimension is unknown. Shapes print as Python's tuples.
#include "engine/evaluate/call_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/evaluate/predicate_evaluator.h"
#include "engine/evaluate/value_text.h"
#include "engine/model/tensor_text.h"

namespace assay {
namespace {

using State = IntegerResult::State;

IntegerResult as_integer(const Value& value) {
  if (value.is(ValueKind::integer)) return {value.as_integer(), State::value};
  if (value.is(ValueKind::boolean)) return {value.as_boolean() ? 1 : 0, State::value};
  return {0, value.is(ValueKind::unknown) ? State::unknown : State::error};
}

// A list of a message is always part of a shape.
std::optional<std::string> tuple_text(const Value& list) {
  std::vector<std::int64_t> numbers;
  for (const Value& item : list.as_list()) {
    if (!item.is(ValueKind::integer)) return std::nullopt;
    numbers.push_back(item.as_integer());
  }
  return shape_text(numbers);
}

}  // namespace

std::string dtypes_text(const std::vector<DType>& dtypes) {
  std::vector<std::string> names;
  for (const DType dtype : dtypes) names.push_back(dtype_text(element_type_of(dtype)));
  return fmt::format("{}", fmt::join(names, " or "));
}

CallValues::CallValues(const CompiledContract& contract, const KernelCall& call)
    : contract_(contract), call_(call) {
  const TensorContract& source = contract.source;
  const ContractPlan& plan = contract.plan;
  integers_.assign(plan.first_presence + source.tensors.size(), {0, State::unknown});
  values_.reserve(contract.names.size());
  for (std::uint32_t slot = 0; slot < contract.names.size(); ++slot) {
    std::uint32_t* const self = memory_.allocate_array<std::uint32_t>(1);
    *self = slot;
    values_.push_back(Value::unknown({self, 1}));
  }
  for (std::size_t i = 0; i < source.scalars.size(); ++i) {
    const Value value = scalar_value(source.scalars[i], call.scalars[i]);
    if (value.is(ValueKind::null)) continue;
    set(source.scalars[i].name, value);
    if (!value.is(ValueKind::real)) integers_[plan.first_scalar + i] = as_integer(value);
  }
  for (std::size_t i = 0; i < source.tensors.size(); ++i) {
    const bool is_given = call.tensors[i] != nullptr;
    integers_[plan.first_presence + i] = {is_given ? 1 : 0, State::value};
    set(source.tensors[i].name, Value::boolean(is_given));
    if (is_given) set_tensor(source.tensors[i].name, *call.tensors[i]);
  }
  bind_dimensions();
}

void CallValues::set(std::string_view name, Value value) {
  values_[contract_.names.find(name)] = value;
}

void CallValues::set_tensor(const std::string& name, const TensorView& view) {
  Value* const extents = memory_.allocate_array<Value>(view.shape.size());
  for (std::size_t i = 0; i < view.shape.size(); ++i) extents[i] = Value::integer(view.shape[i]);
  set(name + ".shape", Value::list({extents, view.shape.size()}));
  set(name + ".dtype", Value::string(memory_.copy(dtype_text(view.dtype))));
  set(name + ".device", Value::string(memory_.copy(device_text(view.device))));
}

void CallValues::bind_dimensions() {
  std::vector<bool> is_claimed(contract_.plan.first_scalar, false);
  for (std::size_t i = 0; i < call_.tensors.size(); ++i) {
    const TensorView* const view = call_.tensors[i];
    const std::vector<PlannedExtent>& extents = contract_.plan.tensors[i].extents;
    if (view == nullptr) continue;
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
      const std::uint32_t slot = extents[axis].slot;
      if (extents[axis].kind != PlannedExtent::Kind::dimension || is_claimed[slot]) continue;
      is_claimed[slot] = true;
      if (view->shape.size() != extents.size()) continue;
      integers_[slot] = {view->shape[axis], State::value};
      set(contract_.source.dimensions[slot].name, Value::integer(view->shape[axis]));
    }
  }
}

IntegerResult CallValues::compute(const std::optional<IntegerExpression>& fast,
                                  const Predicate& predicate) {
  if (fast) return fast->run(integers_);
  return as_integer(evaluate(predicate, values_, memory_));
}

CallValues::Verdict CallValues::judge(const std::optional<IntegerExpression>& fast,
                                      const Predicate& predicate) {
  if (fast) {
    const IntegerResult result = fast->run(integers_);
    if (result.state != State::error) return {result.state, result.is_true(), {}};
  }
  const Value value = evaluate(predicate, values_, memory_);
  const IntegerResult result = as_integer(value);
  Verdict verdict{result.state, result.is_true(), {}};
  if (value.is(ValueKind::error)) verdict.fault = value.as_text();
  return verdict;
}

std::string CallValues::text_of(std::uint32_t slot) const { return python_repr(values_[slot]); }

IntegerResult CallValues::expected_extent(std::size_t tensor, std::size_t axis) {
  const PlannedExtent& extent = contract_.plan.tensors[tensor].extents[axis];
  return compute(extent.expression, contract_.tensors[tensor].extents[axis]);
}

bool CallValues::knows_shape(std::size_t tensor) {
  for (std::size_t axis = 0; axis < contract_.plan.tensors[tensor].extents.size(); ++axis)
    if (expected_extent(tensor, axis).state != State::value) return false;
  return true;
}

std::string CallValues::expected_shape(std::size_t tensor) {
  const ContractTensor& law = contract_.source.tensors[tensor];
  if (law.elements)
    return fmt::format("{} element{}", *law.elements, *law.elements == 1 ? "" : "s");
  std::vector<std::string> extents;
  for (std::size_t axis = 0; axis < law.shape.size(); ++axis) {
    const IntegerResult expected = expected_extent(tensor, axis);
    extents.push_back((law.shape[axis].is_at_least ? "at least " : "") +
                      (expected.state == State::value ? std::to_string(expected.value)
                                                      : law.shape[axis].expression.text));
  }
  return fmt::format("({}{})", fmt::join(extents, ", "), extents.size() == 1 ? "," : "");
}

std::optional<std::string> CallValues::render(const MessageTemplate& message,
                                              const std::size_t* tensor) {
  if (tensor != nullptr) {
    const ContractTensor& law = contract_.source.tensors[*tensor];
    set("name", Value::string(law.name));
    set("expected.dtype", Value::string(memory_.copy(dtypes_text(law.dtypes))));
    set("expected.shape", knows_shape(*tensor)
                              ? Value::string(memory_.copy(expected_shape(*tensor)))
                              : Value::error("not known"));
    if (call_.tensors[*tensor] != nullptr) set_tensor("tensor", *call_.tensors[*tensor]);
  }
  std::string text;
  for (const MessageSegment& segment : message.segments) {
    if (!segment.is_expression) {
      text += segment.text;
      continue;
    }
    const Value value = evaluate(segment.predicate, values_, memory_);
    if (value.is(ValueKind::error) || value.is(ValueKind::unknown)) return std::nullopt;
    if (!value.is(ValueKind::list)) {
      text += segment.is_repr ? python_repr(value) : python_str(value);
    } else if (const auto tuple = tuple_text(value)) {
      text += *tuple;
    } else {
      return std::nullopt;
    }
  }
  return text;
}

}  // namespace assay
