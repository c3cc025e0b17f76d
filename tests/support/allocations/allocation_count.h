// Proves that something allocates nothing. For programs that have allocation_count.cc among their
// own files: it replaces the global operators.
#pragma once

#include <cstddef>

namespace assay::test {

std::size_t allocation_count();  // of this thread, so far

}  // namespace assay::test
