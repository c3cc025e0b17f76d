// Names and text of faults. One line says what is wrong and with which object, then one line for
// each party: who, and where in the source.
#include "kernels/emulator/fault.h"

#include <fmt/format.h>

#include <string_view>

namespace assay::emulator {

const char* fault_name(FaultKind kind) {
  switch (kind) {
    case FaultKind::race:
      return "race";
    case FaultKind::uninitialised_read:
      return "uninitialised read";
    case FaultKind::missing_proxy_fence:
      return "missing proxy fence";
    case FaultKind::out_of_bounds:
      return "out of bounds";
    case FaultKind::misaligned:
      return "misaligned";
    case FaultKind::misused_mbarrier:
      return "misused mbarrier";
    case FaultKind::stale_phase:
      return "stale phase";
    case FaultKind::phase_overrun:
      return "phase overrun";
    case FaultKind::misused_named_barrier:
      return "misused named barrier";
    case FaultKind::register_in_flight:
      return "register in flight";
    case FaultKind::missing_wgmma_fence:
      return "missing wgmma.fence";
    case FaultKind::divergence:
      return "divergence";
    case FaultKind::bad_descriptor:
      return "bad descriptor";
    case FaultKind::unfinished_work:
      return "unfinished work";
    case FaultKind::register_budget:
      return "register budget";
    case FaultKind::deadlock:
      return "deadlock";
    case FaultKind::step_limit:
      return "step limit";
  }
  return "fault";
}

std::string Fault::to_string() const {
  std::string text = fmt::format("{}: {}", fault_name(kind), what);
  if (!object.empty()) text += fmt::format("\n  object: {}", object);
  text += fmt::format("\n  {} at {}", first.who, first.where);
  if (second) text += fmt::format("\n  {} at {}", second->who, second->where);
  return text;
}

std::string place_name(const Place& place) {
  std::string_view file = place.file_name();
  if (const auto slash = file.rfind('/'); slash != std::string_view::npos) {
    file.remove_prefix(slash + 1);
  }
  return fmt::format("{}:{}", file, place.line());
}

}  // namespace assay::emulator
