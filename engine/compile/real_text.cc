// std::to_chars finds the shortest digits; where Python switches to an exponent (below 1e-4, from
// 1e16 on) and how it pads it is done here.
#include "engine/compile/real_text.h"

#include <charconv>
#include <cmath>

namespace assay {

std::string shortest_real(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  const double magnitude = std::fabs(value);
  const bool has_exponent = magnitude != 0 && (magnitude < 1e-4 || magnitude >= 1e16);
  char buffer[64];
  const auto end =
      std::to_chars(buffer, buffer + sizeof buffer, value,
                    has_exponent ? std::chars_format::scientific : std::chars_format::fixed);
  std::string text(buffer, end.ptr);
  if (!has_exponent && text.find('.') == std::string::npos) text += ".0";
  return text;
}

}  // namespace assay
