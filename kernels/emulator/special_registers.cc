// What a thread can ask about itself.
#include "kernels/emulator/machine.h"

namespace assay::emulator {

std::uint32_t thread_index() { return Machine::current().self().index; }

std::uint32_t block_index() {
  Machine& machine = Machine::current();
  return machine.first_block() + machine.self().block->rank;
}

std::uint32_t block_count() { return Machine::current().config().blocks; }

std::uint32_t block_threads() { return Machine::current().config().threads; }

std::uint32_t cluster_rank() { return Machine::current().self().block->rank; }

SharedAddress dynamic_shared_base() { return kSharedBase; }

}  // namespace assay::emulator
