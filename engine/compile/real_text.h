// The shortest text that reads back as the same double.
#pragma once

#include <string>

namespace assay {

// As Python's repr writes it: "1.0", "1e-05", "1e+16", "inf", "-inf", "nan".
std::string shortest_real(double value);

}  // namespace assay
