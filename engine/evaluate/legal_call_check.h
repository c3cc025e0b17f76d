// How a legal call is recognised (FastPlan): dimensions are read first, from tensors that every
// call has; then one pass over the tensors, which compares extents with them and collects byte
// ranges; then clauses over dimensions, and the ranges. Everything is on the stack; whatever is not
// a plain yes is left to check_contract. No branch is taken on the way of a legal call but those of
// the loops, and all of it is one function.
//
// A template over how a tensor is described, so that a binding copies nothing: see
// model/tensor_access.h.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>

#include "engine/evaluate/kernel_call.h"
#include "engine/model/tensor_access.h"
#include "engine/model/tensor_geometry.h"

namespace assay {

// How many bytes a tensor of FastPlan::others takes; 0 where it breaks something, or is empty:
// empty ones are rare, and have rules of their own.
std::int64_t lawful_bytes(const FastPlan& plan, const FastTensor& law, const TensorView& view,
                          const std::int64_t* slots);
// Of one element type whatever its size: the address is a multiple of it.
bool is_aligned_to_element(std::uintptr_t address, ElementType type);

template <class Access>
class LegalCallCheck {
 public:
  using Tensor = typename Access::Tensor;

  // Keeps references to all. As many tensors and scalars as the contract has.
  LegalCallCheck(const CompiledContract& contract, std::span<const Tensor* const> tensors,
                 std::span<const Value> scalars, std::string_view back_end, ContractProfile profile)
      : contract_(contract),
        plan_(contract.plan.fast),
        tensors_(tensors.data()),
        scalars_(scalars.data()),
        back_end_(back_end),
        profile_(profile) {
    has_device_ = !tensors.empty() && tensors[0] != nullptr;
    if (has_device_) device_ = Access::device(*tensors[0]);
  }

  [[gnu::flatten]] bool run() {
    if (!contract_.plan.is_integral || !load_scalars() || !load_extents()) return false;
    return check_packed<1>() && check_packed<2>() && check_packed<3>() && check_packed<4>() &&
           check_singles() && check_others() && check_computed() && check_devices() &&
           check_clauses() && check_overlaps();
  }

 private:
  bool load_scalars() {
    std::int64_t* slot = slots_.data() + contract_.plan.first_scalar;
    const Value* given = scalars_;
    for (const FastScalar& law : plan_.scalars) {
      if (given->kind() == law.kind) [[likely]] {
        *slot = law.kind == ValueKind::integer   ? given->as_integer()
                : law.kind == ValueKind::boolean ? std::int64_t{given->as_boolean()}
                                                 : 0;
      } else if (given->is(ValueKind::null)) {
        if (!law.default_value) return false;
        *slot = *law.default_value;
      } else if (law.kind != ValueKind::real || !given->is(ValueKind::integer)) {
        return false;
      }
      ++slot;
      ++given;
    }
    return true;
  }

  // What extents are compared with, each looked at once: whatever is equal to it is in range too.
  bool load_extents() {
    std::int64_t* const slots = slots_.data();
    std::int64_t* slot = slots;
    for (const FastBinding binding : plan_.bindings) {
      const Tensor* const tensor = tensors_[binding.tensor];
      if (tensor == nullptr || !Access::has_axis(*tensor, binding.axis)) [[unlikely]]
        return false;
      *slot = Access::shape(*tensor)[binding.axis];
      if (!is_extent(*slot)) [[unlikely]]
        return false;
      ++slot;
    }
    slot = slots + kFirstConstantSlot;
    for (const std::int64_t constant : plan_.constants) *slot++ = constant;
    for (const FastBound bound : plan_.bounded)
      if (!is_extent(slots[bound.slot]) && tensors_[bound.tensor] != nullptr) [[unlikely]]
        return false;
    for (const std::uint32_t tensor : plan_.presence)
      slots[contract_.plan.first_presence + tensor] = tensors_[tensor] != nullptr;
    return true;
  }

  static bool is_extent(std::int64_t number) {
    return static_cast<std::uint64_t>(number) - 1 < static_cast<std::uint64_t>(kMaxExtent);
  }

  template <std::size_t kRank>
  bool check_packed() {
    for (const PackedTensor& law : plan_.packed[kRank - 1]) {
      const Tensor* const tensor = tensors_[law.tensor];
      if (tensor == nullptr) [[unlikely]] {
        if (!leave_out(law)) return false;
        continue;
      }
      if (Access::dtype(*tensor) != law.dtype || !Access::has_shape(*tensor, kRank)) [[unlikely]]
        return false;
      std::int64_t bytes = 0;
      if (!measure<kRank>(law, *tensor, bytes) || !place(law, *tensor, bytes)) [[unlikely]]
        return false;
    }
    return true;
  }

  // The extents, is_contiguous, element_count and reach_bytes (model/tensor_geometry.h) in one
  // walk, from the last extent to the first: the stride asked for is the product so far, but that
  // of an extent of 1 may be any. False: one does not hold, or the size does not fit.
  template <std::size_t kRank>
  bool measure(const PackedTensor& law, const Tensor& tensor, std::int64_t& bytes) const {
    const std::int64_t* const shape = Access::shape(tensor);
    const std::int64_t* const strides = Access::strides(tensor);
    const bool has_strides = Access::has_strides(tensor, kRank);
    if (!has_strides && !Access::has_no_strides(tensor)) [[unlikely]]
      return false;
    bytes = 1;
    const auto step = [&](std::size_t axis) {
      const std::int64_t extent = slots_[law.extents[axis]];
      if (shape[axis] != extent) [[unlikely]]
        return false;
      if (has_strides && strides[axis] != bytes && extent != 1) [[unlikely]]
        return false;
      return !__builtin_mul_overflow(bytes, extent, &bytes);
    };
    const auto all = [&]<std::size_t... kBack>(std::index_sequence<kBack...> /*axes*/) {
      return (step(kRank - 1 - kBack) && ...);
    };
    return all(std::make_index_sequence<kRank>()) &&
           !__builtin_mul_overflow(bytes, law.element_bytes, &bytes);
  }

  bool check_singles() {
    for (const SingleTensor& law : plan_.singles) {
      const Tensor* const tensor = tensors_[law.tensor];
      if (tensor == nullptr) [[unlikely]] {
        if (!leave_out(law)) return false;
        continue;
      }
      if (Access::dtype(*tensor) != law.dtype) [[unlikely]]
        return false;
      const bool is_plain = Access::has_shape(*tensor, 1) && Access::shape(*tensor)[0] == 1 &&
                            (Access::has_strides(*tensor, 1) || Access::has_no_strides(*tensor));
      if (!is_plain) [[unlikely]]
        if (!Access::is_readable(*tensor) || !holds_one_element(Access::view(*tensor)))
          return false;
      if (!place(law, *tensor, law.element_bytes)) [[unlikely]]
        return false;
    }
    return true;
  }

  bool check_others() {
    for (const FastTensor& law : plan_.others) {
      const Tensor* const tensor = tensors_[law.tensor];
      if (tensor == nullptr) {
        if (!leave_out(law)) return false;
        continue;
      }
      if (!Access::is_readable(*tensor)) return false;
      const auto& view = Access::view(*tensor);
      if (!place(law, *tensor, lawful_bytes(plan_, law, view, slots_.data())) ||
          !is_aligned_to_element(begins_[law.tensor], view.dtype))
        return false;
    }
    return true;
  }

  // Where a tensor begins that is not given, and ends at 0: it meets nothing.
  static constexpr std::uintptr_t kNowhere = ~std::uintptr_t{0};

  template <class Law>
  bool leave_out(const Law& law) {
    begins_[law.tensor] = kNowhere;
    ends_[law.tensor] = 0;
    return law.is_optional;
  }

  template <class Law>
  bool place(const Law& law, const Tensor& tensor, std::int64_t bytes) {
    if (Access::device(tensor) != device_) [[unlikely]]
      if (has_device_) return false;
    const void* const data = Access::data(tensor);
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    if (data == nullptr || bytes == 0) [[unlikely]]
      return false;
    if (__builtin_add_overflow(reinterpret_cast<std::uintptr_t>(data), Access::byte_offset(tensor),
                               &begin) ||
        __builtin_add_overflow(begin, static_cast<std::uintptr_t>(bytes), &end)) [[unlikely]]
      return false;
    if ((begin & law.low_bits) != 0) [[unlikely]]
      return false;
    begins_[law.tensor] = begin;
    ends_[law.tensor] = end;
    return true;
  }

  // What may read dimensions that a later tensor binds.
  bool check_computed() const {
    for (const FastComputed& one : plan_.computed) {
      const Tensor* const tensor = tensors_[one.tensor];
      if (tensor == nullptr) continue;
      const std::int64_t extent = Access::shape(*tensor)[one.axis];
      if (one.is_stride && extent == 1) continue;
      const std::int64_t found = one.is_stride ? Access::strides(*tensor)[one.axis] : extent;
      const auto expected = one.expression.run_known(slots_.data());
      if (!expected || (one.is_at_least ? found < *expected : found != *expected)) return false;
    }
    return true;
  }

  bool check_devices() const {
    if (!includes(plan_.device_profiles, profile_)) return true;
    for (const FastDevice& one : plan_.devices) {
      if (!includes(one.profile, profile_)) continue;
      const Tensor* const tensor = tensors_[one.tensor];
      if (tensor != nullptr && Access::device(*tensor).type != one.type) [[unlikely]]
        if (concerns(one.clause, one.profile)) return false;
    }
    return true;
  }

  bool check_clauses() const {
    for (const FastRange& range : plan_.ranges) {
      const std::int64_t value = slots_[range.slot];
      if (value < range.least || value > range.most || (value & range.bits) != 0) [[unlikely]]
        if (concerns(range.clause, range.profile)) return false;
    }
    for (const FastTest& test : plan_.tests)
      if (includes(test.profile, profile_) && !holds(test)) [[unlikely]]
        if (concerns(test.clause, test.profile)) return false;
    return true;
  }

  bool concerns(std::uint32_t clause, ContractProfile profile) const {
    return includes(profile, profile_) && applies_to(contract_.source.clauses[clause], back_end_);
  }

  bool holds(const FastTest& test) const {
    if (!test.is_among) return plan_.expressions[test.first].run_known(slots_.data()) == 1;
    const std::int64_t value = slots_[test.slot];
    for (std::uint32_t i = 0; i < test.count; ++i)
      if (plan_.numbers[test.first + i] == value) return true;
    return false;
  }

  // What is written mostly lies together: everything else is held against the range from its first
  // byte to its last one, and against each of it only where it lies between.
  bool check_overlaps() const {
    std::uintptr_t first = kNowhere;
    std::uintptr_t last = 0;
    for (const std::uint32_t& one : plan_.written) {
      for (const std::uint32_t* other = plan_.written.data(); other != &one; ++other)
        if (meet(one, *other)) [[unlikely]]
          return false;
      first = begins_[one] < first ? begins_[one] : first;
      last = ends_[one] > last ? ends_[one] : last;
    }
    for (const std::uint32_t other : plan_.unwritten)
      if (begins_[other] < last && first < ends_[other]) [[unlikely]]
        for (const std::uint32_t one : plan_.written)
          if (meet(one, other)) return false;
    for (const FastPair& pair : plan_.distinct)
      if (begins_[pair.first] == begins_[pair.second] && ends_[pair.first] != 0 &&
          ends_[pair.second] != 0 && concerns(pair.clause, pair.profile))
        return false;
    return true;
  }

  bool meet(std::uint32_t a, std::uint32_t b) const {
    return begins_[a] < ends_[b] && begins_[b] < ends_[a];
  }

  const CompiledContract& contract_;
  const FastPlan& plan_;
  const Tensor* const* const tensors_;
  const Value* const scalars_;
  const std::string_view back_end_;
  const ContractProfile profile_;
  bool has_device_ = false;
  Device device_;  // of the first tensor, which that of all others has to be
  std::array<std::int64_t, kFastSlots> slots_;
  // Byte ranges by tensor, apart from each other so that nothing initialises them.
  std::array<std::uintptr_t, kMaxContractTensors> begins_;
  std::array<std::uintptr_t, kMaxContractTensors> ends_;
};

}  // namespace assay
