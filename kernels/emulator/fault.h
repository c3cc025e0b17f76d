// What the emulator finds wrong with a device program: the kind, the parties with their places in
// the source, and the object they met at.
#pragma once

#include <cstdint>
#include <optional>
#include <source_location>
#include <string>

namespace assay::emulator {

using Place = std::source_location;

enum class FaultKind : std::uint8_t {
  race,                   // two accesses to one place, one of them a write, that nothing orders
  uninitialised_read,     // shared memory that nobody has written
  missing_proxy_fence,    // a generic-proxy write met by the async proxy without a fence between
  out_of_bounds,          // an address outside shared memory or every registered global buffer
  misaligned,             // an address or size that the instruction does not take
  misused_mbarrier,       // not initialised, initialised twice, over-arrived, touched as data
  stale_phase,            // a wait on a phase that is two flips past
  phase_overrun,          // an arrival by a thread that cannot know its previous phase is over
  misused_named_barrier,  // arrived on twice in a phase, or with a count that cannot be met
  register_in_flight,     // a register touched while wgmma may read or write it
  missing_wgmma_fence,    // a register written, then used by wgmma without wgmma.fence between
  divergence,             // threads disagree in an instruction that they execute together
  bad_descriptor,         // a matrix descriptor or tensor map that the hardware does not take
  unfinished_work,        // asynchronous work or remote accesses outlive the block
  register_budget,        // setmaxnreg against its rules
  deadlock,               // nobody can go on
  step_limit,             // more scheduling steps than allowed
};

const char* fault_name(FaultKind kind);

struct Party {
  std::string who;    // "thread 33 (warp 1, lane 1) of block 0"
  std::string where;  // "file.cuh:12"
};

struct Fault {
  FaultKind kind = FaultKind::race;
  std::string what;    // a sentence
  std::string object;  // "shared memory [0x400, 0x404) (kv slot 1)"; may be empty
  Party first;
  std::optional<Party> second;

  std::string to_string() const;
};

// "file.cuh:12", the file without its folders.
std::string place_name(const Place& place);

}  // namespace assay::emulator
