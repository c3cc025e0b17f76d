// The parts of the GPU check. Each prints one JSON value on standard output.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace assay::gpu_check {

// Every case of the matrix (or those named) against the reference, and what only a GPU shows: a
// call of more than 65,535 tasks, a graph, a stream of its own. False: one of them is wrong.
bool check_cases(const std::vector<std::string>& only);

// The five timed shapes: median of many launches, between CUDA events, over input sets that
// together do not fit in L2.
void time_shapes();

// What this GPU reaches: wgmma as the kernel uses it, reading from L2, reading from memory.
void measure_ceilings();

// ceilings.cu
void fill_values(std::uint8_t* to, std::size_t count, std::uint32_t seed);  // e4m3, finite
void fill_indices(std::int32_t* to, std::size_t count, std::int32_t bound, std::uint32_t seed);

}  // namespace assay::gpu_check
