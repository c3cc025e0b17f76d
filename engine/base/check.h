// ASSAY_CHECK: a condition that no input can break. A failure is a fault of ours: it prints where
// and stops the process. Faults in the user's text are Diagnostics, faults in the world come back
// in a Result (text/result.h).
#pragma once

#include <cstdio>
#include <cstdlib>

namespace assay::detail {
[[noreturn]] inline void check_failed(const char* file, int line, const char* condition,
                                      const char* meaning) {
  std::fprintf(stderr, "%s:%d: internal fault: %s (%s)\n", file, line, meaning, condition);
  std::abort();
}
}  // namespace assay::detail

#define ASSAY_CHECK(condition, meaning)                                         \
  do {                                                                          \
    if (!(condition)) [[unlikely]]                                              \
      ::assay::detail::check_failed(__FILE__, __LINE__, #condition, (meaning)); \
  } while (false)
