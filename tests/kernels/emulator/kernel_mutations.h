// Ways to break the Hopper kernel without touching its source: what is done to a call of a wrapper
// when the kernel makes it, found by the line that the call is in.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "kernels/emulator/fault.h"
#include "kernels/emulator/launch.h"

namespace assay::sparse_mla_prefill {

// False: the call is not made.
using Act = std::function<bool(emulator::DeviceCall&)>;

struct Edit {
  std::string file;  // in kernels/sparse_mla_prefill/
  std::string line;  // a part of it
  Act act;
  int which = 1;  // of the lines that have this part
};

enum class CaughtBy : std::uint8_t {
  the_first_schedule,  // an ordering is missing, which any schedule shows
  some_schedule,       // an unlucky moment is needed
  the_result,          // nothing is out of order, but the numbers are wrong
};

struct KernelMutation {
  std::string name;
  std::vector<Edit> edits;
  std::vector<emulator::FaultKind> kinds;  // those that may be reported
  std::string object;                      // a part of the report
  CaughtBy caught_by = CaughtBy::the_first_schedule;
};

inline void PrintTo(const KernelMutation& one, std::ostream* out) { *out << one.name; }

std::vector<KernelMutation> kernel_mutations();

}  // namespace assay::sparse_mla_prefill
