// Dimensions are read first, from tensors that every call has; then one pass over the tensors,
// which compares extents with them and collects byte ranges; then clauses over dimensions, and the
// ranges. What a tensor breaks is collected in a word and asked once. Everything is on the stack;
// whatever is not a plain yes is left to check_contract.
#include "engine/evaluate/kernel_call.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/model/tensor_geometry.h"

namespace assay {
namespace {

// Where a tensor begins that is not given, and ends at 0: it meets nothing.
constexpr std::uintptr_t kNowhere = ~std::uintptr_t{0};

class FastCheck {
 public:
  FastCheck(const CompiledContract& contract, const KernelCall& call, ContractProfile profile)
      : contract_(contract), plan_(contract.plan), call_(call), profile_(profile) {}

  bool run() {
    if (!plan_.is_integral || !load_scalars() || !load_extents()) return false;
    const FastTensor* const tensors = plan_.fast.tensors.data();
    const std::size_t count = plan_.fast.tensors.size();
    const Device* const first =
        count == 0 || call_.tensors[0] == nullptr ? nullptr : &call_.tensors[0]->device;
    for (std::size_t i = 0; i < count; ++i) {
      const TensorView* const view = call_.tensors[i];
      slots_[plan_.first_presence + i] = view != nullptr;
      begins_[i] = kNowhere;
      ends_[i] = 0;
      if (view == nullptr ? !tensors[i].is_optional : !check_tensor(tensors[i], *view, i, first))
        return false;
    }
    return check_computed() && check_clauses() && check_overlaps();
  }

 private:
  bool load_scalars() {
    for (std::size_t i = 0; i < plan_.fast.scalars.size(); ++i) {
      const FastScalar& law = plan_.fast.scalars[i];
      const Value& given = call_.scalars[i];
      std::int64_t& slot = slots_[plan_.first_scalar + i];
      slot = 0;
      if (given.is(ValueKind::null)) {
        if (!law.default_value) return false;
        slot = *law.default_value;
      } else if (law.kind == ValueKind::real) {
        if (!given.is(ValueKind::real) && !given.is(ValueKind::integer)) return false;
      } else if (given.kind() != law.kind) {
        return false;
      } else {
        slot = law.kind == ValueKind::integer ? given.as_integer() : given.as_boolean();
      }
    }
    return true;
  }

  // What extents are compared with, each looked at once: whatever is equal to it is in range too.
  bool load_extents() {
    const FastPlan& fast = plan_.fast;
    std::copy(fast.constants.begin(), fast.constants.end(), slots_.begin() + kMaxContractSlots);
    for (std::size_t i = 0; i < fast.bindings.size(); ++i) {
      const FastBinding binding = fast.bindings[i];
      const TensorView* const view = call_.tensors[binding.tensor];
      if (view == nullptr || binding.axis >= view->shape.size()) return false;
      slots_[i] = view->shape[binding.axis];
    }
    bool is_bad = false;
    for (const std::uint32_t slot : fast.bounded) is_bad |= !is_extent(slots_[slot]);
    return !is_bad;
  }

  static bool is_extent(std::int64_t number) {
    return static_cast<std::uint64_t>(number) - 1 < static_cast<std::uint64_t>(kMaxExtent);
  }

  bool check_tensor(const FastTensor& law, const TensorView& view, std::size_t index,
                    const Device* device) {
    if (device != nullptr && view.device != *device) return false;
    if (law.device_type != 0 && includes(profile_, ContractProfile::engine) &&
        view.device.type != law.device_type)
      return false;
    if (law.element_bytes != 0 ? view.dtype.number() != law.only_dtype
                               : law.dtypes != 0 && !has_dtype(law, view.dtype.number()))
      return false;
    const std::int64_t element_bytes =
        law.element_bytes != 0 ? law.element_bytes : view.dtype.size_bytes();
    std::int64_t bytes = 0;
    if (!law.is_contiguous)
      bytes = strided_bytes(law, view);
    else if (__builtin_mul_overflow(contiguous_elements(law, view), element_bytes, &bytes))
      return false;
    std::uintptr_t begin = 0;
    if (bytes == 0 || view.data == nullptr ||
        __builtin_add_overflow(reinterpret_cast<std::uintptr_t>(view.data), view.byte_offset,
                               &begin) ||
        __builtin_add_overflow(begin, static_cast<std::uintptr_t>(bytes), &ends_[index]))
      return false;
    begins_[index] = begin;
    if ((begin & law.low_bits) != 0) return false;
    const auto element = static_cast<std::uintptr_t>(element_bytes);
    return law.element_bytes != 0 ||
           ((begin & (element - 1)) == 0 && (element & (element - 1)) == 0);
  }

  // How many elements; 0 where the tensor breaks something, or is empty: empty ones are rare, and
  // have rules of their own.
  std::int64_t contiguous_elements(const FastTensor& law, const TensorView& view) const {
    if (!view.strides.empty() && view.strides.size() != view.shape.size()) return 0;
    const std::uint32_t* const slots = plan_.fast.extents.data() + law.first_extent;
    if (!law.is_packed) {
      if (law.elements == 1) return holds_one_element(view) ? 1 : 0;
      return walk_any(law, view, slots);
    }
    if (view.shape.size() != law.rank) return 0;
    switch (law.rank) {
      case 1:
        return walk<1>(view, slots);
      case 2:
        return walk<2>(view, slots);
      case 3:
        return walk<3>(view, slots);
      default:
        return walk<4>(view, slots);
    }
  }

  // The extents, is_contiguous, reach_bytes and element_count (model/tensor_geometry.h) in one
  // walk, from the last extent to the first, without a branch on what it finds. Two extents in
  // range do not overflow a product, and the product of others is not looked at.
  template <std::size_t kRank>
  [[gnu::noinline]] std::int64_t walk(const TensorView& view, const std::uint32_t* slots) const {
    const std::int64_t* const shape = view.shape.data();
    const std::int64_t* const strides = view.strides.data();
    std::uint64_t elements = 1;
    std::int64_t differences = 0;
    bool is_bad = false;
    const auto step = [&](std::size_t axis) {
      differences |= shape[axis] ^ slots_[slots[axis]];
      is_bad |= multiply<kRank>(elements, shape[axis]);
    };
    const auto strided_step = [&](std::size_t axis) {
      is_bad |= (static_cast<std::uint64_t>(strides[axis]) != elements) & (shape[axis] != 1);
      step(axis);
    };
    // Written out, not looped.
    const auto each = [&]<std::size_t... kBack>(const auto& one, std::index_sequence<kBack...>) {
      (one(kRank - 1 - kBack), ...);
    };
    if (view.strides.empty())
      each(step, std::make_index_sequence<kRank>());
    else
      each(strided_step, std::make_index_sequence<kRank>());
    return is_bad || differences != 0 ? 0 : static_cast<std::int64_t>(elements);
  }

  // True: it does not fit.
  template <std::size_t kRank>
  static bool multiply(std::uint64_t& product, std::int64_t extent) {
    if constexpr (kRank > 2) {
      std::int64_t result = 0;
      const bool is_beyond =
          __builtin_mul_overflow(static_cast<std::int64_t>(product), extent, &result);
      product = static_cast<std::uint64_t>(result);
      return is_beyond;
    }
    product *= static_cast<std::uint64_t>(extent);
    return false;
  }

  // Of any rank, with extents that are judged later, or with none asked for.
  std::int64_t walk_any(const FastTensor& law, const TensorView& view,
                        const std::uint32_t* slots) const {
    if (law.elements < 0 && view.shape.size() != law.rank) return 0;
    std::int64_t elements = 1;
    for (std::size_t axis = view.shape.size(); axis-- > 0;) {
      const std::int64_t extent = view.shape[axis];
      if (!is_extent(extent) || (law.elements < 0 && differs(slots[axis], extent))) return 0;
      if (!view.strides.empty() && view.strides[axis] != elements && extent != 1) return 0;
      if (__builtin_mul_overflow(elements, extent, &elements)) return 0;
    }
    return law.elements < 0 || elements == law.elements ? elements : 0;
  }

  bool differs(std::uint32_t slot, std::int64_t extent) const {
    return slot != kOpenExtent && slots_[slot] != extent;
  }

  std::int64_t strided_bytes(const FastTensor& law, const TensorView& view) const {
    if (view.shape.size() != law.rank || view.strides.size() != law.rank) return 0;
    const std::uint32_t* const slots = plan_.fast.extents.data() + law.first_extent;
    for (std::size_t axis = 0; axis < law.rank; ++axis)
      if (differs(slots[axis], view.shape[axis])) return 0;
    return reach_bytes(view).value_or(0);
  }

  bool has_dtype(const FastTensor& law, std::uint32_t dtype) const {
    const std::uint32_t* const first = plan_.fast.dtypes.data() + law.first_dtype;
    if (*first == dtype) return true;
    return std::find(first + 1, first + law.dtypes, dtype) != first + law.dtypes;
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

  bool check_clauses() const {
    for (const FastRange& range : plan_.fast.ranges) {
      const std::int64_t value = slots_[range.slot];
      const bool holds =
          (value >= range.least) & (value <= range.most) & ((value & range.bits) == 0);
      if (!holds && concerns(range.clause, range.profile)) return false;
    }
    for (const FastTest& test : plan_.fast.tests)
      if (includes(test.profile, profile_) && !holds(test) && concerns(test.clause, test.profile))
        return false;
    return true;
  }

  bool concerns(std::uint32_t clause, ContractProfile profile) const {
    return includes(profile, profile_) &&
           applies_to(contract_.source.clauses[clause], call_.back_end);
  }

  bool holds(const FastTest& test) const {
    const FastPlan& fast = plan_.fast;
    if (!test.is_among) return fast.expressions[test.first].run_known(slots_.data()) == 1;
    const std::int64_t* const first = fast.numbers.data() + test.first;
    return std::find(first, first + test.count, slots_[test.slot]) != first + test.count;
  }

  // What is written mostly lies together: everything else is held against the range from its first
  // byte to its last one, and against each of it only where it lies between.
  bool check_overlaps() const {
    const std::vector<std::uint32_t>& written = plan_.fast.written;
    std::uintptr_t first = kNowhere;
    std::uintptr_t last = 0;
    for (std::size_t i = 0; i < written.size(); ++i) {
      first = std::min(first, begins_[written[i]]);
      last = std::max(last, ends_[written[i]]);
      for (std::size_t j = 0; j < i; ++j)
        if (meet(written[i], written[j])) return false;
    }
    for (const std::uint32_t other : plan_.fast.unwritten)
      if (begins_[other] < last && first < ends_[other]) [[unlikely]]
        for (const std::uint32_t one : written)
          if (meet(one, other)) return false;
    for (const FastPair pair : plan_.fast.distinct)
      if (begins_[pair.first] == begins_[pair.second] && ends_[pair.first] != 0 &&
          ends_[pair.second] != 0)
        return false;
    return true;
  }

  bool meet(std::uint32_t a, std::uint32_t b) const {
    return begins_[a] < ends_[b] && begins_[b] < ends_[a];
  }

  const CompiledContract& contract_;
  const ContractPlan& plan_;
  const KernelCall& call_;
  ContractProfile profile_;
  std::array<std::int64_t, kFastSlots> slots_;
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
