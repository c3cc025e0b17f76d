// Characters that word processors and web pages put in place of the ASCII ones of a command.
#pragma once

#include <cstdint>
#include <string_view>

namespace assay {

enum class Typographic : std::uint8_t {
  none,
  single_quote,
  double_quote,
  short_dash,  // stands for "-"
  long_dash,   // stands for "--" at the start of a flag
  blank,       // a no-break or other wide blank
  invisible,   // zero width
};

struct TypographicCharacter {
  Typographic kind = Typographic::none;
  std::uint32_t size = 0;  // bytes
};

// What stands at the start of `text`.
TypographicCharacter typographic_at(std::string_view text);

}  // namespace assay
