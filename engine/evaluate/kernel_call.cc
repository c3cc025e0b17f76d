// What legal_call_check.h leaves to functions: tensors that are not packed, and the values of
// scalars.
#include "engine/evaluate/kernel_call.h"

#include <algorithm>

#include "engine/evaluate/legal_call_check.h"
#include "engine/model/tensor_geometry.h"

namespace assay {
namespace {

bool has_dtype(const FastPlan& plan, const FastTensor& law, std::uint32_t dtype) {
  const std::uint32_t* const first = plan.dtypes.data() + law.first_dtype;
  return law.dtypes == 0 || std::find(first, first + law.dtypes, dtype) != first + law.dtypes;
}

bool is_extent(std::int64_t number) { return number >= 1 && number <= kMaxExtent; }

bool differs(std::uint32_t slot, std::int64_t extent, const std::int64_t* slots) {
  return slot != kOpenExtent && slots[slot] != extent;
}

// How many elements, of any rank, with extents that are judged later or with none asked for: the
// extents, is_contiguous and element_count (model/tensor_geometry.h) in one walk.
std::int64_t contiguous_elements(const FastPlan& plan, const FastTensor& law,
                                 const TensorView& view, const std::int64_t* slots) {
  if (law.elements < 0 && view.shape.size() != law.rank) return 0;
  if (!view.strides.empty() && view.strides.size() != view.shape.size()) return 0;
  if (law.elements == 1) return holds_one_element(view) ? 1 : 0;
  const std::uint32_t* const extents = plan.extents.data() + law.first_extent;
  std::int64_t elements = 1;
  for (std::size_t axis = view.shape.size(); axis-- > 0;) {
    const std::int64_t extent = view.shape[axis];
    if (!is_extent(extent) || (law.elements < 0 && differs(extents[axis], extent, slots))) return 0;
    if (!view.strides.empty() && view.strides[axis] != elements && extent != 1) return 0;
    if (__builtin_mul_overflow(elements, extent, &elements)) return 0;
  }
  return law.elements < 0 || elements == law.elements ? elements : 0;
}

std::int64_t strided_bytes(const FastPlan& plan, const FastTensor& law, const TensorView& view,
                           const std::int64_t* slots) {
  if (view.shape.size() != law.rank || view.strides.size() != law.rank) return 0;
  const std::uint32_t* const extents = plan.extents.data() + law.first_extent;
  for (std::size_t axis = 0; axis < law.rank; ++axis)
    if (differs(extents[axis], view.shape[axis], slots)) return 0;
  return reach_bytes(view).value_or(0);
}

}  // namespace

std::int64_t lawful_bytes(const FastPlan& plan, const FastTensor& law, const TensorView& view,
                          const std::int64_t* slots) {
  if (!has_dtype(plan, law, view.dtype.number())) return 0;
  if (!law.is_contiguous) return strided_bytes(plan, law, view, slots);
  std::int64_t bytes = 0;
  return __builtin_mul_overflow(contiguous_elements(plan, law, view, slots),
                                view.dtype.size_bytes(), &bytes)
             ? 0
             : bytes;
}

bool is_aligned_to_element(std::uintptr_t address, ElementType type) {
  const auto element = static_cast<std::uintptr_t>(type.size_bytes());
  return (address & (element - 1)) == 0 && (element & (element - 1)) == 0;
}

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
  return LegalCallCheck<ViewAccess>(contract, call.tensors, call.scalars, call.back_end, profile)
      .run();
}

}  // namespace assay
