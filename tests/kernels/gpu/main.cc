// prefill_gpu_check PART [CASE...]: one part of tools/gpu_check.sh. Built by nvcc alone, without
// the engine. Exit status 0: done; 1: a case is wrong; 2: wrong usage; 3: CUDA refused something.
#include <cstdio>
#include <string>
#include <vector>

#include "tests/kernels/gpu/parts.h"

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const std::string part = words.empty() ? "" : words.front();
  if (part == "cases") {
    return assay::gpu_check::check_cases({words.begin() + 1, words.end()}) ? 0 : 1;
  }
  if (part == "time" && words.size() == 1) {
    assay::gpu_check::time_shapes();
    return 0;
  }
  if (part == "ceilings" && words.size() == 1) {
    assay::gpu_check::measure_ceilings();
    return 0;
  }
  std::fputs("usage: prefill_gpu_check cases [CASE...] | time | ceilings\n", stderr);
  return 2;
}
