// What is done to a call: it is left out, its operands are changed, or another call is made first.
#include "tests/kernels/emulator/kernel_acts.h"

#include <utility>

namespace assay::sparse_mla_prefill {
namespace {

using emulator::DeviceCall;
using emulator::Place;
using Config = MutatedConfig;

constexpr std::uint32_t kBase = emulator::kSharedBase;

std::uint32_t first_operand(const DeviceCall& call) {
  return static_cast<std::uint32_t>(call.operands[0]);
}

}  // namespace

Act skip() {
  return [](DeviceCall&) { return false; };
}
Act skip_in_thread(std::uint32_t thread) {
  return [thread](DeviceCall& call) { return call.thread != thread; };
}
Act add(std::size_t operand, std::uint64_t difference) {
  return [=](DeviceCall& call) {
    call.operands[operand] += difference;
    return true;
  };
}
Act flip(std::size_t operand, std::uint64_t bits) {
  return [=](DeviceCall& call) {
    call.operands[operand] ^= bits;
    return true;
  };
}
Act set(std::size_t operand, std::uint64_t value) {
  return [=](DeviceCall& call) {
    call.operands[operand] = value;
    return true;
  };
}
Act arrive_twice() {
  return [](DeviceCall& call) {
    emulator::mbarrier_arrive(first_operand(call), 1, Place::current());
    return true;
  };
}
Act next_slot(std::uint32_t first) {
  return [first](DeviceCall& call) {
    const std::uint32_t slot = (first_operand(call) - kBase - first) / 8;
    call.operands[0] = kBase + first + (slot + 1) % Config::kSlots * 8;
    return true;
  };
}
Act slot_before(std::uint32_t first) {
  return [first](DeviceCall& call) {
    const std::uint32_t slot = (first_operand(call) - kBase - first) / 8;
    call.operands[0] = kBase + first + (slot + Config::kSlots - 1) % Config::kSlots * 8;
    return true;
  };
}
Act by_one_warpgroup(Act act) {
  return [act = std::move(act)](DeviceCall& call) { return call.thread >= 128 || act(call); };
}
bool arrive_already(DeviceCall& call) {
  emulator::named_barrier_arrive(first_operand(call), Config::kMathThreads, Place::current());
  return true;
}
Act only_slot(std::uint32_t slot, Act act) {
  return [slot, act = std::move(act)](DeviceCall& call) {
    return first_operand(call) != kBase + Config::kEmpty + slot * 8 || act(call);
  };
}
bool arrive_before_ballots(DeviceCall& call) {
  const std::uint32_t slot = (first_operand(call) - kBase - Config::kValid) / 32;
  emulator::mbarrier_arrive(kBase + Config::kFull + slot * 8, 1, Place::current());
  return true;
}

Act skip_in_warp(std::uint32_t warp) {
  return [warp](DeviceCall& call) { return call.thread / 32 != warp; };
}
bool come_with_half_of_each_warp(DeviceCall& call) {
  call.operands[1] = Config::kMathThreads / 2;
  return call.thread % 32 < 16;
}

}  // namespace assay::sparse_mla_prefill
