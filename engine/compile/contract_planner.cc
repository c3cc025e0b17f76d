// Tensors become numbers, expressions IntegerExpressions where they can, clauses steps. A clause
// over several tensors is judged for each of them before the next clause; in a group (`for_each`)
// all clauses are judged for one tensor before the next tensor.
#include "engine/compile/contract_planner.h"

#include <algorithm>
#include <utility>

#include "engine/compile/fast_planner.h"
#include "engine/model/tensor_text.h"

namespace assay {
namespace {

class Planner {
 public:
  explicit Planner(const CompiledContract& contract)
      : contract_(contract), source_(contract.source) {}

  ContractPlan plan() {
    number_slots();
    for (std::size_t i = 0; i < source_.tensors.size(); ++i) plan_tensor(i);
    plan_clauses();
    if (plan_.is_integral) plan_.is_integral = plan_fast(source_, plan_);
    return std::move(plan_);
  }

 private:
  void number_slots() {
    slot_map_.assign(contract_.names.size(), kNoSlot);
    std::uint32_t next = 0;
    const auto add = [&](const std::string& name) {
      slot_map_[contract_.names.find(name)] = next++;
    };
    for (const ContractDimension& dimension : source_.dimensions) add(dimension.name);
    plan_.first_scalar = next;
    for (const ContractScalar& scalar : source_.scalars) {
      add(scalar.name);
      if (scalar.type.kind == TypeKind::real)
        slot_map_[contract_.names.find(scalar.name)] = kNoSlot;
    }
    plan_.first_presence = next;
    for (const ContractTensor& tensor : source_.tensors) add(tensor.name);
  }

  std::optional<IntegerExpression> expression(const Predicate& predicate) {
    auto result = IntegerExpression::from(predicate, slot_map_);
    if (!result) plan_.is_integral = false;
    return result;
  }

  void plan_tensor(std::size_t index) {
    const ContractTensor& tensor = source_.tensors[index];
    const CompiledTensor& compiled = contract_.tensors[index];
    PlannedTensor planned;
    for (const DType dtype : tensor.dtypes) planned.dtypes.push_back(element_type_of(dtype));
    if (!tensor.device.empty()) planned.device_type = parse_device(tensor.device)->type;
    for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis)
      planned.extents.push_back(plan_extent(tensor.shape[axis], compiled.extents[axis]));
    std::size_t next = 0;
    for (const ExpressionText& stride : tensor.strides) {
      PlannedStride result;
      result.is_any = stride.text.empty();
      if (!result.is_any) {
        result.predicate = next;
        result.expression = expression(compiled.strides[next++]);
      }
      planned.strides.push_back(std::move(result));
    }
    plan_.tensors.push_back(std::move(planned));
  }

  PlannedExtent plan_extent(const Extent& extent, const Predicate& predicate) {
    PlannedExtent planned;
    planned.is_at_least = extent.is_at_least;
    planned.expression = expression(predicate);
    planned.kind = PlannedExtent::Kind::computed;
    if (!planned.expression || planned.expression->code().size() != 1) return planned;
    const IntegerInstruction& only = planned.expression->code().front();
    planned.slot = only.operand;
    planned.value = only.value;
    if (only.op == IntegerOp::constant) planned.kind = PlannedExtent::Kind::constant;
    if (only.op == IntegerOp::slot && only.operand < plan_.first_scalar && !extent.is_at_least)
      planned.kind = PlannedExtent::Kind::dimension;
    return planned;
  }

  std::uint32_t tensor_index(const std::string& name) const {
    const auto found =
        std::find_if(source_.tensors.begin(), source_.tensors.end(),
                     [&](const ContractTensor& tensor) { return tensor.name == name; });
    return static_cast<std::uint32_t>(found - source_.tensors.begin());
  }

  void add_steps(std::uint32_t clause, const std::string& tensor) {
    const std::uint32_t index = tensor_index(tensor);
    for (const TensorProperty property : source_.clauses[clause].properties)
      plan_.tensors[index].worded |= 1u << static_cast<unsigned>(property);
    plan_.steps.push_back({clause, index});
  }

  void plan_clauses() {
    const std::vector<ContractClause>& clauses = source_.clauses;
    for (std::uint32_t i = 0; i < clauses.size();) {
      std::uint32_t end = i + 1;  // of the group that begins here
      while (clauses[i].group != 0 && end < clauses.size() &&
             clauses[end].group == clauses[i].group)
        ++end;
      if (!is_by_tensor(clauses[i]))
        plan_single(i);
      else
        for (const std::string& tensor : clauses[i].tensors)
          for (std::uint32_t clause = i; clause < end; ++clause) add_steps(clause, tensor);
      i = end;
    }
    for (std::size_t i = 0; i < clauses.size(); ++i) {
      plan_.requires_.emplace_back();
      if (contract_.clauses[i].require && !clauses[i].is_data_dependent)
        plan_.requires_.back() = expression(*contract_.clauses[i].require);
    }
  }

  static bool is_by_tensor(const ContractClause& clause) {
    return !clause.properties.empty() && clause.properties.front() != TensorProperty::no_alias;
  }

  void plan_single(std::uint32_t clause) {
    if (source_.clauses[clause].is_data_dependent) return;
    plan_.steps.push_back({clause, ContractStep::kNoTensor});
    for (const std::string& tensor : source_.clauses[clause].tensors)
      plan_.tensors[tensor_index(tensor)].worded |=
          1u << static_cast<unsigned>(TensorProperty::no_alias);
  }

  const CompiledContract& contract_;
  const TensorContract& source_;
  std::vector<std::uint32_t> slot_map_;
  ContractPlan plan_;
};

}  // namespace

ContractPlan plan_contract(const CompiledContract& contract) { return Planner(contract).plan(); }

}  // namespace assay
