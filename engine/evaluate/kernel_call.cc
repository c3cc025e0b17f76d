// One pass over the tensors, then what needs all of them: extents that are computed, clauses over
// dimensions, byte ranges. Everything is on the stack; whatever is not a plain yes is left to
// check_contract.
#include "engine/evaluate/kernel_call.h"

#include <algorithm>
#include <array>

#include "engine/model/tensor_geometry.h"

namespace assay {
namespace {

class FastCheck {
 public:
  FastCheck(const CompiledContract& contract, const KernelCall& call, ContractProfile profile)
      : contract_(contract), plan_(contract.plan), call_(call), profile_(profile) {}

  bool run() {
    if (!plan_.is_integral || !load_scalars()) return false;
    const FastTensor* const tensors = plan_.fast.tensors.data();
    const std::size_t count = plan_.fast.tensors.size();
    for (std::size_t i = 0; i < count; ++i) {
      const TensorView* const view = call_.tensors[i];
      slots_[plan_.first_presence + i] = view != nullptr;
      ByteRange range;  // of a tensor that is not given: empty, meets nothing
      if (view == nullptr ? !tensors[i].is_optional : !check_tensor(tensors[i], *view, range))
        return false;
      begins_[i] = range.begin;
      ends_[i] = range.end;
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

  bool check_tensor(const FastTensor& law, const TensorView& view, ByteRange& range) {
    if (call_.tensors[0] != nullptr && view.device != call_.tensors[0]->device) return false;
    if (includes(profile_, ContractProfile::engine) && law.device_type != 0 &&
        view.device.type != law.device_type)
      return false;
    if (law.dtypes != 0 && !has_dtype(law, view.dtype)) return false;
    const auto bytes = law.is_contiguous ? packed_bytes(law, view) : strided_bytes(law, view);
    if (!bytes) return false;
    if (__builtin_add_overflow(reinterpret_cast<std::uintptr_t>(view.data), view.byte_offset,
                               &range.begin) ||
        __builtin_add_overflow(range.begin, static_cast<std::uintptr_t>(*bytes), &range.end))
      return false;
    const auto element = static_cast<std::uintptr_t>(view.dtype.size_bytes());
    const std::uintptr_t mask = (law.alignment_bytes - 1U) | (element - 1);
    return view.data != nullptr && (element & (element - 1)) == 0 && (range.begin & mask) == 0;
  }

  // The extents, is_contiguous, reach_bytes and element_count (model/tensor_geometry.h) in one
  // walk. From the last extent to the first: where a dimension is bound does not change what is
  // equal. Nothing for an empty tensor: they are rare, and have rules of their own.
  std::optional<std::int64_t> packed_bytes(const FastTensor& law, const TensorView& view) {
    const std::size_t rank = view.shape.size();
    const bool is_strided = !view.strides.empty();
    if ((law.elements < 0 && rank != law.rank) || (is_strided && view.strides.size() != rank))
      return std::nullopt;
    const FastExtent* const extents = plan_.fast.extents.data() + law.first_extent;
    std::int64_t elements = 1;
    for (std::size_t axis = rank; axis-- > 0;) {
      const std::int64_t extent = view.shape[axis];
      if (law.elements < 0 && !check_extent(extents[axis], extent)) return std::nullopt;
      if (extent < 1 || extent > kMaxExtent) return std::nullopt;
      if (is_strided && view.strides[axis] != elements && extent != 1) return std::nullopt;
      if (__builtin_mul_overflow(elements, extent, &elements)) return std::nullopt;
    }
    if (law.elements >= 0 && elements != law.elements) return std::nullopt;
    std::int64_t bytes = 0;
    if (__builtin_mul_overflow(elements, view.dtype.size_bytes(), &bytes) || bytes == 0)
      return std::nullopt;
    return bytes;
  }

  std::optional<std::int64_t> strided_bytes(const FastTensor& law, const TensorView& view) {
    if (view.shape.size() != law.rank || view.strides.size() != law.rank) return std::nullopt;
    for (std::size_t axis = 0; axis < law.rank; ++axis)
      if (!check_extent(plan_.fast.extents[law.first_extent + axis], view.shape[axis]))
        return std::nullopt;
    const auto bytes = reach_bytes(view);
    return bytes == 0 ? std::nullopt : bytes;
  }

  bool has_dtype(const FastTensor& law, ElementType dtype) const {
    const ElementType* const first = plan_.fast.dtypes.data() + law.first_dtype;
    return std::find(first, first + law.dtypes, dtype) != first + law.dtypes;
  }

  bool check_extent(const FastExtent& law, std::int64_t found) {
    if (law.kind != FastExtent::Kind::dimension)
      return law.kind == FastExtent::Kind::exactly ? found == law.value : found >= law.value;
    const std::uint64_t bit = std::uint64_t{1} << (law.slot & 63U);
    if ((bound_ & bit) != 0) return slots_[law.slot] == found;
    bound_ |= bit;
    slots_[law.slot] = found;
    return true;
  }

  // What may read dimensions that a later tensor binds.
  bool check_computed() const {
    for (const FastComputed& one : plan_.fast.computed) {
      const TensorView* const view = call_.tensors[one.tensor];
      if (view == nullptr || (one.is_stride && view->shape[one.axis] == 1)) continue;
      const std::int64_t found = one.is_stride ? view->strides[one.axis] : view->shape[one.axis];
      const auto expected = one.expression.run_known(slots_.data());
      if (!expected || (one.is_at_least ? found < *expected : found != *expected)) return false;
    }
    return true;
  }

  bool check_requires() const {
    for (const FastRequire& one : plan_.fast.requires_) {
      if (!includes(one.profile, profile_) || one.expression.run_known(slots_.data()) == 1)
        continue;
      if (applies_to(contract_.source.clauses[one.clause], call_.back_end)) return false;
    }
    return true;
  }

  bool check_overlaps() const {
    for (const FastPair& pair : plan_.fast.pairs) {
      const std::uintptr_t a = begins_[pair.first];
      const std::uintptr_t b = begins_[pair.second];
      if (a < ends_[pair.second] && b < ends_[pair.first] && (pair.is_written || a == b))
        return false;
    }
    return true;
  }

  const CompiledContract& contract_;
  const ContractPlan& plan_;
  const KernelCall& call_;
  ContractProfile profile_;
  std::uint64_t bound_ = 0;  // a bit for each dimension
  std::array<std::int64_t, kMaxContractSlots> slots_;
  // Byte ranges, apart from each other so that nothing initialises them.
  std::array<std::uintptr_t, kMaxContractTensors> begins_;
  std::array<std::uintptr_t, kMaxContractTensors> ends_;
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
