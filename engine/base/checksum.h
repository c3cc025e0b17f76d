// XXH64 (seed 0), as the xxHash specification defines it: a checksum at memory speed, the same on
// every processor. It finds accidents, not attacks.
#pragma once

#include <cstdint>
#include <string_view>

namespace assay {

std::uint64_t checksum(std::string_view bytes);

}  // namespace assay
