// One pass over the tensors, then what needs all of them: extents that are computed, clauses over
// dimensions, byte ranges. Everything is on the stack; whatever is not a plain yes is left to
// check_contract.
#include "engine/evaluate/kernel_call.h"

#include <array>
#include <bit>

#include "engine/model/tensor_geometry.h"

namespace assay {
namespace {

class FastCheck {
 public:
  FastCheck(const CompiledContract& contract, const KernelCall& call, ContractProfile profile)
      : contract_(contract), plan_(contract.plan), call_(call), profile_(profile) {}

  bool run() {
    if (!plan_.is_integral || !load_scalars()) return false;
    for (std::size_t i = 0; i < plan_.tensors.size(); ++i) {
      const TensorView* const view = call_.tensors[i];
      slots_[plan_.first_presence + i] = view != nullptr;
      if (view == nullptr ? !contract_.source.tensors[i].is_optional : !check_tensor(i, *view))
        return false;
    }
    return check_computed() && check_requires() && check_overlaps();
  }

 private:
  bool load_scalars() {
    for (std::size_t i = 0; i < contract_.source.scalars.size(); ++i) {
      const Value value = scalar_value(contract_.source.scalars[i], call_.scalars[i]);
      if (value.is(ValueKind::null)) return false;
      slots_[plan_.first_scalar + i] = value.is(ValueKind::integer)   ? value.as_integer()
                                       : value.is(ValueKind::boolean) ? value.as_boolean()
                                                                      : 0;
    }
    return true;
  }

  bool check_tensor(std::size_t index, const TensorView& view) {
    const ContractTensor& law = contract_.source.tensors[index];
    const PlannedTensor& planned = plan_.tensors[index];
    if (call_.tensors[0] != nullptr && view.device != call_.tensors[0]->device) return false;
    if (includes(profile_, ContractProfile::engine) && planned.device_type != 0 &&
        view.device.type != planned.device_type)
      return false;
    if (!planned.dtypes.empty() && !has_dtype(planned, view.dtype)) return false;
    if (law.elements ? element_count(view.shape) != *law.elements : !check_extents(planned, view))
      return false;
    if (law.is_contiguous ? !is_contiguous(view) : view.strides.size() != view.shape.size())
      return false;
    const auto bytes = reach_bytes(view);
    if (!bytes || *bytes == 0) return false;  // empty tensors are rare, and have rules of their own
    const std::uintptr_t begin = view.address();
    ranges_[index] = {begin, begin + static_cast<std::uintptr_t>(*bytes)};
    const auto element_bytes = static_cast<std::uintptr_t>(view.dtype.size_bytes());
    return view.data != nullptr && begin % law.alignment_bytes == 0 && begin % element_bytes == 0;
  }

  static bool has_dtype(const PlannedTensor& planned, ElementType dtype) {
    for (const ElementType one : planned.dtypes)
      if (one == dtype) return true;
    return false;
  }

  bool check_extents(const PlannedTensor& planned, const TensorView& view) {
    if (view.shape.size() != planned.extents.size()) return false;
    for (std::size_t axis = 0; axis < planned.extents.size(); ++axis) {
      const PlannedExtent& extent = planned.extents[axis];
      const std::int64_t found = view.shape[axis];
      if (extent.kind == PlannedExtent::Kind::dimension) {
        const std::uint64_t bit = std::uint64_t{1} << extent.slot;
        if ((bound_ & bit) == 0) {
          bound_ |= bit;
          slots_[extent.slot] = found;
        } else if (slots_[extent.slot] != found) {
          return false;
        }
      } else if (extent.kind == PlannedExtent::Kind::constant) {
        if (extent.is_at_least ? found < extent.value : found != extent.value) return false;
      }
    }
    return true;
  }

  // What may read dimensions that a later tensor binds.
  bool check_computed() {
    for (std::size_t i = 0; i < plan_.tensors.size(); ++i) {
      const TensorView* const view = call_.tensors[i];
      if (view == nullptr) continue;
      const PlannedTensor& planned = plan_.tensors[i];
      for (std::size_t axis = 0; axis < planned.extents.size(); ++axis) {
        const PlannedExtent& extent = planned.extents[axis];
        if (extent.kind != PlannedExtent::Kind::computed) continue;
        const auto expected = extent.expression->run_known(slots_.data());
        if (!expected ||
            (extent.is_at_least ? view->shape[axis] < *expected : view->shape[axis] != *expected))
          return false;
      }
      for (std::size_t axis = 0; axis < planned.strides.size(); ++axis) {
        const PlannedStride& stride = planned.strides[axis];
        if (stride.is_any || view->shape[axis] == 1) continue;
        if (stride.expression->run_known(slots_.data()) != view->strides[axis]) return false;
      }
    }
    return true;
  }

  bool check_requires() {
    for (const ContractStep& step : plan_.steps) {
      const auto& require = plan_.requires_[step.clause];
      if (!require) continue;
      const ContractClause& clause = contract_.source.clauses[step.clause];
      if (!includes(clause.profile, profile_) || !applies_to(clause, call_.back_end)) continue;
      if (require->run_known(slots_.data()) != 1) return false;
    }
    return true;
  }

  bool check_overlaps() {
    for (std::size_t i = 0; i < plan_.tensors.size(); ++i) {
      if (call_.tensors[i] == nullptr) continue;
      const bool is_output = contract_.source.tensors[i].is_output;
      for (std::size_t other = 0; other < i; ++other) {
        if (call_.tensors[other] == nullptr) continue;
        if (!is_output && !contract_.source.tensors[other].is_output) {
          // Inputs may share memory, unless a clause says that they may not.
          if (ranges_[i].begin != ranges_[other].begin ||
              !plan_.tensors[i].is_worded(TensorProperty::no_alias))
            continue;
          return false;
        }
        if (overlap(ranges_[i], ranges_[other])) return false;
      }
    }
    return true;
  }

  const CompiledContract& contract_;
  const ContractPlan& plan_;
  const KernelCall& call_;
  ContractProfile profile_;
  std::uint64_t bound_ = 0;  // a bit for each dimension
  std::array<std::int64_t, kMaxContractSlots> slots_;
  std::array<ByteRange, kMaxContractTensors> ranges_;
};

}  // namespace

Value scalar_value(const ContractScalar& scalar, const Value& given) {
  Value value = given;
  if (given.is(ValueKind::null) && scalar.default_value) {
    const Node& node = *scalar.default_value;
    if (node.kind == NodeKind::integer) value = Value::integer(node.integer);
    if (node.kind == NodeKind::boolean) value = Value::boolean(node.boolean);
    if (node.kind == NodeKind::real) value = Value::real(node.real);
  }
  const TypeKind kind = scalar.type.kind;
  if (kind == TypeKind::real && value.is(ValueKind::integer))
    return Value::real(static_cast<double>(value.as_integer()));
  const bool has_type = (kind == TypeKind::integer && value.is(ValueKind::integer)) ||
                        (kind == TypeKind::boolean && value.is(ValueKind::boolean)) ||
                        (kind == TypeKind::real && value.is(ValueKind::real));
  return has_type ? value : Value::null();
}

bool is_plainly_legal(const CompiledContract& contract, const KernelCall& call,
                      ContractProfile profile) noexcept {
  return FastCheck(contract, call, profile).run();
}

}  // namespace assay
