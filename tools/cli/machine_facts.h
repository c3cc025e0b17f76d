// What this machine says of its GPUs, through NVIDIA's management library where there is one.
#pragma once

#include <vector>

#include "engine/model/given_fact.h"

namespace assay::cli {

// gpu.vendor, gpu.name, gpu.sm, gpu.count, gpu.memory_mib (of the first GPU) and version.driver.
// Empty without the library or without a GPU: that is no error.
std::vector<GivenFact> read_machine_facts();

}  // namespace assay::cli
