// Tensors are sorted by how they can be checked, packed ones by rank. Clauses become ranges of
// slots where they are; what the table already says of every extent, that it is in [1, 2^31), is
// not asked again.
#include "engine/compile/fast_planner.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "engine/model/tensor_geometry.h"

namespace assay {
namespace {

class FastPlanner {
 public:
  FastPlanner(const TensorContract& source, ContractPlan& plan)
      : source_(source), plan_(plan), fast_(plan.fast) {}

  bool plan() {
    for (const ContractScalar& scalar : source_.scalars) plan_scalar(scalar);
    for (std::uint32_t i = 0; i < source_.tensors.size(); ++i) plan_tensor(i);
    fast_.bindings.resize(source_.dimensions.size());
    for (std::uint32_t i = static_cast<std::uint32_t>(source_.tensors.size()); i-- > 0;)
      if (!source_.tensors[i].is_optional) plan_bindings(i);
    for (const ContractStep& step : plan_.steps) {
      if (!plan_.requires_[step.clause]) continue;
      for (IntegerExpression& operand : plan_.requires_[step.clause]->conjuncts())
        plan_test(step.clause, std::move(operand));
    }
    std::erase_if(fast_.ranges, [&](const FastRange& range) { return is_implied(range); });
    plan_presence();
    for (const ContractStep& step : plan_.steps) plan_step(step);
    for (std::uint32_t i = 0; i < source_.tensors.size(); ++i)
      (source_.tensors[i].is_output ? fast_.written : fast_.unwritten).push_back(i);
    return is_complete_;
  }

 private:
  void plan_scalar(const ContractScalar& scalar) {
    FastScalar fast;
    fast.kind = scalar.type.kind == TypeKind::integer   ? ValueKind::integer
                : scalar.type.kind == TypeKind::boolean ? ValueKind::boolean
                                                        : ValueKind::real;
    if (fast.kind == ValueKind::real && scalar.type.kind != TypeKind::real) is_complete_ = false;
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
    fast_.scalars.push_back(fast);
  }

  void plan_tensor(std::uint32_t index) {
    const ContractTensor& tensor = source_.tensors[index];
    const PlannedTensor& planned = plan_.tensors[index];
    // The size of its only type, a power of two; 0: ask the tensor.
    std::uint32_t element_bytes = 0;
    if (planned.dtypes.size() == 1) {
      const auto bytes = static_cast<std::uint32_t>(planned.dtypes[0].size_bytes());
      if (std::has_single_bit(bytes)) element_bytes = bytes;
    }
    auto low_bits = static_cast<std::uint64_t>(tensor.alignment_bytes) - 1;
    if (element_bytes != 0) low_bits |= element_bytes - 1;
    if (element_bytes != 0 && tensor.elements == 1 && tensor.is_contiguous)
      fast_.singles.push_back({planned.dtypes[0].number(), static_cast<std::uint8_t>(index),
                               tensor.is_optional, element_bytes, low_bits});
    else if (element_bytes == 0 || !plan_packed(index, element_bytes, low_bits))
      plan_other(index, low_bits);
  }

  // False: it is none.
  bool plan_packed(std::uint32_t index, std::uint32_t element_bytes, std::uint64_t low_bits) {
    const ContractTensor& tensor = source_.tensors[index];
    const std::vector<PlannedExtent>& extents = plan_.tensors[index].extents;
    if (!tensor.is_contiguous || tensor.elements || extents.empty() ||
        extents.size() > kMaxPackedRank)
      return false;
    PackedTensor packed;
    packed.dtype = plan_.tensors[index].dtypes[0].number();
    packed.tensor = static_cast<std::uint8_t>(index);
    packed.is_optional = tensor.is_optional;
    packed.element_bytes = element_bytes;
    packed.low_bits = low_bits;
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
      const std::optional<FastSlot> extent = extent_slot(index, extents[axis]);
      if (!extent) return false;
      packed.extents[axis] = *extent;
    }
    fast_.packed[extents.size() - 1].push_back(packed);
    return true;
  }

  // One that is computed has none.
  std::optional<FastSlot> extent_slot(std::uint32_t tensor, const PlannedExtent& extent) {
    if (is_plain_slot(extent)) {
      if (extent.slot >= plan_.first_scalar) fast_.bounded.push_back({tensor, extent.slot});
      return static_cast<FastSlot>(extent.slot);
    }
    if (extent.kind != PlannedExtent::Kind::constant || extent.is_at_least) return std::nullopt;
    const std::optional<FastSlot> slot = constant_slot(extent.value);
    if (slot && (extent.value < 1 || extent.value > kMaxExtent))
      fast_.bounded.push_back({tensor, *slot});
    return slot;
  }

  // A dimension or a scalar, which are known before extents are looked at.
  bool is_plain_slot(const PlannedExtent& extent) const {
    return !extent.is_at_least && extent.kind != PlannedExtent::Kind::constant &&
           extent.expression->code().size() == 1 &&
           extent.expression->code().front().op == IntegerOp::slot &&
           extent.slot < plan_.first_presence;
  }

  // None: there are too many.
  std::optional<FastSlot> constant_slot(std::int64_t value) {
    const auto found = std::find(fast_.constants.begin(), fast_.constants.end(), value);
    const auto index = static_cast<std::size_t>(found - fast_.constants.begin());
    if (found == fast_.constants.end()) {
      if (index == kMaxContractConstants) return std::nullopt;
      fast_.constants.push_back(value);
    }
    return static_cast<FastSlot>(kFirstConstantSlot + index);
  }

  void plan_other(std::uint32_t index, std::uint64_t low_bits) {
    const ContractTensor& tensor = source_.tensors[index];
    const PlannedTensor& planned = plan_.tensors[index];
    FastTensor result;
    result.tensor = index;
    result.first_extent = static_cast<std::uint32_t>(fast_.extents.size());
    result.rank = static_cast<std::uint32_t>(planned.extents.size());
    result.first_dtype = static_cast<std::uint32_t>(fast_.dtypes.size());
    result.dtypes = static_cast<std::uint32_t>(planned.dtypes.size());
    result.elements = tensor.elements.value_or(-1);
    result.low_bits = low_bits;
    result.is_optional = tensor.is_optional;
    result.is_contiguous = tensor.is_contiguous;
    fast_.others.push_back(result);
    for (const ElementType& type : planned.dtypes) fast_.dtypes.push_back(type.number());
    for (std::uint32_t axis = 0; axis < planned.extents.size(); ++axis) {
      const PlannedExtent& extent = planned.extents[axis];
      const std::optional<FastSlot> slot = extent_slot(index, extent);
      fast_.extents.push_back(slot ? *slot : kOpenExtent);
      if (!slot)
        fast_.computed.push_back({index, axis, false, extent.is_at_least, *extent.expression});
    }
    for (std::uint32_t axis = 0; axis < planned.strides.size(); ++axis)
      if (!planned.strides[axis].is_any)
        fast_.computed.push_back({index, axis, true, false, *planned.strides[axis].expression});
  }

  void plan_bindings(std::uint32_t tensor) {
    const std::vector<PlannedExtent>& extents = plan_.tensors[tensor].extents;
    for (std::uint32_t axis = static_cast<std::uint32_t>(extents.size()); axis-- > 0;)
      if (extents[axis].kind == PlannedExtent::Kind::dimension)
        fast_.bindings[extents[axis].slot] = {tensor, axis};
  }

  void plan_test(std::uint32_t clause, IntegerExpression operand) {
    const std::vector<IntegerInstruction>& code = operand.code();
    if (code.size() == 1 && plan_range(clause, code[0])) return;
    FastTest test;
    test.profile = source_.clauses[clause].profile;
    test.clause = clause;
    if (code.size() == 2 && code[0].op == IntegerOp::slot && code[1].op == IntegerOp::in_set) {
      const std::span<const std::int64_t> set = operand.set(code[1]);
      test.is_among = true;
      test.slot = code[0].operand;
      test.first = static_cast<std::uint32_t>(fast_.numbers.size());
      test.count = static_cast<std::uint32_t>(set.size());
      fast_.numbers.insert(fast_.numbers.end(), set.begin(), set.end());
    } else {
      test.first = static_cast<std::uint32_t>(fast_.expressions.size());
      fast_.expressions.push_back(std::move(operand));
    }
    fast_.tests.push_back(test);
  }

  // False: it is no range.
  bool plan_range(std::uint32_t clause, const IntegerInstruction& one) {
    const bool is_multiple = one.op == IntegerOp::slot_is_multiple &&
                             std::has_single_bit(static_cast<std::uint64_t>(one.value));
    const bool is_above =
        one.op == IntegerOp::slot_is_above && one.value < std::numeric_limits<std::int64_t>::max();
    if (!is_multiple && !is_above && one.op != IntegerOp::slot_is) return false;
    FastRange& range = range_of(clause, one.operand);
    if (is_multiple) range.bits |= one.value - 1;
    if (one.op == IntegerOp::slot_is) range.most = std::min(range.most, one.value);
    if (!is_multiple) range.least = std::max(range.least, is_above ? one.value + 1 : one.value);
    return true;
  }

  FastRange& range_of(std::uint32_t clause, std::uint32_t slot) {
    const std::vector<ContractClause>& clauses = source_.clauses;
    for (FastRange& range : fast_.ranges) {
      const bool is_judged_alike =
          range.clause == clause ||
          (range.profile == clauses[clause].profile && clauses[clause].back_ends.empty() &&
           clauses[range.clause].back_ends.empty());
      if (range.slot == slot && is_judged_alike) return range;
    }
    FastRange& range = fast_.ranges.emplace_back();
    range.slot = slot;
    range.clause = clause;
    range.profile = clauses[clause].profile;
    return range;
  }

  // Every dimension is an extent.
  bool is_implied(const FastRange& range) const {
    return range.slot < plan_.first_scalar && range.least <= 1 && range.most >= kMaxExtent &&
           range.bits == 0;
  }

  void plan_presence() {
    std::vector<bool> is_read(source_.tensors.size(), false);
    const auto read = [&](std::uint32_t slot) {
      if (slot >= plan_.first_presence) is_read[slot - plan_.first_presence] = true;
    };
    const auto read_all = [&](const IntegerExpression& expression) {
      for (const IntegerInstruction& one : expression.code())
        if (one.op == IntegerOp::slot || one.op >= IntegerOp::slot_is) read(one.operand);
    };
    for (const FastRange& range : fast_.ranges) read(range.slot);
    for (const FastTest& test : fast_.tests) read(test.slot);
    for (const FastComputed& one : fast_.computed) read_all(one.expression);
    for (const IntegerExpression& expression : fast_.expressions) read_all(expression);
    for (std::uint32_t i = 0; i < is_read.size(); ++i)
      if (is_read[i]) fast_.presence.push_back(i);
  }

  // What a clause asks that the table by itself does not.
  void plan_step(const ContractStep& step) {
    const ContractClause& clause = source_.clauses[step.clause];
    for (const TensorProperty property : clause.properties) {
      if (property == TensorProperty::no_alias) plan_pairs(step.clause);
      if (property == TensorProperty::device) plan_device(step);
    }
  }

  void plan_device(const ContractStep& step) {
    const std::int32_t type = plan_.tensors[step.tensor].device_type;
    const ContractProfile profile = source_.clauses[step.clause].profile;
    if (type == 0) return;
    fast_.devices.push_back({step.tensor, type, step.clause, profile});
    fast_.device_profiles = static_cast<ContractProfile>(
        static_cast<unsigned>(fast_.device_profiles) | static_cast<unsigned>(profile));
  }

  // Those of which one is written share no byte anyway.
  void plan_pairs(std::uint32_t clause) {
    std::vector<std::uint32_t> inputs;
    for (std::uint32_t i = 0; i < source_.tensors.size(); ++i) {
      const std::vector<std::string>& names = source_.clauses[clause].tensors;
      const bool is_named =
          std::find(names.begin(), names.end(), source_.tensors[i].name) != names.end();
      if (!is_named || source_.tensors[i].is_output) continue;
      for (const std::uint32_t other : inputs)
        fast_.distinct.push_back({other, i, clause, source_.clauses[clause].profile});
      inputs.push_back(i);
    }
  }

  const TensorContract& source_;
  ContractPlan& plan_;
  FastPlan& fast_;
  bool is_complete_ = true;
};

}  // namespace

bool plan_fast(const TensorContract& source, ContractPlan& plan) {
  return FastPlanner(source, plan).plan();
}

}  // namespace assay
