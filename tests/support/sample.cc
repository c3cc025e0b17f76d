// The step from the environment; anything that is no number from 1 on counts as 1.
#include "tests/support/sample.h"

#include <algorithm>
#include <cstdlib>

namespace assay::test {

std::size_t sample_step() {
  const char* const every = std::getenv("ASSAY_EVERY");
  return every == nullptr ? 1
                          : static_cast<std::size_t>(std::max(1L, std::strtol(every, nullptr, 10)));
}

}  // namespace assay::test
