// Tests that go over all shipped examples, or over many random cases, take one in ASSAY_EVERY of
// them (an environment variable; unset: all). The presets of the sanitizers set it: there a case
// takes ten times as long, and the release build sees every one.
#pragma once

#include <cstddef>

namespace assay::test {

// At least 1.
std::size_t sample_step();

}  // namespace assay::test
