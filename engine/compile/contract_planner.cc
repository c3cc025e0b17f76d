// Tensors become numbers, expressions IntegerExpressions where they can, clauses steps. A clause
// over several tensors is judged for each of them before the next clause; in a group (`for_each`)
// all clauses are judged for one tensor before the next tensor.
#include "engine/compile/contract_planner.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "engine/model/tensor_geometry.h"
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
    if (plan_.is_integral) plan_fast();
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

  void plan_fast() {
    for (const ContractScalar& scalar : source_.scalars) plan_fast_scalar(scalar);
    for (std::uint32_t i = 0; i < source_.tensors.size(); ++i) plan_fast_tensor(i);
    plan_.fast.bindings.resize(source_.dimensions.size());
    for (std::uint32_t i = static_cast<std::uint32_t>(source_.tensors.size()); i-- > 0;)
      if (!source_.tensors[i].is_optional) plan_fast_bindings(i);
    for (const ContractStep& step : plan_.steps) {
      if (!plan_.requires_[step.clause]) continue;
      for (IntegerExpression& operand : plan_.requires_[step.clause]->conjuncts())
        plan_fast_test(step.clause, std::move(operand));
    }
    plan_fast_pairs();
  }

  void plan_fast_scalar(const ContractScalar& scalar) {
    FastScalar fast;
    fast.kind = scalar.type.kind == TypeKind::integer   ? ValueKind::integer
                : scalar.type.kind == TypeKind::boolean ? ValueKind::boolean
                                                        : ValueKind::real;
    if (fast.kind == ValueKind::real && scalar.type.kind != TypeKind::real)
      plan_.is_integral = false;
    if (scalar.default_value) {
      const Node& node = *scalar.default_value;
      if (fast.kind == ValueKind::integer && node.kind == NodeKind::integer)
        fast.default_value = node.integer;
      if (fast.kind == ValueKind::boolean && node.kind == NodeKind::boolean)
        fast.default_value = node.boolean ? 1 : 0;
      if (fast.kind == ValueKind::real &&
          (node.kind == NodeKind::integer || node.kind == NodeKind::real))
        fast.default_value = 0;
    }
    plan_.fast.scalars.push_back(fast);
  }

  void plan_fast_tensor(std::uint32_t index) {
    const ContractTensor& tensor = source_.tensors[index];
    const PlannedTensor& planned = plan_.tensors[index];
    FastPlan& fast = plan_.fast;
    FastTensor result;
    result.first_extent = static_cast<std::uint32_t>(fast.extents.size());
    result.rank = static_cast<std::uint32_t>(planned.extents.size());
    result.first_dtype = static_cast<std::uint32_t>(fast.dtypes.size());
    result.dtypes = static_cast<std::uint32_t>(planned.dtypes.size());
    if (planned.dtypes.size() == 1) {
      const auto bytes = static_cast<std::uint32_t>(planned.dtypes[0].size_bytes());
      if (std::has_single_bit(bytes)) result.element_bytes = bytes;
      result.only_dtype = planned.dtypes[0].number();
    }
    result.elements = tensor.elements.value_or(-1);
    result.device_type = planned.device_type;
    result.low_bits = static_cast<std::uint32_t>(tensor.alignment_bytes) - 1;
    if (result.element_bytes != 0) result.low_bits |= result.element_bytes - 1;
    result.is_optional = tensor.is_optional;
    result.is_contiguous = tensor.is_contiguous;
    result.is_written = tensor.is_output;
    fast.tensors.push_back(result);
    for (const ElementType& type : planned.dtypes) fast.dtypes.push_back(type.number());
    for (std::uint32_t axis = 0; axis < planned.extents.size(); ++axis) {
      const PlannedExtent& extent = planned.extents[axis];
      if (is_plain_slot(extent)) {
        fast.extents.push_back(extent.slot);
        add_bounded(extent.slot);
      } else if (extent.kind == PlannedExtent::Kind::constant && !extent.is_at_least) {
        fast.extents.push_back(constant_slot(extent.value));
      } else {
        fast.computed.push_back({index, axis, false, extent.is_at_least, *extent.expression});
        fast.extents.push_back(kOpenExtent);
        fast.tensors.back().has_open_extent = true;
      }
    }
    fast.tensors.back().is_packed = result.is_contiguous && result.elements < 0 &&
                                    !fast.tensors.back().has_open_extent && result.rank >= 1 &&
                                    result.rank <= 4;
    for (std::uint32_t axis = 0; axis < planned.strides.size(); ++axis)
      if (!planned.strides[axis].is_any)
        fast.computed.push_back({index, axis, true, false, *planned.strides[axis].expression});
  }

  void add_bounded(std::uint32_t slot) {
    std::vector<std::uint32_t>& bounded = plan_.fast.bounded;
    if (std::find(bounded.begin(), bounded.end(), slot) == bounded.end()) bounded.push_back(slot);
  }

  std::uint32_t constant_slot(std::int64_t value) {
    std::vector<std::int64_t>& constants = plan_.fast.constants;
    const auto found = std::find(constants.begin(), constants.end(), value);
    const auto slot = static_cast<std::uint32_t>(kMaxContractSlots) +
                      static_cast<std::uint32_t>(found - constants.begin());
    if (found == constants.end() && constants.size() == kMaxContractConstants) {
      plan_.is_integral = false;
      return kOpenExtent;
    }
    if (found == constants.end()) constants.push_back(value);
    if (value < 1 || value > kMaxExtent) add_bounded(slot);
    return slot;
  }

  // A dimension or a scalar, which are known before extents are looked at.
  bool is_plain_slot(const PlannedExtent& extent) const {
    return !extent.is_at_least && extent.kind != PlannedExtent::Kind::constant &&
           extent.expression->code().size() == 1 &&
           extent.expression->code().front().op == IntegerOp::slot &&
           extent.slot < plan_.first_presence;
  }

  void plan_fast_bindings(std::uint32_t tensor) {
    const std::vector<PlannedExtent>& extents = plan_.tensors[tensor].extents;
    for (std::uint32_t axis = static_cast<std::uint32_t>(extents.size()); axis-- > 0;)
      if (extents[axis].kind == PlannedExtent::Kind::dimension)
        plan_.fast.bindings[extents[axis].slot] = {tensor, axis};
  }

  void plan_fast_test(std::uint32_t clause, IntegerExpression operand) {
    FastPlan& fast = plan_.fast;
    const std::vector<IntegerInstruction>& code = operand.code();
    if (code.size() == 1 && plan_fast_range(clause, code[0])) return;
    FastTest test;
    test.profile = source_.clauses[clause].profile;
    test.clause = clause;
    if (code.size() == 2 && code[0].op == IntegerOp::slot && code[1].op == IntegerOp::in_set) {
      const std::span<const std::int64_t> set = operand.set(code[1]);
      test.is_among = true;
      test.slot = code[0].operand;
      test.first = static_cast<std::uint32_t>(fast.numbers.size());
      test.count = static_cast<std::uint32_t>(set.size());
      fast.numbers.insert(fast.numbers.end(), set.begin(), set.end());
    } else {
      test.first = static_cast<std::uint32_t>(fast.expressions.size());
      fast.expressions.push_back(std::move(operand));
    }
    fast.tests.push_back(test);
  }

  // Into the range before it, where that is of the same clause and slot. False: it is no range.
  bool plan_fast_range(std::uint32_t clause, const IntegerInstruction& one) {
    std::vector<FastRange>& ranges = plan_.fast.ranges;
    const bool is_multiple = one.op == IntegerOp::slot_is_multiple &&
                             std::has_single_bit(static_cast<std::uint64_t>(one.value));
    const bool is_above =
        one.op == IntegerOp::slot_is_above && one.value < std::numeric_limits<std::int64_t>::max();
    if (!is_multiple && !is_above && one.op != IntegerOp::slot_is) return false;
    if (ranges.empty() || ranges.back().clause != clause || ranges.back().slot != one.operand) {
      ranges.emplace_back();
      ranges.back().slot = one.operand;
      ranges.back().clause = clause;
      ranges.back().profile = source_.clauses[clause].profile;
    }
    FastRange& range = ranges.back();
    if (is_multiple) range.bits |= one.value - 1;
    if (one.op == IntegerOp::slot_is) range.most = std::min(range.most, one.value);
    if (!is_multiple) range.least = std::max(range.least, is_above ? one.value + 1 : one.value);
    return true;
  }

  void plan_fast_pairs() {
    for (std::uint32_t i = 0; i < source_.tensors.size(); ++i) {
      (source_.tensors[i].is_output ? plan_.fast.written : plan_.fast.unwritten).push_back(i);
      for (std::uint32_t other = 0; other < i; ++other) {
        const FastPair pair{static_cast<std::uint8_t>(other), static_cast<std::uint8_t>(i)};
        if (source_.tensors[i].is_output || source_.tensors[other].is_output) continue;
        if (plan_.tensors[i].is_worded(TensorProperty::no_alias) &&
            plan_.tensors[other].is_worded(TensorProperty::no_alias))
          plan_.fast.distinct.push_back(pair);
      }
    }
  }

  const CompiledContract& contract_;
  const TensorContract& source_;
  std::vector<std::uint32_t> slot_map_;
  ContractPlan plan_;
};

}  // namespace

ContractPlan plan_contract(const CompiledContract& contract) { return Planner(contract).plan(); }

}  // namespace assay
